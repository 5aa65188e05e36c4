import StoreEditing
import StoreFormat

/// Finds what the recorded values of one object after the other come to over a part of a store's
/// history: what each was before the first update, and is behind the last.
///
/// They are looked up object by object, so that memory does not grow with the history.
final class NetValues {
  private static let pageSize = 256
  /// More values than any object has; a hostile file may hold more.
  private static let mostValues = 4096
  /// How many transactions are remembered at a time.
  private static let mostKnown = 1 << 16

  private let file: RecordedValuesFile
  private let snapshot: StoreSnapshot
  /// The conditions on transactions and changes.
  private let query: HistoryQuery
  private let schema: HistorySchema
  /// Whether the store has a transaction at this time, and it is meant.
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

  /// What the values of an object come to in some transactions, by name.
  ///
  /// - Parameter before: What they come to in transactions before these.
  func values(
    of entity: HistoryEntity, _ primaryKey: Int64, in transactions: ClosedRange<Int64>,
    behind before: [RecordedValue]
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
        guard values.count <= Self.mostValues else {
          throw StoreError.unusableValues(
            path: file.location.path,
            reason: "\(name)/p\(primaryKey) has more values than an object can")
        }
      }
      place = last.place
    }
    return values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func isMeant(_ row: RecordedValueRow, _ entity: HistoryEntity) throws -> Bool {
    let position = TransactionPosition(number: row.transaction, timestamp: row.timestamp)
    if known[position] == nil {
      if known.count >= Self.mostKnown { known.removeAll() }
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
