import StoreFormat
import Synchronization

/// Verifies everything in a store that its history depends on.
///
/// SQLite has no page checksums, so a value altered into another valid value is not found. Findings are
/// contradictions within the store, and with the layout or the model. Nothing is changed, and memory
/// does not grow with the store.
///
/// ```swift
/// let verification = try StoreVerification(path: "default.store")
/// for kind in verification.findings.kinds {
///   for finding in verification.findings.findings(of: kind) { print(finding.place, finding.detail) }
/// }
/// ```
package struct StoreVerification: Sendable {
  package struct Options: Hashable, Sendable {
    /// Whether to check the pages of all tables rather than those of the history only.
    package var checksAllTables = false
    /// The bookmark file; `nil` for the one beside the store.
    package var bookmarkPath: String?
    /// The maximum number of findings of each kind that are kept.
    package var limit = 10
    /// Seconds to wait for a locked store.
    package var busyTimeout = 5.0
    /// The number of threads that read in addition to the caller's.
    package var helperCount = 1

    package init() {}
  }

  package let path: String
  package private(set) var storeIdentifier: String?
  package private(set) var findings: FindingLog<StoreFindingKind>
  package private(set) var facts = StoreFacts()

  /// Verifies a store.
  ///
  /// - Parameter progress: Receives the number of changes checked so far, now and then.
  /// - Throws: ``/StoreFormat/StoreError``, also for a store without history tables. Damage is a finding
  ///   and not an error.
  package init(
    path: String, options: Options = Options(), progress: (Int64) -> Void = { _ in }
  ) throws {
    self.path = path
    findings = FindingLog(limit: options.limit)
    do {
      let file = try StoreFile.leavingNothing(path, busyTimeout: options.busyTimeout)
      try file.read(withHelpers: options.helperCount) { snapshot, helpers in
        try inspect(snapshot, helpers, options, progress)
      }
    } catch StoreError.damaged(_, let place, let detail) {
      // The store cannot even be opened.
      findings.add(.damagedPages, at: .store, "\(place): \(detail)")
      findings.add(try StoreLocation(path: path).logCondition())
    } catch let error as StoreError {
      // All of a new store may still be in its log.
      guard case .notAStore(_, .withoutCoreDataTables) = error else { throw error }
      findings.add(try StoreLocation(path: path).logCondition())
      if findings.damageCount == 0 { throw error }
    }
  }

  private mutating func inspect(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ options: Options,
    _ progress: (Int64) -> Void
  ) throws {
    storeIdentifier = snapshot.metadata.storeIdentifier
    _ = try snapshot.historyTables()
    let pages = PageInspection(
      tables: options.checksAllTables ? [nil] : snapshot.tablesOfHistory)
    facts.checkedTables = options.checksAllTables ? nil : snapshot.tablesOfHistory
    var inspection = StoreInspection(
      snapshot: snapshot, findings: FindingLog(limit: options.limit), facts: facts)
    try helpers.run({ pages.inspect($0) }) {
      try inspection.inspectFile()
      try inspection.inspectRows(progress)
      try inspection.inspectReaders(bookmarkPath: options.bookmarkPath)
      try inspection.inspectValues()
      pages.inspect(snapshot)
    }
    facts = inspection.facts
    // Damaged pages come first, since they may be the cause of what is wrong with the rows.
    findings.add(try pages.findings(limit: options.limit))
    findings.add(inspection.findings)
  }
}

/// What a verification of a store has read, and facts that are not problems.
package struct StoreFacts: Hashable, Sendable {
  package internal(set) var transactionCount: Int64 = 0
  package internal(set) var changeCount: Int64 = 0
  /// The number of shared texts.
  package internal(set) var textCount: Int64 = 0
  package internal(set) var bookmarkCount = 0
  /// The number of transactions with recorded values.
  package internal(set) var recordedTransactionCount: Int64 = 0
  /// The number of transactions with recorded values that are not in the history: saves that were never
  /// complete, or history that another program deleted.
  package internal(set) var absentTransactionCount: Int64 = 0
  /// The range of the transaction numbers, or `nil` in an empty history.
  package internal(set) var transactions: ClosedRange<Int64>?
  /// The highest number that was issued for a transaction, in an empty history that had transactions.
  package internal(set) var emptiedAfter: Int64?
  /// The number of transactions without a change. Migrations write such ones, and entities that left the
  /// model leave them behind.
  package internal(set) var emptyTransactionCount: Int64 = 0
  /// The number of transactions with an earlier time than the one before: a clock was set back.
  package internal(set) var clockStepCount: Int64 = 0
  package internal(set) var largestClockStep: ClockStep?
  /// The tables whose pages were checked; `nil` for the whole file.
  package internal(set) var checkedTables: [String]? = []
  package internal(set) var log: LogCondition?
  /// The condition of the model, without which masks and tombstones cannot be checked.
  package internal(set) var model: ModelCache.Condition?

  package struct ClockStep: Hashable, Sendable {
    /// The first transaction after the clock was set back.
    package let transaction: Int64
    package let seconds: Double
  }
}

/// Runs SQLite's integrity check on tables, on several threads.
private final class PageInspection: Sendable {
  private struct State {
    var next = 0
    var results: [Int: Result<[String], any Error>] = [:]
  }

  private let tables: [String?]
  private let state = Mutex(State())

  /// - Parameter tables: The tables; `nil` is the whole file.
  init(tables: [String?]) { self.tables = tables }

  /// Checks tables until none is left. Each thread calls this once.
  func inspect(_ snapshot: StoreSnapshot) {
    while let index = takeNext() {
      let result = Result { try Self.problems(in: tables[index], of: snapshot) }
      state.withLock { $0.results[index] = result }
    }
  }

  private func takeNext() -> Int? {
    state.withLock { state in
      guard state.next < tables.count else { return nil }
      state.next += 1
      return state.next - 1
    }
  }

  private static func problems(
    in table: String?, of snapshot: StoreSnapshot
  ) throws -> [String] {
    var problems: [String] = []
    let damage = try snapshot.damage { problems = try snapshot.pageProblems(inTable: table) }
    if let damage { problems.append(damage.detail) }
    return problems
  }

  /// The findings, in the order of the tables.
  func findings(limit: Int) throws -> FindingLog<StoreFindingKind> {
    var findings = FindingLog<StoreFindingKind>(limit: limit)
    let results = state.withLock { $0.results }
    for (index, table) in tables.enumerated() {
      for problem in try results[index]?.get() ?? [] {
        findings.add(.damagedPages, at: table.map(FindingPlace.table) ?? .store, problem)
      }
    }
    return findings
  }
}
