/// What a ``ChangeCursor`` keeps of the row that it is at.
struct ChangeRow {
  var number: Int64 = 0
  var transaction: Int64?
  var kind: ChangeKind?
  var entityNumber: Int64?
  var primaryKey: Int64?
  var mask: ColumnMask?
  var isPlain = true
  var byteCount: Int64 = 0
  /// The record in a page, if it describes the whole row; `nil` if the row is read by SQLite.
  var record: TreeRecord?
  /// Whether the record has values that only deleted objects leave.
  var recordHasTombstone = false
  /// Whether the record has a value where the frameworks leave null.
  var recordHasUnexpected = false
  /// Whether the tombstone is still in the page.
  var lendsTombstone = false
  /// The values of the columns that are mostly null.
  var tombstone: [StoredValue] = []
  var unexpected: [ExtraColumn] = []

  /// Forgets what few rows have.
  @inline(__always)
  mutating func clearRest() {
    guard !isPlain else { return }
    tombstone = []
    unexpected = []
    lendsTombstone = false
  }
}
