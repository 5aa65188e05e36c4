import PersistentHistory
import StoreFormat

/// Writes one change event in Debezium's envelope for each change, one JSON line each.
///
/// ```json
/// {"before":null,"after":{"Z_PK":1},"source":{"version":"1","connector":"histctl","name":"histctl",
///  "ts_ms":1722213757824,"ts_us":1722213757824189,"snapshot":"false","db":"1D07…","txId":5,
///  "author":"widget","table":"Trip","change":8},"op":"u","ts_ms":1722213757824,
///  "transaction":{"id":"5","total_order":1,"data_collection_order":1},
///  "history":{"attributes":["name"],"columnsRaw":"10"}}
/// ```
///
/// It is the payload alone, as converters write it that are told to leave out schemas. History holds
/// no values but those that deleted objects left. So `after` has only the key, under the name of its
/// column, and `before` is null but for deletes, where it has the key and what was preserved, coded
/// as in the line of a transaction: as a database does that logs no more than the replica identity.
/// Of an update whose values were recorded, `before` and `after` have the key and these values, and
/// `history` has them once more, with their types.
/// What an update touched is named in `history`, which is not Debezium's.
///
/// What Debezium defines is always there, null where there is nothing; what it does not (the author
/// and its like in `source`, and `history`'s members) is absent then. Both times are that of the save,
/// so that the same history always gives the same bytes. A change of a kind that no framework writes
/// has no `op` and gives no line, which leaves a gap in the orders. There are no BEGIN and END
/// records, which Debezium keeps in a stream of their own, and transactions without changes and
/// query generations do not appear.
package struct DebeziumEncoder: BufferedEncoder {
  enum Field: Int, RecordField {
    case before, after, source, op, timestamp, transaction, history

    static var format: ExportFormat { .debezium }

    var name: String {
      switch self {
      case .timestamp: "ts_ms"
      default: String(describing: self)
      }
    }
  }

  /// The names of an event's fields, in order.
  package static let fieldNames = Field.names

  private let fields: FieldSelection<Field>
  var writer = JSONWriter(capacity: 1 << 16)
  private var entities = EnvelopeEntities()
  private var order = CollectionOrder()
  private var changeCount: Int64 = 0
  // What the events of a transaction have in common: the source up to its table, the time, the
  // transaction up to the order, and extra columns.
  private var source = JSONWriter(capacity: 1024)
  private var milliseconds = JSONWriter(capacity: 64)
  private var identifier = JSONWriter(capacity: 64)
  private var transactionExtra = JSONWriter(capacity: 64)
  private var before = JSONWriter(capacity: 1024)

  /// An encoder with an empty buffer.
  ///
  /// - Parameter fields: The fields that events keep; nil for all.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil) throws(ExportFormatError) {
    self.fields = try FieldSelection(fields)
  }

  /// Keeps what the events of a transaction have in common; writes nothing.
  package mutating func begin(_ transaction: HistoryTransaction) {
    order.removeAll()
    changeCount = 0
    let microseconds = transaction.timestamp?.unixMicroseconds
    milliseconds.removeAll()
    if let microseconds {
      milliseconds.appendInteger((microseconds - (microseconds < 0 ? 999 : 0)) / 1000)
    } else {
      milliseconds.appendRaw("null")
    }
    identifier.removeAll()
    identifier.appendRaw("{\"id\":\"")
    identifier.appendInteger(transaction.number)
    identifier.appendRaw("\",\"total_order\":")
    transactionExtra.removeAll()
    if !transaction.extra.isEmpty {
      transactionExtra.appendRaw("\"transactionExtra\":")
      transactionExtra.appendExtraColumns(transaction.extra)
    }
    source.removeAll()
    source.appendRaw("{\"version\":\"1\",\"connector\":\"histctl\",\"name\":\"histctl\",\"ts_ms\":")
    source.appendText(of: milliseconds)
    source.appendRaw(",\"ts_us\":")
    if let microseconds { source.appendInteger(microseconds) } else { source.appendRaw("null") }
    source.appendRaw(",\"snapshot\":\"false\",\"db\":")
    source.appendString(transaction.store ?? "")
    source.appendRaw(",\"txId\":")
    source.appendInteger(transaction.number)
    append(",\"author\":", transaction.author)
    append(",\"bundle\":", transaction.bundle)
    append(",\"process\":", transaction.process)
    append(",\"context\":", transaction.context)
    source.appendRaw(",\"table\":")
  }

  private mutating func append(_ key: StaticString, _ text: RecordedText?) {
    guard let text else { return }
    source.appendRaw(key)
    source.appendRecordedText(text)
  }

  /// Writes the event of a change; nothing for one of a kind that no framework writes.
  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  /// Those with `history` do.
  package var carriesPresentObjects: Bool { fields.contains(.history) }

  /// Writes the event of a change with what its object is now, which is no part of the row.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    changeCount += 1
    let entity = change.entity.map { entities.text(for: $0) }
    let place = order.next(of: change.entity)
    guard let kind = change.kind else { return }
    var isFirst = true
    writer.appendRaw("{")
    let isExact = appendRows(of: change, kind, entity?.text, &isFirst)
    if fields.contains(.source) {
      writer.appendKey("\"source\":", &isFirst)
      writer.appendText(of: source)
      if let name = entity?.name { writer.appendRaw(name) } else { writer.appendRaw("null") }
      writer.appendRaw(",\"change\":")
      writer.appendInteger(change.number)
      writer.appendRaw("}")
    }
    if fields.contains(.op) {
      switch kind {
      case .insert: writer.appendKey("\"op\":\"c\"", &isFirst)
      case .update: writer.appendKey("\"op\":\"u\"", &isFirst)
      case .delete: writer.appendKey("\"op\":\"d\"", &isFirst)
      }
    }
    if fields.contains(.timestamp) {
      writer.appendKey("\"ts_ms\":", &isFirst)
      writer.appendText(of: milliseconds)
    }
    if fields.contains(.transaction) {
      writer.appendKey("\"transaction\":", &isFirst)
      writer.appendText(of: identifier)
      writer.appendInteger(changeCount)
      writer.appendRaw(",\"data_collection_order\":")
      if let place { writer.appendInteger(place) } else { writer.appendRaw("null") }
      writer.appendRaw("}")
    }
    if fields.contains(.history) {
      writer.appendKey("\"history\":{", &isFirst)
      appendHistory(of: change, entity, present, isExact: isExact)
      writer.appendRaw("}")
    }
    writer.appendRaw("}\n")
  }

  /// Writes what the object was and is; answers whether the former gives the stored values back.
  private mutating func appendRows(
    of change: HistoryChange, _ kind: ChangeKind, _ text: EntityText?, _ isFirst: inout Bool
  ) -> Bool {
    var isExact = false
    if kind == .delete {
      before.removeAll()
      before.appendRaw("{\"Z_PK\":")
      if let key = change.primaryKey { before.appendInteger(key) } else { before.appendRaw("null") }
      if let text, let types = change.tombstoneTypes(text) {
        var isFirstValue = false
        isExact = before.appendTombstoneMembers(change.tombstone, text, types, &isFirstValue)
      }
      before.appendRaw("}")
      if fields.contains(.before) {
        writer.appendKey("\"before\":", &isFirst)
        writer.appendText(of: before)
      }
      if fields.contains(.after) { writer.appendKey("\"after\":null", &isFirst) }
    } else {
      if fields.contains(.before) {
        if change.values.isEmpty {
          writer.appendKey("\"before\":null", &isFirst)
        } else {
          writer.appendKey("\"before\":", &isFirst)
          appendRow(change.primaryKey, change.values, \.old)
        }
      }
      if fields.contains(.after) {
        writer.appendKey("\"after\":", &isFirst)
        appendRow(change.primaryKey, change.values, \.new)
      }
    }
    return isExact
  }

  /// Writes the key and what is known of a row besides.
  private mutating func appendRow(
    _ primaryKey: Int64?, _ values: [RecordedValue],
    _ side: KeyPath<RecordedValue, RecordedContent>
  ) {
    writer.appendRaw("{\"Z_PK\":")
    if let primaryKey { writer.appendInteger(primaryKey) } else { writer.appendRaw("null") }
    writer.appendMembers(of: values, side)
    writer.appendRaw("}")
  }

  private mutating func appendHistory(
    of change: HistoryChange, _ entity: EnvelopeEntity?, _ present: PresentObject?, isExact: Bool
  ) {
    var isFirst = true
    if let number = entity?.number {
      writer.appendKey("\"entityRaw\":", &isFirst)
      writer.appendInteger(number)
    }
    if let text = entity?.text, let mask = change.namedMask(text) {
      writer.appendKey("\"attributes\":", &isFirst)
      writer.appendAttributeNames(in: mask, text)
    }
    if let mask = change.mask {
      writer.appendKey("\"columnsRaw\":", &isFirst)
      writer.appendMask(mask)
    }
    if !change.values.isEmpty {
      writer.appendKey("\"values\":", &isFirst)
      writer.appendRecordedValues(change.values)
    }
    if !isExact, !change.tombstone.isEmpty {
      writer.appendKey("\"tombstoneRaw\":", &isFirst)
      writer.appendStoredTombstone(change.tombstone)
    }
    if !change.extra.isEmpty {
      writer.appendKey("\"extra\":", &isFirst)
      writer.appendExtraColumns(change.extra)
    }
    if transactionExtra.count > 0 {
      writer.appendKey("", &isFirst)
      writer.appendText(of: transactionExtra)
    }
    if let present { writer.append(present, &isFirst) }
  }
}
