import PersistentHistory
import StoreEditing
import StoreFormat

extension DefaultStore {
  /// The most attempts where others delete history at the same time.
  private static let mostAttempts = 10

  /// Deletes all transactions before one from the history, as far as the guards of pruning allow it: what
  /// a bookmark or CloudKit's mirror still needs stays.
  ///
  /// - Parameters:
  ///   - number: The first transaction that stays.
  ///   - keepsRefused: Whether nothing is deleted, without an error, where a guard allows nothing.
  /// - Returns: How many transactions were deleted.
  /// - Throws: ``SwiftDataError``, also where a guard allows nothing to be deleted. What is left is a
  ///   whole history, and the same call goes on with it.
  @discardableResult
  func eraseHistory(before number: Int64, keepsRefused: Bool = false) throws -> Int {
    let editor = try writable()
    return try translatingHistory {
      let newest = try file.read { try $0.newestTransaction()?.number } ?? .min
      let request = PruneRequest(
        .transactions([number > newest ? .all : .beforeTransaction(number)]))
      let pruner = try HistoryPruner(file)
      var (count, attempts) = (0, 0)
      while true {
        let plan =
          isMigrating
          ? try file.read { try PrunePlanner(snapshot: $0, request: request).plan() }
          : try pruner.plan(request)
        guard plan.refusals.isEmpty else {
          if keepsRefused { return count }
          throw HistoryError.refusedByGuards(
            path: filePath, reasons: plan.refusals.map(\.reason))
        }
        guard !plan.isEmpty else { return count }
        if isMigrating {
          // A migration is one transaction, of which this is a part.
          return try editor.deleteHistory(before: plan.cut?.firstKept ?? number).transactionCount
        }
        let erasure = try pruner.prune(plan)
        count += erasure.deleted.transactionCount
        attempts += 1
        switch erasure.problem {
        case nil: return count
        // Somebody else has deleted some of it meanwhile, or set a bookmark.
        case StoreWriteError.historyChanged? where attempts < Self.mostAttempts: continue
        case let problem?: throw problem
        }
      }
    }
  }
}
