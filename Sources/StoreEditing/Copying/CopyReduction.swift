import GRDB
import StoreFormat

/// Deletes parts of the history of a copy that nobody else knows yet.
///
/// As when an app purges its history, texts and the highest numbers stay. Nothing here has to be
/// quick to let go of the lock.
struct CopyReduction {
  let database: Database

  /// How many transactions are deleted between two looks at whether to go on.
  private static let run = 1000

  /// Deletes all transactions before a number, and single ones, each with its changes.
  func delete(
    before cut: Int64?, _ numbers: Set<Int64>, progress: () throws -> Void
  ) throws -> DeletedHistory {
    // What is not whole is thrown away.
    try database.execute(sql: "PRAGMA synchronous = OFF")
    var (transactions, changes) = (0, 0)
    func delete(_ condition: String, _ number: Int64) throws {
      let statement = StatementRunner(database)
      try database.inTransaction(.immediate) {
        changes += try statement.run(
          "DELETE FROM ACHANGE WHERE ZTRANSACTIONID \(condition) ?1", [.integer(number)])
        transactions += try statement.run(
          "DELETE FROM ATRANSACTION WHERE Z_PK \(condition) ?1", [.integer(number)])
        return .commit
      }
      try progress()
    }
    if let cut {
      while let next = try number(after: Self.run, before: cut) { try delete("<", next) }
      try delete("<", cut)
    }
    for number in numbers.sorted() { try delete("=", number) }
    // Changes too must be on the disk before the copy takes its place.
    try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)")
    return DeletedHistory(transactionCount: transactions, changeCount: changes)
  }

  /// The number that so many transactions stand before, if it is before a cut.
  private func number(after count: Int, before cut: Int64) throws -> Int64? {
    try StatementRunner(database).integer(
      "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK < ?1 ORDER BY Z_PK LIMIT 1 OFFSET \(count)",
      [.integer(cut)])
  }
}
