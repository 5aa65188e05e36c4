import StoreFormat

/// How much of a history was deleted.
public struct DeletedHistory: Hashable, Sendable {
  /// How many transactions.
  public let transactionCount: Int
  /// How many changes.
  public let changeCount: Int

  /// So many.
  package init(transactionCount: Int, changeCount: Int) {
    self.transactionCount = transactionCount
    self.changeCount = changeCount
  }
}

/// Deletes rows of the history tables, and nothing else.
struct HistoryDeleter {
  let statement: StatementRunner

  /// Deletes all transactions before one, with their changes.
  ///
  /// As when an app purges its history, the transaction itself stays, so that a token which names it
  /// goes on working. Texts that no transaction uses any more stay too, and so do the highest numbers
  /// that were handed out: a number that is gone is never used again. A number behind the newest
  /// transaction leaves nothing, and then no token works.
  func delete(before number: Int64) throws -> DeletedHistory {
    // First the changes: none is ever without its transaction, whoever looks on.
    let changes = try statement.run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?", [.integer(number)])
    let transactions = try statement.run(
      "DELETE FROM ATRANSACTION WHERE Z_PK < ?", [.integer(number)])
    return DeletedHistory(transactionCount: transactions, changeCount: changes)
  }
}
