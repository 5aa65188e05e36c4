#if os(Linux)
import StoreFormat
import TestSupport

/// What a store holds, as a plain connection reads it.
struct StoreRows: Sendable {
  let integrity: [String]
  let tables: [String: [[StoredValue]]]

  init(_ place: FaultLoop.Folder, _ name: String) throws {
    let query = try StoreQuery(path: place.folder.file(name))
    integrity = try query.lines("PRAGMA integrity_check")
    tables = try query.contents()
  }

  var transactions: [[StoredValue]] { tables["ATRANSACTION"] ?? [] }
  var changes: [[StoredValue]] { tables["ACHANGE"] ?? [] }
  /// The numbers of the transactions.
  var numbers: [Int64] { transactions.map { Self.integer($0, 0) } }

  private static func integer(_ row: [StoredValue], _ column: Int) -> Int64 {
    if column < row.count, case .integer(let number) = row[column] { number } else { -1 }
  }

  /// The number of a change's transaction.
  private static func owner(_ change: [StoredValue]) -> Int64 { integer(change, 6) }

  /// What is wrong with this as the store from whose history the beginning has been deleted.
  func problems(asPartOf original: StoreRows) -> [String] {
    var problems = problems(apartFromHistoryOf: original)
    if transactions.isEmpty || transactions != original.transactions.suffix(transactions.count) {
      problems.append("the transactions are \(numbers)")
    }
    let oldest = numbers.first ?? .max
    // Only of the oldest, when everything before it is gone, a part of the changes can be gone.
    if changes.filter({ Self.owner($0) > oldest })
      != original.changes.filter({ Self.owner($0) > oldest })
    {
      problems.append("the changes behind \(oldest) are others")
    }
    if changes.contains(where: { Self.owner($0) < oldest }) {
      problems.append("there are changes before \(oldest)")
    }
    let ofOldest = Set(original.changes.filter { Self.owner($0) == oldest })
    if !ofOldest.isSuperset(of: changes.filter { Self.owner($0) == oldest }) {
      problems.append("the changes of \(oldest) are others")
    }
    return problems
  }

  /// What is wrong with this as the store to whose history older transactions are coming back.
  func problems(asRestoredTo original: StoreRows) -> [String] {
    var problems = problems(apartFromHistoryOf: original)
    if transactions.isEmpty || transactions != original.transactions.suffix(transactions.count) {
      problems.append("the transactions are \(numbers)")
    }
    let oldest = numbers.first ?? .max
    if changes.filter({ Self.owner($0) >= oldest })
      != original.changes.filter({ Self.owner($0) >= oldest })
    {
      problems.append("the changes from \(oldest) on are others")
    }
    // Only of the one that comes next, whose row comes last, a part can be there.
    let ofNext = Set(original.changes.filter { Self.owner($0) == oldest - 1 })
    if !ofNext.isSuperset(of: changes.filter { Self.owner($0) < oldest }) {
      problems.append("there are other changes before \(oldest)")
    }
    return problems
  }

  /// What is wrong with this as a store of which only history may have changed.
  private func problems(apartFromHistoryOf original: StoreRows) -> [String] {
    var problems = integrity == ["ok"] ? [] : integrity
    if Set(tables.keys) != Set(original.tables.keys) { problems.append("other tables") }
    for (name, rows) in original.tables where name != "ACHANGE" && name != "ATRANSACTION" {
      if tables[name] != rows { problems.append("\(name) has other rows") }
    }
    return problems
  }
}
#endif
