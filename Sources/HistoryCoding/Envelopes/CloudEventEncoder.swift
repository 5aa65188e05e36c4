import PersistentHistory
import StoreFormat

/// Writes one CloudEvents 1.0 event in JSON for each change, one on a line.
///
/// ```json
/// {"specversion":"1.0","source":"x-coredata://1D07…","time":"2024-07-29T00:42:37.824189Z",
///  "datacontenttype":"application/json","dataschema":"urn:histctl:change:1",
///  "type":"alt.histctl.update","id":"5-8","subject":"Trip/p1",
///  "sequence":"0000000000000000005.0000000000000000008","data":{…}}
/// ```
///
/// `data` is the whole record of ``ChangeRecordEncoder``, so that it still makes sense to whoever is
/// handed no more. The types begin with `alt.histctl`, for `.alt` is the top-level domain that the
/// DNS leaves to names outside it (RFC 9476): nobody's domain is claimed. `id` is the transaction's
/// number and the change's, unique within a store and all copies that are the same history; the
/// order of `sequence` as text is that of the history, with gaps.
///
/// Attributes are strings of CloudEvents, which lack control characters and some others: in the name
/// of an entity and the identifier of a store those, and the percent sign, are percent-encoded. A
/// time outside the years 1 to 9999 is absent, and so is the subject where the row names no object.
/// A change of a kind that no framework writes has the type `alt.histctl.unknown`.
package struct CloudEventEncoder: BufferedEncoder {
  enum Field: Int, RecordField {
    case specversion, source, time, datacontenttype, dataschema, type, id, subject, sequence, data

    static var format: ExportFormat { .cloudevents }
  }

  /// The names of an event's attributes, in order.
  package static let fieldNames = Field.names

  private let fields: FieldSelection<Field>
  var writer = JSONWriter(capacity: 1 << 16)
  private var entities = EnvelopeEntities()
  private var record = ChangeRecord(fields: .all)
  private var shared = JSONWriter(capacity: 1024)
  private var transactionNumber: Int64 = 0
  private var source: (store: String?, text: String) = (nil, "x-coredata:///")

  /// An encoder with an empty buffer.
  ///
  /// - Parameter fields: The attributes that events keep; nil for all. `specversion`, `source`,
  ///   `type` and `id` are always kept, for without them there is no event.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil) throws(ExportFormatError) {
    var selection = try FieldSelection<Field>(fields)
    for required in [Field.specversion, .source, .type, .id] { selection.insert(required) }
    self.fields = selection
  }

  /// Keeps what the events of a transaction have in common; writes nothing.
  package mutating func begin(_ transaction: HistoryTransaction) {
    if fields.contains(.data) { record.begin(transaction) }
    transactionNumber = transaction.number
    if source.store != transaction.store {
      let part = transaction.store.map(CloudEventText.uriPart) ?? ""
      source = (transaction.store, "x-coredata://" + (part.isEmpty ? "/" : part))
    }
    shared.removeAll()
    shared.appendRaw("{\"specversion\":\"1.0\",\"source\":")
    shared.appendString(source.text)
    if fields.contains(.time), let timestamp = transaction.timestamp, timestamp.hasTime {
      shared.appendRaw(",\"time\":")
      _ = shared.appendTime(timestamp)
    }
    if fields.contains(.datacontenttype) {
      shared.appendRaw(",\"datacontenttype\":\"application/json\"")
    }
    if fields.contains(.dataschema) {
      shared.appendRaw(",\"dataschema\":\"urn:histctl:change:1\"")
    }
    shared.appendRaw(",\"type\":\"alt.histctl.")
  }

  /// Writes the event of a change.
  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  /// Those with `data` do.
  package var carriesPresentObjects: Bool { fields.contains(.data) }

  /// Writes the event of a change with what its object is now.
  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    writer.appendText(of: shared)
    switch change.kind {
    case .insert: writer.appendRaw("insert\",\"id\":\"")
    case .update: writer.appendRaw("update\",\"id\":\"")
    case .delete: writer.appendRaw("delete\",\"id\":\"")
    case nil: writer.appendRaw("unknown\",\"id\":\"")
    }
    writer.appendInteger(transactionNumber)
    writer.appendRaw("-")
    writer.appendInteger(change.number)
    writer.appendRaw("\"")
    let entity = change.entity.map { entities.text(for: $0) }
    if fields.contains(.subject), let start = entity?.subjectStart,
      let primaryKey = change.primaryKey
    {
      writer.appendRaw(",\"subject\":")
      writer.appendObject(start, primaryKey)
    }
    if fields.contains(.sequence) {
      writer.appendRaw(",\"sequence\":\"")
      writer.appendOrderedNumber(transactionNumber)
      writer.appendRaw(".")
      writer.appendOrderedNumber(change.number)
      writer.appendRaw("\"")
    }
    if fields.contains(.data) {
      writer.appendRaw(",\"data\":")
      record.append(change, entity, present, to: &writer)
    }
    writer.appendRaw("}\n")
  }
}
