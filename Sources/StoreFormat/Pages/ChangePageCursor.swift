/// Steps through the rows of `ACHANGE` in the pages of the file.
struct ChangePageCursor {
  private let roles: [ChangePages.Role]
  private let integerRoles: UInt8
  private var cursor: TreeCursor
  private let last: Int64
  private var isAtLast = false
  private var order: RowOrder

  /// - Parameter rows: The row numbers, which are the change numbers.
  init(_ pages: ChangePages, rows: ClosedRange<Int64>) throws {
    roles = pages.roles
    integerRoles = pages.integerRoles
    order = RowOrder(path: pages.table.path, table: pages.table.name)
    last = rows.upperBound
    cursor = try TreeCursor(pages.source, pages.table) { $0.rowNumber < rows.lowerBound }
  }

  /// Goes to the next row; returns `false` after the last one.
  ///
  /// - Parameter row: Receives the number, and the record and the values of a row that the page
  ///   describes. SQLite must be asked for any other.
  @inline(__always)
  mutating func next(_ row: inout ChangeRow) throws -> Bool {
    // The page after the last row need not be readable.
    guard !isAtLast, let record = try cursor.next(), record.rowNumber <= last else {
      return false
    }
    try order.take(record.rowNumber)
    row.number = record.rowNumber
    isAtLast = record.rowNumber == last
    row.record = read(record, &row) ? record : nil
    return true
  }

  /// Reads the values; returns `false` if the frameworks do not write such a record.
  @inline(__always)
  private func read(_ record: TreeRecord, _ row: inout ChangeRow) -> Bool {
    guard var fields = RecordFields(record) else { return false }
    row.mask = nil
    row.recordHasTombstone = false
    row.recordHasUnexpected = false
    var found: UInt8 = 0
    var index = 0
    while true {
      index &+= fields.skipNulls()
      guard let field = fields.next() else { break }
      guard index < roles.count else { return false }
      let role = roles[index]
      index &+= 1
      guard !field.isNull else { continue }
      switch role {
      // SQLite keeps the number before the record, and ignores the field.
      case .number: continue
      case .tombstone: row.recordHasTombstone = true
      case .unexpected: row.recordHasUnexpected = true
      case .mask:
        guard let bytes = field.blob else { return false }
        row.mask = ColumnMask(bytes: bytes)
      case .kind, .entity, .primaryKey, .transaction, .own:
        guard let value = field.integer else { return false }
        found |= 1 << role.rawValue
        switch role {
        case .kind: row.kind = ChangeKind(rawValue: value)
        case .entity: row.entityNumber = value
        case .primaryKey: row.primaryKey = value
        case .transaction: row.transaction = value
        default:
          guard value == EntityNumbering.HistoryEntity.change.rawValue else { return false }
        }
      }
    }
    return fields.isAtEnd && index <= roles.count && found == integerRoles
  }
}
