import PersistentHistory
import StoreFormat

/// The flat record of a change, with all that its transaction says of itself.
///
/// The transaction's part is written once when it begins, and copied into each record.
struct ChangeRecord: Sendable {
  /// The members of a record.
  enum Field: Int, RecordField {
    case schema, type, store, transaction, timestamp, timestampRaw, author, bundle, process, context
    case transactionExtra
    case change, kind, entity, entityRaw, pk, object, attributes, columnsRaw, values
    case tombstone, tombstoneRaw, extra

    static var format: ExportFormat { .changes }
  }

  private let fields: FieldSelection<Field>
  private var shared = JSONWriter(capacity: 1024)
  private var isSharedEmpty = true
  private var unused = JSONWriter(capacity: 64)

  init(fields: FieldSelection<Field>) { self.fields = fields }

  /// Writes what the records of a transaction have in common.
  mutating func begin(_ transaction: HistoryTransaction) {
    shared.removeAll()
    shared.appendRaw("{")
    var isFirst = true
    if fields.contains(.schema) { shared.appendKey("\"schema\":1", &isFirst) }
    if fields.contains(.type) { shared.appendKey("\"type\":\"change\"", &isFirst) }
    if fields.contains(.store), let store = transaction.store {
      shared.appendKey("\"store\":", &isFirst)
      shared.appendString(store)
    }
    if fields.contains(.transaction) {
      shared.appendKey("\"transaction\":", &isFirst)
      shared.appendInteger(transaction.number)
    }
    if let timestamp = transaction.timestamp {
      if fields.contains(.timestamp), timestamp.hasTime {
        shared.appendKey("\"timestamp\":", &isFirst)
        _ = shared.appendTime(timestamp)
      }
      if fields.contains(.timestampRaw) {
        shared.appendKey("\"timestampRaw\":", &isFirst)
        shared.append(raw: timestamp.secondsSinceReferenceDate)
      }
    }
    if fields.contains(.author) { append("\"author\":", transaction.author, &isFirst) }
    if fields.contains(.bundle) { append("\"bundle\":", transaction.bundle, &isFirst) }
    if fields.contains(.process) { append("\"process\":", transaction.process, &isFirst) }
    if fields.contains(.context) { append("\"context\":", transaction.context, &isFirst) }
    if fields.contains(.transactionExtra), !transaction.extra.isEmpty {
      shared.appendKey("\"transactionExtra\":", &isFirst)
      shared.appendExtraColumns(transaction.extra)
    }
    isSharedEmpty = isFirst
  }

  private mutating func append(_ key: StaticString, _ text: RecordedText?, _ isFirst: inout Bool) {
    guard let text else { return }
    shared.appendKey(key, &isFirst)
    shared.appendRecordedText(text)
  }

  /// Writes the record of a change of the transaction that began, without a line end.
  mutating func append(
    _ change: HistoryChange, _ entity: EnvelopeEntity?, _ present: PresentObject?,
    to writer: inout JSONWriter
  ) {
    writer.appendText(of: shared)
    var isFirst = isSharedEmpty
    if fields.contains(.change) {
      writer.appendKey("\"change\":", &isFirst)
      writer.appendInteger(change.number)
    }
    if fields.contains(.kind), let kind = change.kind {
      writer.appendKey("\"kind\":", &isFirst)
      writer.appendKind(kind)
    }
    if fields.contains(.entity), let name = entity?.name {
      writer.appendKey("\"entity\":", &isFirst)
      writer.appendRaw(name)
    }
    if fields.contains(.entityRaw), let number = entity?.number {
      writer.appendKey("\"entityRaw\":", &isFirst)
      writer.appendInteger(number)
    }
    if let primaryKey = change.primaryKey {
      if fields.contains(.pk) {
        writer.appendKey("\"pk\":", &isFirst)
        writer.appendInteger(primaryKey)
      }
      if fields.contains(.object), let start = entity?.objectStart {
        writer.appendKey("\"object\":", &isFirst)
        writer.appendObject(start, primaryKey)
      }
    }
    if fields.contains(.attributes), let text = entity?.text, let mask = change.namedMask(text) {
      writer.appendKey("\"attributes\":", &isFirst)
      writer.appendAttributeNames(in: mask, text)
    }
    if fields.contains(.columnsRaw), let mask = change.mask {
      writer.appendKey("\"columnsRaw\":", &isFirst)
      writer.appendMask(mask)
    }
    if fields.contains(.values), !change.values.isEmpty {
      writer.appendKey("\"values\":", &isFirst)
      writer.appendRecordedValues(change.values)
    }
    if change.kind == .delete || !change.tombstone.isEmpty {
      appendTombstone(of: change, entity?.text, to: &writer, &isFirst)
    }
    if fields.contains(.extra), !change.extra.isEmpty {
      writer.appendKey("\"extra\":", &isFirst)
      writer.appendExtraColumns(change.extra)
    }
    // No field: who asks for it gets it.
    if let present { writer.append(present, &isFirst) }
    writer.appendRaw("}")
  }

  private mutating func appendTombstone(
    of change: HistoryChange, _ text: EntityText?, to writer: inout JSONWriter,
    _ isFirst: inout Bool
  ) {
    var isExact = false
    if let text, let types = change.tombstoneTypes(text) {
      var isFirstValue = true
      if fields.contains(.tombstone) {
        writer.appendKey("\"tombstone\":{", &isFirst)
        isExact = writer.appendTombstoneMembers(change.tombstone, text, types, &isFirstValue)
        writer.appendRaw("}")
      } else if fields.contains(.tombstoneRaw) {
        // Only writing tells whether the values can be given back by their types.
        isExact = unused.appendTombstoneMembers(change.tombstone, text, types, &isFirstValue)
        unused.removeAll()
      }
    }
    guard fields.contains(.tombstoneRaw), !isExact, !change.tombstone.isEmpty else { return }
    writer.appendKey("\"tombstoneRaw\":", &isFirst)
    writer.appendStoredTombstone(change.tombstone)
  }
}

extension JSONWriter {
  /// Copies all that another writer holds.
  @inline(__always)
  mutating func appendText(of other: borrowing JSONWriter) {
    other.withUnsafeBytes { appendRaw($0.bindMemory(to: UInt8.self)) }
  }
}

extension StoreTimestamp {
  /// Whether the time has a form for people.
  var hasTime: Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.iso8601ByteCount) {
      writeISO8601(into: $0) > 0
    }
  }
}
