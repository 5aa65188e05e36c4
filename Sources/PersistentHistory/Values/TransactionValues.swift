import StoreFormat

/// Finds the recorded values of changes, which are asked for transaction by transaction and in recorded
/// order.
final class TransactionValues {
  /// The number of rows that are read at a time.
  private static let pageSize = 256
  /// The maximum number of values of one change; a hostile file may have more.
  static let maxValues = 4096
  /// The maximum size of the values of one change in bytes.
  private static let maxBytes = 64 << 20

  private let file: RecordedValuesFile
  private var position: TransactionPosition?
  /// Rows that were read ahead.
  private var rows: ArraySlice<RecordedValueRow> = []
  /// Whether no rows follow them.
  private var isComplete = false
  /// The last change and its values.
  private var last: (change: Int64, values: [RecordedValue], source: ValueSource)?

  init(_ file: RecordedValuesFile) { self.file = file }

  func start(_ position: TransactionPosition) {
    self.position = position
    rows = []
    isComplete = false
    last = nil
  }

  /// Returns the values of a change; none if none were recorded.
  func values(
    ofChange number: Int64, primaryKey: Int64?
  ) throws -> (values: [RecordedValue], source: ValueSource) {
    guard let position else { return ([], .program) }
    if let last, last.change == number { return (last.values, last.source) }
    if let last, last.change > number { start(position) }
    while let first = rows.first, first.change < number { rows.removeFirst() }
    if rows.isEmpty, !isComplete {
      try read(after: RecordedValueRow.Place(before: number, of: position.number), of: position)
    }
    var values: [RecordedValue] = []
    var source = ValueSource.program
    var byteCount = 0
    while let row = rows.first, row.change == number {
      rows.removeFirst()
      // A row of another object belongs to another copy of the store.
      if row.primaryKey == primaryKey {
        values.append(row.value)
        source = row.source
      }
      byteCount += row.value.byteCount
      guard values.count <= Self.maxValues, byteCount <= Self.maxBytes else {
        throw StoreError.unusableValues(
          path: file.location.path,
          reason: "change \(number) has more values than an object can have")
      }
      if rows.isEmpty, !isComplete { try read(after: row.place, of: position) }
    }
    last = (number, values, source)
    return (values, source)
  }

  private func read(
    after place: RecordedValueRow.Place, of position: TransactionPosition
  ) throws {
    let page = try file.rows(of: position, after: place, limit: Self.pageSize)
    rows = page[...]
    isComplete = page.isEmpty
  }
}
