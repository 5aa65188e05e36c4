import StoreFormat

/// The whole history of a store: its archived transactions, followed by those in the store.
///
/// Both are joined by transaction number. The archive is used up to the oldest transaction of the
/// store. If it ends before that, there is a gap.
///
/// ```swift
/// try store.read { snapshot in
///   let timeline = try HistoryTimeline(snapshot, continuing: archive)
///   let reader = try TimelineReader(timeline, query: HistoryQuery(), schema: timeline.schema())
///   while let element = try reader.nextElement() { … }
/// }
/// ```
package struct HistoryTimeline {
  /// The store; `nil` for an archive alone.
  package let snapshot: StoreSnapshot?
  /// The archive; `nil` for a store alone.
  package let archive: (any ArchivedHistory)?
  /// How the archive contradicts the store; `nil` if they agree.
  package let divergence: ArchiveDivergence?

  /// The oldest transaction of the store; `nil` if it has none, or there is no store.
  let firstInStore: Int64?
  /// The highest number that the store has issued.
  private let issued: Int64?
  /// Whether the store is known to continue the archive without a gap in spite of unused numbers.
  private let isJoined: Bool

  /// Makes an empty history.
  init() {
    (snapshot, archive, divergence, firstInStore, issued) = (nil, nil, nil, nil, nil)
    isJoined = false
  }

  /// Makes the history of a store.
  package init(_ snapshot: StoreSnapshot) {
    self.snapshot = snapshot
    (archive, divergence, firstInStore, issued) = (nil, nil, nil, nil)
    isJoined = false
  }

  /// Makes the history of an archive.
  package init(_ archive: any ArchivedHistory) {
    self.archive = archive
    (snapshot, divergence, firstInStore, issued) = (nil, nil, nil, nil)
    isJoined = false
  }

  /// Makes the history of a store after that of an archive.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, or what the archive throws.
  package init(_ snapshot: StoreSnapshot, continuing archive: any ArchivedHistory) throws {
    self.snapshot = snapshot
    self.archive = archive
    _ = try snapshot.historyTables()
    firstInStore = try snapshot.oldestTransaction()?.number
    let issued = try snapshot.highestIssued()
    self.issued = issued
    divergence = try ArchiveDivergence(
      archive, snapshot, firstInStore: firstInStore, issued: issued)
    if let firstInStore, let last = archive.ranges.last?.upperBound, last < firstInStore,
      firstInStore - last > 1
    {
      isJoined = try archive.successor(of: last)?.number == firstInStore
    } else {
      isJoined = false
    }
  }

  /// The last archived transaction that the store has too; `nil` if it has none of them.
  package var lastShared: Int64? {
    guard let firstInStore, let last = archive?.ranges.last?.upperBound, last >= firstInStore else {
      return nil
    }
    return last
  }

  /// The path of the store, or of the archive if there is no store.
  package var path: String { snapshot?.location.path ?? archive?.path ?? "" }

  /// The identifier of the store; `nil` if it has none.
  package var storeIdentifier: String? {
    snapshot.map { $0.metadata.storeIdentifier } ?? archive?.storeIdentifier
  }

  /// Returns the entities of the history, with the store's numbers where the store has them.
  ///
  /// - Parameter store: The entities of the store; `nil` to read them.
  package func schema(_ store: HistorySchema? = nil) throws -> HistorySchema {
    let own = try store ?? snapshot.map { try HistorySchema($0) }
    guard let archive else { return own ?? HistorySchema(entities: []) }
    return try HistorySchema(own, and: archive.entities())
  }

  /// Whether a transaction of the store, or one of the newest of the archive, has an author.
  package func hasAuthors() throws -> Bool {
    try snapshot?.hasText(.author) ?? false || archive?.hasAuthors() ?? false
  }

  /// Returns the authors, bundles, processes or contexts of all transactions, the most frequent first, or
  /// `nil` if there are too many to list.
  ///
  /// An archive has no list of them, so all its transactions are read.
  package func names(_ role: StringRole) throws -> [String]? {
    var counts: [String: Int64] = [:]
    if let own = try snapshot?.textCounts(role) {
      guard own.isComplete else { return nil }
      for count in own.counts {
        if let name = count.text?.string { counts[name, default: 0] += count.count }
      }
    }
    if archive != nil {
      let reader = try TimelineReader(
        archivedPartOf: self, query: HistoryQuery(), schema: HistorySchema(entities: []))
      var byteCount = 0
      while let element = try reader.nextElement() {
        guard case .transaction(let transaction) = element,
          let name = transaction.text(role)?.string
        else { continue }
        if counts[name] == nil { byteCount += name.utf8.count }
        guard byteCount <= Self.maxNameBytes else { return nil }
        counts[name, default: 0] += 1
      }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// The maximum size of the names that are collected from an archive, in bytes.
  private static let maxNameBytes = 1 << 20

  // MARK: - Pieces

  /// A part of the timeline that comes from one place, or is missing.
  package enum Piece: Hashable, Sendable {
    /// Archived transactions, by their numbers.
    case archived(ClosedRange<Int64>)
    /// Deleted transactions.
    case gap(HistoryGap)
    /// All transactions of the store.
    case store
  }

  /// Returns the pieces of a range of numbers, in order.
  ///
  /// - Parameters:
  ///   - after: The number before the range; `nil` for the beginning.
  ///   - until: The last number of the range; `nil` for the end.
  /// - Throws: ``HistoryError/divergedArchive(_:)`` if store and archive do not belong together.
  package func pieces(after: Int64? = nil, until: Int64? = nil) throws(HistoryError) -> [Piece] {
    guard archive != nil else { return [.store] }
    if let divergence { throw .divergedArchive(divergence) }
    let lowest = after.map { $0 == .max ? .max : $0 + 1 } ?? .min
    let highest = until ?? .max
    var pieces: [Piece] = []
    func add(_ piece: Piece, _ first: Int64, _ last: Int64) {
      if first <= highest, last >= lowest, lowest <= highest { pieces.append(piece) }
    }
    var last: Int64?
    func fill(upTo next: Int64) {
      guard let last, next - 1 > last else { return }
      add(
        .gap(HistoryGap(store: storeIdentifier, after: last, oldest: next)), last + 1, next - 1)
    }
    for range in archivedRanges {
      fill(upTo: range.lowerBound)
      add(.archived(range), range.lowerBound, range.upperBound)
      last = range.upperBound
    }
    if let firstInStore {
      if !isJoined { fill(upTo: firstInStore) }
      add(.store, firstInStore, .max)
    } else if let last, let issued, issued > last {
      add(.gap(HistoryGap(store: storeIdentifier, after: last, oldest: nil)), last + 1, issued)
    }
    return pieces
  }

  /// Returns the gaps in a range of numbers, in order.
  package func gaps(after: Int64? = nil, until: Int64? = nil) throws(HistoryError) -> [HistoryGap] {
    var gaps: [HistoryGap] = []
    for case .gap(let gap) in try pieces(after: after, until: until) { gaps.append(gap) }
    return gaps
  }

  /// Returns the transactions after a number that were issued and are neither in the store nor in the archive;
  /// `nil` if there are none.
  package func missingTransactions(after number: Int64) throws -> MissingTransactions? {
    let number = max(number, 0)
    guard archive != nil, let first = archivedRanges.first?.lowerBound ?? firstInStore else {
      return try snapshot?.missingTransactions(after: number)
    }
    var parts = [MissingTransactions(first: number + 1, last: first - 1)]
    for gap in try gaps(after: number) {
      let last = try gap.oldest.map { $0 - 1 } ?? highestIssued()
      parts.append(MissingTransactions(first: max(gap.after, number) + 1, last: last))
    }
    if let firstInStore {
      parts.append(try snapshot?.missingTransactions(after: max(number, firstInStore - 1)))
    }
    return parts.compactMap { $0 }.reduce(nil) { $0?.joined(with: $1) ?? $1 }
  }

  /// The archived numbers before the store's history.
  private var archivedRanges: [ClosedRange<Int64>] {
    (archive?.ranges ?? []).compactMap { range in
      guard let firstInStore, range.upperBound >= firstInStore else { return range }
      return range.lowerBound < firstInStore ? range.lowerBound...(firstInStore - 1) : nil
    }
  }

  /// Checks that the archived transactions after a number, up to the store's history, can be read.
  ///
  /// - Throws: What the archive throws if they are missing or damaged.
  package func checkPresence(after number: Int64) throws {
    guard let archive, firstInStore.map({ number < $0 - 1 }) ?? true else { return }
    try archive.checkPresence(after: number)
  }

  /// Whether there is no gap after a transaction.
  func isComplete(after number: Int64) -> Bool {
    ((try? gaps(after: number)) ?? []).isEmpty
  }
}

extension StoreSnapshot {
  /// Returns the highest transaction number that the store has issued. The counter of a copy
  /// without its log may be lower than a number in use.
  func highestIssued() throws -> Int64 {
    max(entities.highestNumber(of: .transaction), try newestTransaction()?.number ?? 0)
  }

  /// Returns the transactions after a number that were issued and are not there; `nil` if there are none.
  ///
  /// It reads all transactions after the number.
  func missingTransactions(after number: Int64) throws -> MissingTransactions? {
    let issued = try highestIssued()
    guard number < issued else { return nil }
    let count = try issued - number - transactionCount(after: number, upTo: issued)
    guard count > 0, let ends = try missingEnds(after: number, upTo: issued) else { return nil }
    return MissingTransactions(first: ends.lowerBound, last: ends.upperBound, count: count)
  }
}

/// A range of deleted transactions within a requested history.
public struct HistoryGap: Hashable, Sendable {
  /// The identifier of the store; `nil` if it has none.
  public let store: String?
  /// The last transaction before the gap.
  public let after: Int64
  /// The oldest transaction after the gap; `nil` if there is none.
  public let oldest: Int64?

  package init(store: String?, after: Int64, oldest: Int64?) {
    self.store = store
    self.after = after
    self.oldest = oldest
  }

  /// A sentence on what is missing.
  public var message: String {
    guard let oldest else { return "everything after transaction \(after) is gone" }
    // A line of a gap may have any numbers.
    let (first, last) = (after &+ 1, oldest &- 1)
    return first >= last
      ? "transaction \(first) is gone" : "transactions \(first) to \(last) are gone"
  }
}
