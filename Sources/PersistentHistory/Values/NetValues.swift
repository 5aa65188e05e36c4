import StoreEditing
import StoreFormat

/// Finds the net effect of the recorded values of objects over a part of a history: each value before
/// the first update and after the last one.
///
/// Values are read object by object, so that memory does not grow with the history.
final class NetValues {
  private static let pageSize = 256
  /// The maximum number of transactions that are remembered.
  private static let maxKnown = 1 << 16

  private let file: RecordedValuesFile
  private let snapshot: StoreSnapshot
  private let query: HistoryQuery
  private let schema: HistorySchema
  /// Whether the store has a transaction of this number and time that the query selects.
  private var known: [TransactionPosition: Bool] = [:]

  init(
    _ values: RecordedValues, _ snapshot: StoreSnapshot, _ query: HistoryQuery,
    _ schema: HistorySchema
  ) {
    file = values.file
    self.snapshot = snapshot
    self.query = query
    self.schema = schema
  }

  /// Returns the net values of an object in some transactions, sorted by name.
  ///
  /// - Parameter before: The net values of the transactions before these.
  func values(
    of entity: HistoryEntity, _ primaryKey: Int64, in transactions: ClosedRange<Int64>,
    after before: [RecordedValue]
  ) throws -> [RecordedValue] {
    guard let name = entity.name else { return before }
    var values = before
    var place: RecordedValueRow.Place?
    while case let rows = try file.rows(
      ofEntity: name, primaryKey: primaryKey, transactions: transactions, after: place,
      limit: Self.pageSize), let last = rows.last
    {
      for row in rows where try isMeant(row, entity) {
        values.fold(row.value)
        guard values.count <= TransactionValues.maxValues else {
          throw StoreError.unusableValues(
            path: file.location.path,
            reason: "\(name)/p\(primaryKey) has more values than an object can have")
        }
      }
      place = last.place
    }
    return values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func isMeant(_ row: RecordedValueRow, _ entity: HistoryEntity) throws -> Bool {
    let position = TransactionPosition(number: row.transaction, timestamp: row.timestamp)
    if known[position] == nil {
      if known.count >= Self.maxKnown { known.removeAll() }
      known[position] = try isMeant(position)
    }
    guard known[position] == true else { return false }
    guard !query.change.attributes.isEmpty else { return true }
    let change = HistoryChange(
      number: row.change, kind: .update, entity: entity, primaryKey: row.primaryKey,
      mask: try snapshot.mask(ofChange: row.change))
    return query.change.matches(change)
  }

  private func isMeant(_ position: TransactionPosition) throws -> Bool {
    guard let found = try snapshot.timestamp(ofTransaction: position.number),
      found.timestamp == position.timestamp
    else { return false }
    var query = query
    query.after = position.number == .min ? nil : position.number - 1
    query.until = position.number
    query.limit = 1
    query.recordedValues = nil
    query.readsPresentObjects = false
    guard query != HistoryQuery(after: query.after, until: query.until, limit: 1) else {
      return true
    }
    return try HistoryReader(snapshot: snapshot, query: query, schema: schema)
      .nextTransaction() != nil
  }
}

extension [RecordedValue] {
  /// Adds the value of a later update. Of each value, the first old and the last new one are kept.
  mutating func fold(_ later: RecordedValue) {
    guard let index = firstIndex(where: { $0.name == later.name }) else {
      append(later)
      return
    }
    self[index].new = later.new
    self[index].kind = later.kind
  }

  /// The approximate memory of the values in bytes.
  var byteCount: Int { reduce(0) { $0 + $1.byteCount + 96 } }
}
