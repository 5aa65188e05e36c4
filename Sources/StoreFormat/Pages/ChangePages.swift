import GRDB

/// The pages of `ACHANGE` and of its index by transaction, in a layout whose values are in the file
/// as SQLite would return them.
///
/// That excludes columns with a default or an expression, and integers that a column shows as
/// reals.
final class ChangePages {
  /// What a column of `ACHANGE` holds.
  enum Role: UInt8 {
    case kind, entity, primaryKey, transaction, own, number, mask
    /// A value of a tombstone.
    case tombstone
    /// A column that holds null in every store that a framework wrote.
    case unexpected

    /// Whether every row holds an integer there; the number is not in the record.
    var isInteger: Bool { rawValue <= Role.own.rawValue }
  }

  let source: PageSource
  let table: TreeCursor.Tree
  /// The index whose entries are the transaction and the row; `nil` if there is none.
  let index: TreeCursor.Tree?
  /// The columns in the order of their fields.
  let roles: [Role]
  /// The roles of the columns that hold an integer in every row, a bit each.
  let integerRoles: UInt8
  /// For each column that holds a tombstone, its slot; 0 for the others.
  let tombstoneSlots: [Int]
  /// Whether the values of tombstones are in the file as SQLite would return them.
  let readsTombstones: Bool

  /// Looks at the schema; `nil` if only SQLite can read the rows.
  ///
  /// - Parameter cancellation: Asked at each page.
  init?(
    _ changes: TableDeclaration, _ database: Database, mark: LogMark?, _ knownFrames: LogFrames?,
    cancellation: Cancellation?, path: String
  ) throws {
    let columns = changes.columns
    guard let roles = Self.roles(of: columns), let root = changes.rootPage,
      let source = PageSource(database, mark: mark, knownFrames)
    else { return nil }
    source.cancellation = cancellation
    self.source = source
    table = TreeCursor.Tree(root: root, isTable: true, name: "ACHANGE", path: path)
    index = changes.rootPage(ofIndexBy: "ZTRANSACTIONID").map {
      TreeCursor.Tree(root: $0, isTable: false, name: "ACHANGE", path: path)
    }
    self.roles = roles
    integerRoles = roles.reduce(0) { $1.isInteger ? $0 | 1 << $1.rawValue : $0 }
    tombstoneSlots = columns.map { TombstoneColumn.number(of: $0.name) ?? 0 }
    // Other affinities show whole numbers as reals, and other encodings texts as other bytes.
    let encoding = try String.fetchOne(database, sql: "PRAGMA encoding")
    readsTombstones =
      encoding == "UTF-8"
      && zip(columns, roles).allSatisfy {
        $1 != .tombstone || ["BLOB", ""].contains($0.type.uppercased())
      }
  }

  private static func roles(of columns: [TableDeclaration.Column]) -> [Role]? {
    let known: [String: Role] = [
      "Z_PK": .number, "ZCHANGETYPE": .kind, "ZENTITY": .entity, "ZENTITYPK": .primaryKey,
      "ZTRANSACTIONID": .transaction, "ZCOLUMNS": .mask, "Z_ENT": .own,
    ]
    var roles: [Role] = []
    for column in columns {
      let isTombstone = TombstoneColumn.number(of: column.name) != nil
      let role = known[column.name] ?? (isTombstone ? .tombstone : .unexpected)
      switch role {
      // A layout in which the number is not that of the row is refused.
      case .number, .mask, .tombstone, .unexpected: break
      // The affinity by which a whole number is stored, and shown, as an integer.
      default: guard column.type.uppercased().contains("INT") else { return nil }
      }
      guard column.isStored else { return nil }
      roles.append(role)
    }
    return roles.isEmpty ? nil : roles
  }

  // MARK: - Tombstones

  /// Lends the values that the deleted object of a record left, in the order of the columns, without nulls.
  ///
  /// - Parameter body: Takes a slot and its value, and returns whether to go on.
  /// - Returns: Whether all values were lent and wanted; if not, SQLite must be asked for them.
  func forEachTombstoneValue(of record: TreeRecord, _ body: (Int, LentValue) -> Bool) -> Bool {
    guard readsTombstones, var fields = RecordFields(record) else { return false }
    var index = 0
    while let field = fields.next() {
      if roles[index] == .tombstone, !field.isNull {
        guard let value = field.value, body(tombstoneSlots[index], value) else { return false }
      }
      index += 1
    }
    return true
  }

  // MARK: - The index

  /// Collects the rows of a range of transactions from the index; returns `false` where there is no
  /// index, or the rows are not in the order of the transactions.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  func collect(_ span: inout ChangeRowSpan, ofTransactions range: ClosedRange<Int64>) throws -> Bool
  {
    guard index != nil else { return false }
    var last = Int64.min
    var isInOrder = true
    try forEachEntry(from: range.lowerBound) { transaction, row in
      guard let transaction, transaction >= last else {
        isInOrder = false
        return false
      }
      guard transaction <= range.upperBound else { return false }
      last = transaction
      isInOrder = span.add(row, of: transaction)
      return isInOrder
    }
    return isInOrder
  }

  /// Passes on the transaction and the row of each entry of the index, from those of a transaction on.
  ///
  /// - Parameter body: Returns whether to go on. The transaction is `nil` for a row without one.
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  @inline(__always)
  func forEachEntry(from lowest: Int64, _ body: (Int64?, Int64) throws -> Bool) throws {
    guard let index else { return }
    var cursor = try TreeCursor(source, index) { record in
      // An entry without a transaction is before all others.
      try entry(record).transaction.map { $0 < lowest } ?? true
    }
    while let record = try cursor.next() {
      let (transaction, row) = try entry(record)
      guard try body(transaction, row) else { return }
    }
  }

  /// Returns the transaction and the row of an entry; `nil` for a row without a transaction.
  @inline(__always)
  private func entry(_ record: TreeRecord) throws -> (transaction: Int64?, row: Int64) {
    guard var fields = RecordFields(record), let first = fields.next(),
      first.isNull || first.integer != nil, let row = fields.next()?.integer, fields.isAtEnd
    else {
      throw StoreError.damaged(
        path: table.path, place: table.name, detail: "its index has an entry of another form")
    }
    return (first.integer, row)
  }
}
