import PersistentHistory
import StoreFormat

/// Writes one flat JSON line for each change, for engines that analyse tables.
///
/// ```json
/// {"schema":1,"type":"change","store":"1D07…","transaction":5,"timestamp":"2024-07-29T00:42:37.824189Z",
///  "timestampRaw":743906557.824189,"author":"widget","change":8,"kind":"update","entity":"Trip",
///  "pk":1,"object":"Trip/p1","attributes":["name"],"columnsRaw":"10"}
/// ```
///
/// Values are coded as in the line of a transaction, and keys are absent where they would be null.
/// A transaction without changes gives no line, for a record without a change would be counted as
/// one. A transaction's query generation is left out, for it would be repeated with every change;
/// its extra columns are `transactionExtra`, beside the change's own under `extra`.
package struct ChangeRecordEncoder: BufferedEncoder {
  /// The names of the fields of a record, in order.
  package static let fieldNames = ChangeRecord.Field.names

  var writer = JSONWriter(capacity: 1 << 16)
  private var entities = EnvelopeEntities()
  private var record: ChangeRecord

  /// An encoder with an empty buffer.
  ///
  /// - Parameter fields: The fields that records keep; nil for all.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil) throws(ExportFormatError) {
    record = ChangeRecord(fields: try FieldSelection(fields))
  }

  /// Keeps what the records of a transaction have in common; writes nothing.
  package mutating func begin(_ transaction: HistoryTransaction) { record.begin(transaction) }

  /// Writes the line of a change.
  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  /// All do.
  package var carriesPresentObjects: Bool { true }

  /// Writes the line of a change with what its object is now.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    record.append(change, change.entity.map { entities.text(for: $0) }, present, to: &writer)
    writer.appendRaw("\n")
  }

  /// Writes the line of a gap.
  package mutating func append(_ gap: HistoryGap) { writer.append(line: gap) }
}
