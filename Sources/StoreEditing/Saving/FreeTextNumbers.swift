import StoreFormat

/// Numbers of `ATRANSACTIONSTRING` that were handed out and are no text's any more.
///
/// A text that a store has lost must get one of these. The app hands out the number behind the highest
/// one next, and would not be able to save if it were taken. The low ones come first, because an app
/// that is running may have set the high ones aside.
struct FreeTextNumbers {
  let statement: StatementRunner
  let tables: HistoryTables

  /// The lowest of them.
  ///
  /// - Parameters:
  ///   - count: At most so many.
  ///   - reserved: Numbers that are not free in any case.
  func first(_ count: Int, except reserved: Set<Int64>) throws -> [Int64] {
    let highest =
      try statement.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1",
        [.integer(EntityNumbering.HistoryEntity.string.rawValue)]) ?? 0
    var numbers: [Int64] = []
    var candidate: Int64 = 1
    while numbers.count < count, candidate <= highest {
      let isFree = try !reserved.contains(candidate) && !isPresent(candidate) && !isNamed(candidate)
      if isFree { numbers.append(candidate) }
      candidate += 1
    }
    return numbers
  }

  private func isPresent(_ number: Int64) throws -> Bool {
    try statement.integer("SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = ?1", [.integer(number)])
      != nil
  }

  /// Whether a transaction names the number, although it leads to no text.
  private func isNamed(_ number: Int64) throws -> Bool {
    for role in StringRole.allCases
    where tables.transactionColumns.contains(role.identifierColumn) {
      let found = try statement.integer(
        "SELECT 1 FROM ATRANSACTION WHERE \(role.identifierColumn) = ?1 LIMIT 1",
        [.integer(number)])
      if found != nil { return true }
    }
    return false
  }
}
