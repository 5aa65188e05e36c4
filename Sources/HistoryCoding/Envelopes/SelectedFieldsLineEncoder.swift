import PersistentHistory
import StoreFormat

/// Writes transactions as JSON lines that keep only some fields, of the transaction and of its
/// changes.
///
/// `schema`, `type`, `transaction` and `"partial":true` are in every line, so that nobody takes it
/// for a whole one: ``TransactionLineDecoder`` refuses it. The array of changes is there where
/// `changes` or a field that only changes have is selected; with such a field, changes keep no more
/// than what was selected, else they are whole. `extra` is both a transaction's and a change's.
package struct SelectedFieldsLineEncoder: BufferedEncoder {
  enum Field: Int, RecordField {
    case schema, type, store, transaction, timestamp, timestampRaw, author, bundle, process, context
    case queryGenerationRaw, extra, partial, changes
    case change, kind, entity, entityRaw, pk, attributes, columnsRaw, values, tombstone
    case tombstoneRaw

    static var format: ExportFormat { .jsonl }

    /// The fields that only changes have, and those of their records.
    static let ofChanges: [(field: Field, record: ChangeRecord.Field)] = [
      (.change, .change), (.kind, .kind), (.entity, .entity), (.entityRaw, .entityRaw), (.pk, .pk),
      (.attributes, .attributes), (.columnsRaw, .columnsRaw), (.values, .values),
      (.tombstone, .tombstone), (.tombstoneRaw, .tombstoneRaw),
    ]
  }

  /// The names of the fields of a transaction, then of those that only changes have, in order.
  package static let fieldNames = Field.names

  private let fields: FieldSelection<Field>
  private let hasChanges: Bool
  var writer = JSONWriter(capacity: 1 << 16)
  private var entities = EnvelopeEntities()
  private var record: ChangeRecord
  private var isFirstChange = true

  /// An encoder with an empty buffer.
  ///
  /// - Parameter fields: The fields that lines keep.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]) throws(ExportFormatError) {
    let selection = try FieldSelection<Field>(fields)
    self.fields = selection
    let selected = Field.ofChanges.filter { selection.contains($0.field) }.map(\.record)
    hasChanges = selection.contains(.changes) || !selected.isEmpty
    var kept = FieldSelection<ChangeRecord.Field>.none
    for field in selected.isEmpty ? Field.ofChanges.map(\.record) : selected { kept.insert(field) }
    if selected.isEmpty || selection.contains(.extra) { kept.insert(.extra) }
    record = ChangeRecord(fields: kept)
    // No field of transactions is kept, so this is the same for all.
    record.begin(HistoryTransaction(number: 0))
  }

  /// Starts the line of a transaction.
  package mutating func begin(_ transaction: HistoryTransaction) {
    writer.appendRaw("{\"schema\":1,\"type\":\"transaction\"")
    if fields.contains(.store), let store = transaction.store {
      writer.appendRaw(",\"store\":")
      writer.appendString(store)
    }
    writer.appendRaw(",\"transaction\":")
    writer.appendInteger(transaction.number)
    if let timestamp = transaction.timestamp {
      if fields.contains(.timestamp), timestamp.hasTime {
        writer.appendRaw(",\"timestamp\":")
        _ = writer.appendTime(timestamp)
      }
      if fields.contains(.timestampRaw) {
        writer.appendRaw(",\"timestampRaw\":")
        writer.append(raw: timestamp.secondsSinceReferenceDate)
      }
    }
    if fields.contains(.author) { append(",\"author\":", transaction.author) }
    if fields.contains(.bundle) { append(",\"bundle\":", transaction.bundle) }
    if fields.contains(.process) { append(",\"process\":", transaction.process) }
    if fields.contains(.context) { append(",\"context\":", transaction.context) }
    if fields.contains(.queryGenerationRaw), let bytes = transaction.queryGeneration {
      writer.appendRaw(",\"queryGenerationRaw\":")
      writer.append(blob: bytes)
    }
    if fields.contains(.extra), !transaction.extra.isEmpty {
      writer.appendRaw(",\"extra\":")
      writer.appendExtraColumns(transaction.extra)
    }
    writer.appendRaw(",\"partial\":true")
    if hasChanges { writer.appendRaw(",\"changes\":[") }
    isFirstChange = true
  }

  private mutating func append(_ key: StaticString, _ text: RecordedText?) {
    guard let text else { return }
    writer.appendRaw(key)
    writer.appendRecordedText(text)
  }

  /// Adds a change to the line that was started.
  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  /// Those with changes do.
  package var carriesPresentObjects: Bool { hasChanges }

  /// Adds a change to the line that was started with what its object is now.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    guard hasChanges else { return }
    if isFirstChange { isFirstChange = false } else { writer.appendRaw(",") }
    record.append(change, change.entity.map { entities.text(for: $0) }, present, to: &writer)
  }

  /// Ends the line that was started.
  package mutating func end() {
    if hasChanges { writer.appendRaw("]}\n") } else { writer.appendRaw("}\n") }
  }

  /// Writes the line of a gap.
  package mutating func append(_ gap: HistoryGap) { writer.append(line: gap) }
}
