import StoreFormat

/// Finds the recorded values of the changes of one transaction after the other, which are asked for in
/// recorded order.
final class TransactionValues {
  /// How many rows are read at a time.
  private static let pageSize = 256
  /// More values than any object has; a hostile file may hold more.
  private static let mostValues = 4096
  /// More bytes than the values of one object take.
  private static let mostBytes = 64 << 20

  private let file: RecordedValuesFile
  private var position: TransactionPosition?
  /// Rows from some change on, and whether there are none behind them.
  private var rows: ArraySlice<RecordedValueRow> = []
  private var isComplete = false
  /// The change that was asked for last.
  private var last: (change: Int64, values: [RecordedValue])?

  init(_ values: RecordedValues) { file = values.file }

  /// Turns to a transaction.
  func start(_ position: TransactionPosition) {
    self.position = position
    rows = []
    isComplete = false
    last = nil
  }

  /// The values of a change, by name; empty where none were recorded.
  func values(ofChange number: Int64, primaryKey: Int64?) throws -> [RecordedValue] {
    guard let position else { return [] }
    if let last, last.change == number { return last.values }
    if let last, last.change > number { start(position) }
    while let first = rows.first, first.change < number { rows.removeFirst() }
    if rows.isEmpty, !isComplete {
      try read(after: RecordedValueRow.Place(before: number, of: position.number), of: position)
    }
    var values: [RecordedValue] = []
    var byteCount = 0
    while let row = rows.first, row.change == number {
      rows.removeFirst()
      // Of another object it would be the change of another copy of the store.
      if row.primaryKey == primaryKey { values.append(row.value) }
      byteCount += row.value.byteCount
      guard values.count <= Self.mostValues, byteCount <= Self.mostBytes else {
        throw StoreError.unusableValues(
          path: file.location.path, reason: "change \(number) has more values than an object can")
      }
      if rows.isEmpty, !isComplete { try read(after: row.place, of: position) }
    }
    last = (number, values)
    return values
  }

  private func read(
    after place: RecordedValueRow.Place, of position: TransactionPosition
  ) throws {
    let page = try file.rows(of: position, after: place, limit: Self.pageSize)
    rows = page[...]
    isComplete = page.isEmpty
  }
}
