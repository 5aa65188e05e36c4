import PersistentHistory
import StoreFormat

extension DefaultStore {
  /// So often is looked again where others delete history as well.
  private static let mostAttempts = 10

  /// Deletes all transactions before one from the history, in batches that keep nobody waiting for
  /// long.
  ///
  /// - Parameters:
  ///   - number: The first transaction that stays.
  ///   - mayGoOn: Is asked before every batch, while nobody else can save; what it throws stops the
  ///     work.
  ///   - progress: Is told how many transactions have been deleted since it was last told.
  /// - Returns: How many transactions were deleted.
  /// - Throws: ``SwiftDataError``, or what `mayGoOn` throws; what is left is a whole history, and the same
  ///   again goes on with it.
  @discardableResult
  func eraseHistory(
    before number: Int64, mayGoOn: () throws -> Void = {}, progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    let editor = try writable()
    return try translating {
      // A migration is one transaction, of which this is a part.
      guard !isMigrating else {
        return try editor.deleteHistory(before: number).transactionCount
      }
      guard number > .min else { return 0 }
      let eraser = try HistoryEraser(location: location, busyTimeout: Self.busyTimeout)
      var (count, attempts) = (0, 0)
      while true {
        let deletion = try file.read { try $0.deletion(ofTransactionsThrough: number - 1) }
        guard !deletion.isEmpty else {
          // Until their transactions are gone, values are the values of something.
          editor.eraseValues(before: number)
          return count
        }
        var told = 0
        let erasure = eraser.erase(deletion, mayGoOn: mayGoOn) {
          progress($0.transactionCount - told)
          told = $0.transactionCount
        }
        count += erasure.deleted.transactionCount
        attempts += 1
        switch erasure.problem {
        case nil: continue
        // Somebody else has deleted some of it meanwhile.
        case StoreWriteError.historyChanged? where attempts < Self.mostAttempts: continue
        case let problem?: throw problem
        }
      }
    }
  }
}
