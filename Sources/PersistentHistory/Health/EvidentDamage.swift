import StoreFormat

/// The damage of a store that can be found without reading all of its history: in the write-ahead log, the page
/// count, the counters and both ends of the history; before pages are moved or free ones are used, in all pages as
/// well.
///
/// Every command that changes a store or seals its history checks for it first. ``StoreVerification``
/// finds this damage and all other.
package struct EvidentDamage: Hashable, Sendable {
  package struct Finding: Hashable, Sendable {
    /// A kind that stops writing.
    package let kind: StoreFindingKind
    package let place: FindingPlace
    package let detail: String
    /// Whether the last save in the write-ahead log is torn, as after a loss of power. Writing is safe
    /// then, since everything saved before is complete.
    let isTornEndOfLog: Bool

    package var isOfLog: Bool { if case .log = place { true } else { false } }
  }

  package private(set) var findings: [Finding] = []
  /// What is wrong with the end of the write-ahead log if a save there is not whole, which is normal after a crash;
  /// `nil` otherwise.
  package private(set) var unfinishedLog: String?

  /// Checks a store.
  ///
  /// - Parameter readsPages: Whether to read every page: SQLite writes over a page that the list of free pages
  ///   names although a table uses it, and copies a row from the wrong place when it rebuilds the file.
  /// - Throws: ``/StoreFormat/StoreError`` other than damage.
  package init(of snapshot: StoreSnapshot, readsPages: Bool = false) throws {
    var log = FindingLog<StoreFindingKind>(limit: 10)
    let condition = try snapshot.logCondition()
    log.add(condition)
    let damage = try snapshot.damage {
      if let problem = try snapshot.pageCountProblem() {
        log.add(.damagedPages, at: .store, problem)
      }
      for counter in try snapshot.tornHistoryCounters() {
        log.addTornCounter(of: counter.entity, issued: counter.issued, present: counter.present)
      }
      for problem in try snapshot.problemsAtHistoryEnds() {
        log.add(.orphanChange, at: .table("ACHANGE"), problem)
      }
      if snapshot.layout.history != nil { _ = try snapshot.newestTransaction() }
      guard readsPages else { return }
      for problem in try snapshot.structureProblems() {
        log.add(.damagedPages, at: .store, problem)
      }
      // A text that its index does not list would be added a second time.
      let texts = "ATRANSACTIONSTRING"
      guard snapshot.layout.tableNames.contains(texts) else { return }
      for problem in try snapshot.pageProblems(inTable: texts) {
        log.add(.damagedPages, at: .table(texts), problem)
      }
    }
    if let damage {
      snapshot.layout.tableNames.contains(damage.place)
        ? log.add(.damagedPages, at: .table(damage.place), damage.detail)
        : log.add(.damagedPages, at: .store, "\(damage.place): \(damage.detail)")
    }
    unfinishedLog = log.findings(of: .unfinishedLog).first.map {
      "its -wal ends in the middle of a save, which is ignored: \($0.place): \($0.detail)"
    }
    for kind in log.kinds where kind.entry.stopsWriting {
      findings += log.findings(of: kind).map {
        Finding(
          kind: kind, place: $0.place, detail: $0.detail,
          isTornEndOfLog: kind == .damagedLog && condition.isTornAtEnd)
      }
    }
  }

  /// Throws an error if a store shows damage.
  ///
  /// - Parameters:
  ///   - ignoredGuards: The names of guards to ignore; see ``RetentionGuard/damageName``.
  ///   - readsPages: Whether to read every page.
  /// - Throws: ``HistoryError/damaged(path:details:)``, ``/StoreFormat/StoreError``.
  package static func check(
    _ snapshot: StoreSnapshot, ignoredGuards: Set<String> = [], readsPages: Bool = false
  ) throws {
    try snapshot.layout.history?.checkRowsAreOnlyStored(path: snapshot.location.path)
    guard !ignoredGuards.contains(RetentionGuard.damageName) else { return }
    let findings = try EvidentDamage(of: snapshot, readsPages: readsPages).findings
      .filter { !$0.isTornEndOfLog }
    guard findings.isEmpty else {
      throw HistoryError.damaged(
        path: snapshot.location.path, details: findings.map { "\($0.place): \($0.detail)" })
    }
  }
}
