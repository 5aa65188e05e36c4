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
/// A transaction without changes has no line, because a record without a change would be counted as
/// one. A transaction's query generation is omitted, because it would be repeated with every change;
/// its extra columns are `transactionExtra`, beside the change's own under `extra`.
package struct ChangeRecordEncoder: BufferedEncoder {
  static let fields =
    LineFields.keys(
      of: LineFields.ofTransactions,
      except: [.queryGenerationRaw, .extra, .path, .partial, .changes])
    + LineFields.keys(of: LineFields.ofChanges, except: [.valuesFrom])

  var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  private var record: ChangeRecord

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameter fields: The fields that records keep; `nil` for all.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil) throws(ExportFormatError) {
    record = ChangeRecord(fields: try FieldSelection(fields, of: .changes))
  }

  package mutating func begin(_ transaction: HistoryTransaction) { record.begin(transaction) }

  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  package var carriesPresentObjects: Bool { true }

  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    record.append(change, change.entity.map { texts.text(for: $0) }, present, to: &writer)
    writer.appendRaw(UInt8(ascii: "\n"))
  }

  package mutating func end() { record.end() }

  package mutating func append(_ gap: HistoryGap) { writer.append(line: gap) }
}

/// The flat record of a change, including the members of its transaction.
///
/// The transaction's part is written once when it begins, and copied into each record. One with long values is
/// written into each record instead, in pieces.
struct ChangeRecord: Sendable {
  private let fields: FieldSelection
  private var shared = JSONWriter(capacity: 1024)
  private var isSharedEmpty = true
  /// The transaction, if it is not in `shared`.
  private var longTransaction: HistoryTransaction?

  init(fields: FieldSelection = FieldSelection(ChangeRecordEncoder.fields)) { self.fields = fields }

  /// Writes the members that all records of a transaction share.
  mutating func begin(_ transaction: HistoryTransaction) {
    shared.removeAll()
    shared.appendRaw(UInt8(ascii: "{"))
    isSharedEmpty = true
    longTransaction = transaction.hasLongValue ? transaction : nil
    if longTransaction == nil { Self.append(transaction, fields, to: &shared, &isSharedEmpty) }
  }

  /// Forgets the transaction, whose values may be long.
  mutating func end() { longTransaction = nil }

  private static func append(
    _ transaction: HistoryTransaction, _ fields: FieldSelection, to writer: inout JSONWriter,
    _ isFirst: inout Bool
  ) {
    writer.append(
      LineFields.ofTransactions, of: transaction,
      (type: "\"change\"", path: nil, isPartial: false), fields.without(.extra), &isFirst)
  }

  /// Writes the record of a change of the transaction that began, without a line end.
  func append(
    _ change: HistoryChange, _ text: EntityText?, _ present: PresentObject?,
    to writer: inout JSONWriter
  ) {
    writer.appendText(of: shared)
    var isFirst = isSharedEmpty
    if let longTransaction { Self.append(longTransaction, fields, to: &writer, &isFirst) }
    writer.append(LineFields.ofChanges, of: change, text, fields, &isFirst)
    // Not a selectable field: it is written if the query asks for it.
    if let present { writer.append(present, &isFirst) }
    writer.appendRaw(UInt8(ascii: "}"))
  }
}

extension JSONWriter {
  /// Copies the text of another writer.
  @inline(__always)
  mutating func appendText(of other: borrowing JSONWriter) {
    other.withUnsafeBytes { appendRaw($0.bindMemory(to: UInt8.self)) }
  }
}
