import HistoryArchive
import PersistentHistory
import StoreFormat

/// Seals what is about to be deleted, and lets nothing go that is not sealed and verified.
struct PruneArchiving {
  let run: ArchiveRun

  /// The request with what will be sealed when it is carried out; nothing is sealed yet.
  ///
  /// - Parameter wanted: The plan of the request without the archive.
  func request(for wanted: PrunePlan) throws -> PruneRequest {
    var request = wanted.request
    guard let cut = wanted.cut, !wanted.deletion.isEmpty else { return request }
    let plan = try run.plan(wanted.path) { _ in Self.reach(of: cut) }
    request.sealed = SealedHistory(
      archivePath: run.archivePath, last: plan.last ?? plan.sealed, isPlanned: plan.last != nil)
    return request
  }

  /// Seals what a plan deletes, reads all of it anew, and sees that nothing is missing.
  ///
  /// - Throws: `HistoryError.refusedByGuards` where the archive does not have everything.
  func seal(for plan: PrunePlan) throws -> SealedSegments? {
    guard let cut = plan.cut, !plan.deletion.isEmpty else { return nil }
    let sealed = try run.seal(plan.path) { _ in Self.reach(of: cut) }
    guard !plan.request.ignoredGuards.contains(RetentionGuard.archiveName) else { return sealed }
    let reach = try run.verifiedReach(plan.path)
    guard reach.covers(cut, newest: plan.history.newest?.number ?? .max) else {
      let end = reach.last.map { "up to transaction \($0.number)" } ?? "nothing of the store"
      throw HistoryError.refusedByGuards(
        path: plan.path, reasons: ["\(run.archivePath) has \(end), and more was to be deleted"])
    }
    return sealed
  }

  /// Returns what the rows must be that a plan deletes, as the archive has them; `nil` where nothing
  /// goes, or its guard is ignored.
  func sealedRows(for plan: PrunePlan) throws -> [[RowDigest]]? {
    guard plan.cut != nil, !plan.deletion.isEmpty, let store = plan.storeIdentifier,
      !plan.request.ignoredGuards.contains(RetentionGuard.archiveName)
    else { return nil }
    return try Archive(path: run.archivePath).rowDigests(of: plan.deletion, ofStore: store)
  }

  /// The first transaction that stays is sealed as well: it ties the archive to the store.
  private static func reach(of cut: HistoryCut) -> HistoryCut {
    guard let first = cut.firstKept, first < .max else { return .end }
    return HistoryCut(before: first + 1)
  }
}
