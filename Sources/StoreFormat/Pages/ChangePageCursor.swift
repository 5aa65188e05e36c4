/// Goes through the rows of `ACHANGE` as they lie in the file, without SQLite between.
///
/// What it cannot make out of a row by itself it leaves to SQLite: ``isRegular``.
final class ChangePageCursor {
  private let pages: ChangePages
  private let cursor: TreeCursor
  @exclusivity(unchecked) private var shapes: ChangeRecordShapes
  @exclusivity(unchecked) private var record: TreeRecord?
  private let last: Int64
  @exclusivity(unchecked) private var order: RowOrder

  /// The change number.
  @exclusivity(unchecked) private(set) var number: Int64
  /// Whether all that follows here is known; otherwise SQLite has to be asked for the row.
  @exclusivity(unchecked) private(set) var isRegular = false
  @exclusivity(unchecked) private(set) var kind: Int64 = 0
  @exclusivity(unchecked) private(set) var entityNumber: Int64 = 0
  @exclusivity(unchecked) private(set) var primaryKey: Int64 = 0
  @exclusivity(unchecked) private(set) var transaction: Int64 = 0
  @exclusivity(unchecked) private(set) var mask: ColumnMask?
  /// Whether the deleted object left anything behind.
  @exclusivity(unchecked) private(set) var hasTombstone = false
  /// Whether a column holds something in which the frameworks write nothing.
  @exclusivity(unchecked) private(set) var hasUnexpected = false

  /// - Parameter rows: The row numbers, which are the change numbers.
  init(_ pages: ChangePages, rows: ClosedRange<Int64>) throws {
    self.pages = pages
    shapes = ChangeRecordShapes(pages)
    number = rows.lowerBound
    order = RowOrder(path: pages.path, table: "ACHANGE")
    last = rows.upperBound
    cursor = try TreeCursor(pages.file, root: pages.table, isTable: true) {
      $0.rowNumber < rows.lowerBound
    }
  }

  /// Goes to the next row; `false` after the last one.
  ///
  /// - Throws: ``RowsOutOfOrder`` where the pages are not as they should be.
  @inline(__always)
  func next() throws -> Bool {
    guard let record = try cursor.next(), record.rowNumber <= last else { return false }
    try order.take(record.rowNumber)
    number = record.rowNumber
    self.record = record
    guard let shape = try shapes.shape(of: record) else {
      isRegular = false
      return true
    }
    let start = record.start
    isRegular =
      shape.own.map { $0.value(in: start) == EntityNumbering.HistoryEntity.change.rawValue }
      ?? true
    kind = shape.kind.value(in: start)
    entityNumber = shape.entityNumber.value(in: start)
    primaryKey = shape.primaryKey.value(in: start)
    transaction = shape.transaction.value(in: start)
    mask = shape.mask(in: start)
    hasTombstone = shape.hasTombstone
    hasUnexpected = shape.hasUnexpected
    return true
  }

  /// Whether ``forEachTombstoneValue(_:)`` gives all of what the deleted object left behind;
  /// otherwise SQLite has to be asked.
  func lendsTombstone() -> Bool {
    forEachTombstoneValue { _, _ in true }
  }

  /// Lends what the deleted object left behind, slot by slot in the order of the columns, without
  /// nulls.
  ///
  /// - Parameter body: Takes a slot and its value, and answers whether it wants to have the next.
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
