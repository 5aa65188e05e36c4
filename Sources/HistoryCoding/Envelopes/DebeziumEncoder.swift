import PersistentHistory
import StoreFormat

/// Writes one change event in Debezium's envelope for each change, one JSON line each.
///
/// ```json
/// {"before":null,"after":{"Z_PK":1},"source":{"version":"1","connector":"histctl","name":"histctl",
///  "ts_ms":1722213757824,"ts_us":1722213757824189,"snapshot":"false","db":"1D07…","txId":5,
///  "author":"widget","table":"Trip","change":8,
///  "sequence":"0000000000000000005.0000000000000000008"},"op":"u","ts_ms":1722213757824,
///  "transaction":{"id":"5","total_order":1,"data_collection_order":1},
///  "history":{"attributes":["name"],"columnsRaw":"10"}}
/// ```
///
/// It is the payload alone, as written by converters that omit schemas. History has no values except
/// those that deleted objects left. So `after` has only the key, under the name of its column, and
/// `before` is null except for deletes, where it has the key and the preserved values, coded as in the
/// line of a transaction. Debezium gets the same from a database that logs only the replica identity.
/// For an update whose values were recorded, `before` and `after` have the key and these values, and
/// `history` has them again, with their types. `history`, which Debezium does not define, names the
/// attributes that an update set.
///
/// `sequence` in `source` is never null: it sorts as text in the order of the history, as that of
/// ``CloudEventEncoder`` does. The times can be null, and the orders in `transaction` begin again in each.
///
/// Members that Debezium defines are always present, and null without a value. Others (such as the
/// author in `source`, and those of `history`) are omitted without a value. Both times are that of the
/// save, so that the same history always gives the same bytes. A change of a kind that no framework
/// writes has no `op` and no line, which leaves a gap in the orders. There are no BEGIN and END
/// records, which Debezium keeps in a stream of their own, and transactions without changes and query
/// generations do not appear.
package struct DebeziumEncoder: BufferedEncoder {
  static let fields: [LineKey] = [
    .before, .after, .source, .op, .milliseconds, .transaction, .history,
  ]
  private static let historyFields = FieldSelection([
    .entityRaw, .attributes, .columnsRaw, .values, .tombstoneRaw, .extra,
  ])

  private let fields: FieldSelection
  var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  private var order = CollectionOrder()
  private var changeCount: Int64 = 0
  // The parts that the events of a transaction share: the source up to its table, the time, and extra
  // columns.
  private var source = JSONWriter(capacity: 1024)
  private var milliseconds = JSONWriter(capacity: 64)
  private var transactionNumber: Int64 = 0
  private var transactionExtra: [ExtraColumn] = []
  /// The transaction, if its texts are too long for `source`.
  private var longTransaction: HistoryTransaction?

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameter fields: The fields that events keep; `nil` for all.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil) throws(ExportFormatError) {
    self.fields = try FieldSelection(fields, of: .debezium)
  }

  package mutating func begin(_ transaction: HistoryTransaction) {
    order.removeAll()
    changeCount = 0
    transactionNumber = transaction.number
    transactionExtra = transaction.extra
    let microseconds = transaction.timestamp?.unixMicroseconds
    milliseconds.removeAll()
    milliseconds.append(microseconds.map { ($0 - ($0 < 0 ? 999 : 0)) / 1000 })
    source.removeAll()
    source.appendRaw("{\"version\":\"1\",\"connector\":\"histctl\",\"name\":\"histctl\"")
    source.append(.milliseconds)
    source.appendText(of: milliseconds)
    source.appendRaw(",\"ts_us\":")
    source.append(microseconds)
    source.appendRaw(",\"snapshot\":\"false\",\"db\":")
    source.appendString(transaction.store ?? "")
    source.appendRaw(",\"txId\":")
    source.appendInteger(transaction.number)
    longTransaction = transaction.hasLongValue ? transaction : nil
    if longTransaction == nil { source.append(textsOf: transaction) }
  }

  package mutating func end() {
    longTransaction = nil
    transactionExtra = []
  }

  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  package var carriesPresentObjects: Bool { fields.contains(.history) }

  /// Writes the event of a change; nothing for one of a kind that no framework writes. The present
  /// state of the object is not part of the row.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    changeCount += 1
    let place = order.next(of: change.entity)
    guard let kind = change.kind else { return }
    let text = change.entity.map { texts.text(for: $0) }
    var isFirst = true
    writer.appendRaw(UInt8(ascii: "{"))
    appendRows(of: change, kind, text, &isFirst)
    appendSource(of: change, text, &isFirst)
    if fields.contains(.op) {
      writer.append(.op, &isFirst)
      switch kind {
      case .insert: writer.appendRaw("\"c\"")
      case .update: writer.appendRaw("\"u\"")
      case .delete: writer.appendRaw("\"d\"")
      }
    }
    if fields.contains(.milliseconds) {
      writer.append(.milliseconds, &isFirst)
      writer.appendText(of: milliseconds)
    }
    if fields.contains(.transaction) {
      writer.append(.transaction, &isFirst)
      writer.appendRaw("{\"id\":\"")
      writer.appendInteger(transactionNumber)
      writer.appendRaw("\",\"total_order\":")
      writer.appendInteger(changeCount)
      writer.appendRaw(",\"data_collection_order\":")
      writer.append(place)
      writer.appendRaw(UInt8(ascii: "}"))
    }
    if fields.contains(.history) {
      writer.append(.history, &isFirst)
      writer.appendRaw(UInt8(ascii: "{"))
      var isFirst = true
      writer.append(LineFields.ofChanges, of: change, text, Self.historyFields, &isFirst)
      if !transactionExtra.isEmpty {
        writer.append(.transactionExtra, &isFirst)
        writer.appendExtraColumns(transactionExtra)
      }
      if let present { writer.append(present, &isFirst) }
      writer.appendRaw(UInt8(ascii: "}"))
    }
    writer.appendRaw("}\n")
  }

  /// Writes where the change comes from.
  private mutating func appendSource(
    of change: HistoryChange, _ text: EntityText?, _ isFirst: inout Bool
  ) {
    guard fields.contains(.source) else { return }
    writer.append(.source, &isFirst)
    writer.appendText(of: source)
    if let longTransaction { writer.append(textsOf: longTransaction) }
    writer.appendRaw(",\"table\":")
    if let name = text?.name { writer.appendRaw(name) } else { writer.appendRaw("null") }
    writer.append(.change)
    writer.appendInteger(change.number)
    writer.append(.sequence)
    writer.appendSequence(transaction: transactionNumber, change: change.number)
    writer.appendRaw(UInt8(ascii: "}"))
  }

  /// Writes the row before and after the change.
  private mutating func appendRows(
    of change: HistoryChange, _ kind: ChangeKind, _ text: EntityText?, _ isFirst: inout Bool
  ) {
    if fields.contains(.before) {
      writer.append(.before, &isFirst)
      if kind == .delete, change.values.isEmpty {
        appendRow(change.primaryKey) { writer, isFirst in
          if let text { writer.appendTombstoneMembers(change.tombstone, text, &isFirst) }
        }
      } else if kind == .insert || change.values.isEmpty {
        writer.appendRaw("null")
      } else {
        appendRow(change.primaryKey) { $0.appendMembers(of: change.values, \.old, &$1) }
      }
    }
    if fields.contains(.after) {
      writer.append(.after, &isFirst)
      if kind == .delete {
        writer.appendRaw("null")
      } else {
        appendRow(change.primaryKey) { $0.appendMembers(of: change.values, \.new, &$1) }
      }
    }
  }

  /// Writes a row: its key and its known values.
  private mutating func appendRow(
    _ primaryKey: Int64?, _ appendValues: (inout JSONWriter, inout Bool) -> Void
  ) {
    var isFirst = false
    writer.appendRaw("{\"Z_PK\":")
    writer.append(primaryKey)
    appendValues(&writer, &isFirst)
    writer.appendRaw(UInt8(ascii: "}"))
  }
}

extension JSONWriter {
  /// Writes the texts of a transaction as members.
  fileprivate mutating func append(textsOf transaction: HistoryTransaction) {
    var isFirst = false
    append(.author, transaction.author, &isFirst)
    append(.bundle, transaction.bundle, &isFirst)
    append(.process, transaction.process, &isFirst)
    append(.context, transaction.context, &isFirst)
  }

  fileprivate mutating func append(_ number: Int64?) {
    if let number { appendInteger(number) } else { appendRaw("null") }
  }
}

extension StoreTimestamp {
  /// Microseconds since 1970-01-01T00:00:00Z, rounded like the time in ISO 8601; `nil` if the number is
  /// not finite, or further from 2001 than 9e12 seconds.
  var unixMicroseconds: Int64? {
    let seconds = secondsSinceReferenceDate
    guard seconds.magnitude < 9e12 else { return nil }
    let whole = seconds.rounded(.down)
    // The fraction is exact, so only its product is rounded before it is rounded half to even.
    let fraction = ((seconds - whole) * 1_000_000).rounded(.toNearestOrEven)
    return (Int64(whole) + Self.referenceDateUnixSeconds) * 1_000_000 + Int64(fraction)
  }
}

/// Counts the changes of each entity within a transaction.
///
/// Its size depends on the number of entities, not of changes, and is limited.
private struct CollectionOrder: Sendable {
  /// The maximum number of entities, more than models have; further ones are not counted.
  private static let maxEntities = 10_000
  /// Up to this number of entities, a linear search is faster than hashing names.
  private static let fewEntities = 8

  private var counts: [(entity: HistoryEntity?, count: Int64)] = []
  private var indices: [HistoryEntity?: Int] = [:]

  mutating func removeAll() {
    counts.removeAll(keepingCapacity: true)
    if !indices.isEmpty { indices.removeAll(keepingCapacity: true) }
  }

  /// Counts a change and returns its place among those of its entity, from 1; `nil` if the transaction
  /// has more entities than are counted.
  ///
  /// Changes of entities without a name are counted together.
  mutating func next(of entity: HistoryEntity?) -> Int64? {
    let entity = entity?.name == nil ? nil : entity
    let known =
      counts.prefix(Self.fewEntities).firstIndex { $0.entity == entity } ?? indices[entity]
    if let index = known {
      counts[index].count += 1
      return counts[index].count
    }
    guard counts.count < Self.maxEntities else { return nil }
    counts.append((entity, 1))
    if counts.count > Self.fewEntities { indices[entity] = counts.count - 1 }
    return 1
  }
}
