import StoreFormat

/// The damage of a store that shows without reading all of its history.
///
/// Every command that changes a store or seals its history looks for it first; ``StoreVerification``
/// finds it too, and whatever else only a full read shows. It is what the write-ahead log, the page
/// count, the counters and both ends of the history say.
package struct EvidentDamage: Hashable, Sendable {
  /// One piece of damage.
  package struct Finding: Hashable, Sendable {
    /// What kind, one of those whose severity is damage.
    package let kind: StoreFindingKind
    /// Where it is.
    package let place: FindingPlace
    /// What was found there.
    package let detail: String

    /// Whether it is about the write-ahead log.
    package var isOfLog: Bool { if case .log = place { true } else { false } }
    /// Whether it is that the last save in the log is torn, as a loss of power leaves it. It keeps
    /// nothing from being written: what was saved before is whole.
    package let isTornEndOfLog: Bool
  }

  /// What was found; empty in a sound store.
  package private(set) var findings: [Finding] = []

  /// Looks for damage.
  ///
  /// - Throws: ``/StoreFormat/StoreError`` other than damage.
  package init(of snapshot: StoreSnapshot) throws {
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
    }
    if let damage { log.add(.damagedPages, at: .table(damage.place), damage.detail) }
    for kind in log.kinds where kind.severity == .damage {
      findings += log.findings(of: kind).map {
        Finding(
          kind: kind, place: $0.place, detail: $0.detail,
          isTornEndOfLog: kind == .damagedLog && condition.isTornAtEnd)
      }
    }
  }

  /// Checks that a store shows no damage.
  ///
  /// - Parameters:
  ///   - snapshot: The store as it is now.
  ///   - ignoredGuards: The names of guards that are not asked; see ``RetentionGuard/damageName``.
  /// - Throws: ``HistoryError/damaged(path:details:)``, ``/StoreFormat/StoreError``.
  package static func check(
    _ snapshot: StoreSnapshot, ignoredGuards: Set<String> = []
  ) throws {
    guard !ignoredGuards.contains(RetentionGuard.damageName) else { return }
    let findings = try EvidentDamage(of: snapshot).findings.filter { !$0.isTornEndOfLog }
    guard findings.isEmpty else {
      throw HistoryError.damaged(
        path: snapshot.location.path, details: findings.map { "\($0.place): \($0.detail)" })
    }
  }
}
