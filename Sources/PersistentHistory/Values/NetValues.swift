import StoreFormat

/// Finds the net effect of the values of objects over a part of a history: each value before the first update
/// and after the last one, as far as they are known.
///
/// Values are read object by object, so that memory does not grow with the history.
final class NetValues {
  private let values: ChangeValues
  private let snapshot: StoreSnapshot
  private let query: HistoryQuery
  private let schema: HistorySchema
  /// The number of the oldest transaction of the store.
  private let oldest: Int64

  init(
    _ values: RecordedValues?, _ snapshot: StoreSnapshot, archive: (any ArchivedHistory)?,
    _ query: HistoryQuery, _ schema: HistorySchema
  ) throws {
    self.values = try ChangeValues(values, snapshot, archive: archive)
    self.snapshot = snapshot
    self.query = query
    self.schema = schema
    oldest = try snapshot.oldestTransaction()?.number ?? .max
  }

  /// Returns the net values of an object in some transactions, sorted by name.
  ///
  /// - Parameter before: The net values of the transactions before these.
  func values(
    of entity: HistoryEntity, _ primaryKey: Int64, in transactions: ClosedRange<Int64>,
    after before: [RecordedValue]
  ) throws -> [RecordedValue] {
    guard let name = entity.name, values.mayHaveValues(upTo: transactions.upperBound) else {
      return before
    }
    var query = query.narrowed(to: transactions)
    query.change.objects = [HistoryObject(entityName: name, primaryKey: primaryKey)]
    query.keepsOnlyMatchingChanges = true
    query.order = .ascending
    query.limit = nil
    query.readsPresentObjects = false
    let reader = try HistoryReader(snapshot, query, schema, values)
    // Updates before those of the store may have touched any attribute.
    var net = FoldedValues(
      before,
      touched: transactions.lowerBound < oldest ? entity.slots?.slots.map(\.name) ?? [] : [])
    while try reader.nextTransaction() != nil {
      while let change = try reader.nextChange() {
        net.fold(change.values, of: change.attributes ?? [])
        guard net.values.count <= TransactionValues.maxValues else {
          throw StoreError.damaged(
            path: snapshot.location.path, place: "\(name)/p\(primaryKey)",
            detail: "it has more values than an object can have")
        }
      }
    }
    return net.known
  }
}

/// The values of consecutive updates of an object: of each the first old and the last new one.
///
/// An update without values makes those of its attributes unknown: the old value if it is the first update, the
/// new one if it is the last.
struct FoldedValues {
  private(set) var values: [RecordedValue]
  /// The attributes of earlier updates.
  private var touched: Set<String> = []

  /// - Parameters:
  ///   - values: The values of earlier updates.
  ///   - touched: The attributes of earlier updates.
  init(_ values: [RecordedValue] = [], touched: some Sequence<String> = []) {
    self.values = values
    self.touched = Set(touched)
  }

  /// Whether no update has been added.
  var isEmpty: Bool { values.isEmpty && touched.isEmpty }

  /// The values of which at least one side is known, sorted by name.
  var known: [RecordedValue] {
    values.filter { $0.old != nil || $0.new != nil }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Adds a later update.
  mutating func fold(_ later: [RecordedValue], of attributes: some Collection<String>) {
    for value in later {
      guard let index = values.firstIndex(where: { $0.name == value.name }) else {
        var value = value
        if touched.contains(value.property) { value.old = nil }
        values.append(value)
        continue
      }
      values[index].new = value.new
      values[index].kind = value.kind
    }
    let unknown = Set(attributes).subtracting(later.map(\.property))
    for index in values.indices where unknown.contains(values[index].property) {
      values[index].new = nil
    }
    touched.formUnion(attributes)
  }
}

extension [RecordedValue] {
  /// The approximate memory of the values in bytes.
  var byteCount: Int { reduce(0) { $0 + $1.byteCount + 96 } }
}
