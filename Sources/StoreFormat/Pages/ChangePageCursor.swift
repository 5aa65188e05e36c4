/// Steps through the rows of `ACHANGE` in the pages of the file.
final class ChangePageCursor {
  private let pages: ChangePages
  private let cursor: TreeCursor
  @exclusivity(unchecked) private var record: TreeRecord?
  private let last: Int64
  @exclusivity(unchecked) private var isAtLast = false
  @exclusivity(unchecked) private var order: RowOrder

  /// The change number.
  @exclusivity(unchecked) private(set) var number: Int64
  /// Whether the properties below describe the row; otherwise SQLite must be asked for it.
  @exclusivity(unchecked) private(set) var isRegular = false
  @exclusivity(unchecked) private(set) var kind: Int64 = 0
  @exclusivity(unchecked) private(set) var entityNumber: Int64 = 0
  @exclusivity(unchecked) private(set) var primaryKey: Int64 = 0
  @exclusivity(unchecked) private(set) var transaction: Int64 = 0
  @exclusivity(unchecked) private(set) var mask: ColumnMask?
  /// Whether the deleted object left values.
  @exclusivity(unchecked) private(set) var hasTombstone = false
  /// Whether a column holds a value that the frameworks leave null.
  @exclusivity(unchecked) private(set) var hasUnexpected = false

  /// - Parameter rows: The row numbers, which are the change numbers.
  init(_ pages: ChangePages, rows: ClosedRange<Int64>) throws {
    self.pages = pages
    number = rows.lowerBound
    order = RowOrder(path: pages.table.path, table: pages.table.name)
    last = rows.upperBound
    cursor = try TreeCursor(pages.source, pages.table) { $0.rowNumber < rows.lowerBound }
  }

  /// Goes to the next row; returns `false` after the last one.
  @inline(__always)
  func next() throws -> Bool {
    // The page after the last row need not be readable.
    guard !isAtLast, let record = try cursor.next(), record.rowNumber <= last else {
      return false
    }
    try order.take(record.rowNumber)
    number = record.rowNumber
    isAtLast = number == last
    self.record = record
    isRegular = read(record)
    return true
  }

  /// Reads the values; returns `false` if the frameworks do not write such a record.
  @inline(__always)
  private func read(_ record: TreeRecord) -> Bool {
    guard var fields = RecordFields(record) else { return false }
    mask = nil
    hasTombstone = false
    hasUnexpected = false
    var found: UInt8 = 0
    let count = pages.roles.count
    return pages.roles.withUnsafeBufferPointer { roles in
      var index = 0
      while let field = fields.next() {
        guard index < count else { return false }
        let role = roles[index]
        index &+= 1
        switch role {
        // SQLite keeps the number before the record, and ignores the field.
        case .number: continue
        case .tombstone: if !field.isNull { hasTombstone = true }
        case .unexpected: if !field.isNull { hasUnexpected = true }
        case .mask:
          guard !field.isNull else { continue }
          guard let bytes = field.blob else { return false }
          mask = ColumnMask(bytes: bytes)
        case .kind, .entity, .primaryKey, .transaction, .own:
          guard let value = field.integer else { return false }
          found |= 1 << role.rawValue
          switch role {
          case .kind: kind = value
          case .entity: entityNumber = value
          case .primaryKey: primaryKey = value
          case .transaction: transaction = value
          default:
            guard value == EntityNumbering.HistoryEntity.change.rawValue else { return false }
          }
        }
      }
      return fields.isAtEnd && found == pages.integerRoles
    }
  }

  /// Whether ``forEachTombstoneValue(_:)`` lends all values that the deleted object left; otherwise
  /// SQLite must be asked.
  func lendsTombstone() -> Bool {
    forEachTombstoneValue { _, _ in true }
  }

  /// Lends the values that the deleted object left, in the order of the columns, without nulls.
  ///
  /// - Parameter body: Takes a slot and its value, and returns whether to go on.
  /// - Returns: Whether all values were lent and wanted.
  @inline(__always)
  func forEachTombstoneValue(_ body: (Int, LentValue) -> Bool) -> Bool {
    guard pages.readsTombstones, !hasUnexpected, let record, var fields = RecordFields(record)
    else { return false }
    var index = 0
    while let field = fields.next() {
      if pages.roles[index] == .tombstone, !field.isNull {
        guard let value = field.value, body(pages.tombstoneSlots[index], value) else {
          return false
        }
      }
      index += 1
    }
    return true
  }
}
