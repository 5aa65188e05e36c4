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
/// `data` is the whole record of ``ChangeRecordEncoder``, so that it makes sense on its own. The types
/// begin with `alt.histctl`, because RFC 9476 reserves the top-level domain `.alt` for names outside
/// the DNS. `id` is the transaction's number and the change's, unique within a store and its copies
/// with the same history; `sequence` sorts as text in the order of the history, with gaps.
///
/// Attributes are CloudEvents strings, which exclude control characters and some others. These and the
/// percent sign are percent-encoded in the name of an entity and the identifier of a store. A time
/// outside the years 1 to 9999 is absent, and so is the subject if the row names no object. A change of
/// a kind that no framework writes has the type `alt.histctl.unknown`.
package struct CloudEventEncoder: BufferedEncoder {
  static let fields: [LineKey] = [
    .specversion, .source, .time, .datacontenttype, .dataschema, .type, .id, .subject, .sequence,
    .data,
  ]

  private let fields: FieldSelection
  var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  private var record = ChangeRecord()
  private var shared = JSONWriter(capacity: 1024)
  private var transactionNumber: Int64 = 0
  private var source: (store: String?, text: String) = (nil, "x-coredata:///")

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameter fields: The attributes that events keep; `nil` for all. `specversion`, `source`,
  ///   `type` and `id` are always kept, because an event must have them.
  /// - Throws: ``ExportFormatError``.
  init(fields: [String]? = nil) throws(ExportFormatError) {
    self.fields = try FieldSelection(fields, of: .cloudevents)
  }

  package mutating func begin(_ transaction: HistoryTransaction) {
    if fields.contains(.data) { record.begin(transaction) }
    transactionNumber = transaction.number
    if source.store != transaction.store {
      let part = transaction.store.map(CloudEventText.uriPart) ?? ""
      source = (transaction.store, "x-coredata://" + (part.isEmpty ? "/" : part))
    }
    var isFirst = true
    shared.removeAll()
    shared.appendRaw(UInt8(ascii: "{"))
    shared.append(.specversion, &isFirst)
    shared.appendRaw("\"1.0\"")
    shared.append(.source)
    shared.appendString(source.text)
    if fields.contains(.time), let timestamp = transaction.timestamp {
      shared.append(.time, timestamp, &isFirst)
    }
    if fields.contains(.datacontenttype) {
      shared.append(.datacontenttype)
      shared.appendRaw("\"application/json\"")
    }
    if fields.contains(.dataschema) {
      shared.append(.dataschema)
      shared.appendRaw("\"urn:histctl:change:1\"")
    }
    shared.append(.type)
    shared.appendRaw("\"alt.histctl.")
  }

  package mutating func end() { record.end() }

  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  package var carriesPresentObjects: Bool { fields.contains(.data) }

  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    writer.appendText(of: shared)
    switch change.kind {
    case .insert: writer.appendRaw("insert\"")
    case .update: writer.appendRaw("update\"")
    case .delete: writer.appendRaw("delete\"")
    case nil: writer.appendRaw("unknown\"")
    }
    writer.append(.id)
    writer.appendRaw(UInt8(ascii: "\""))
    writer.appendInteger(transactionNumber)
    writer.appendRaw(UInt8(ascii: "-"))
    writer.appendInteger(change.number)
    writer.appendRaw(UInt8(ascii: "\""))
    let text = change.entity.map { texts.text(for: $0) }
    if fields.contains(.subject), let start = text?.subjectStart,
      let primaryKey = change.primaryKey
    {
      writer.append(.subject)
      writer.append(objectStart: start, primaryKey)
    }
    if fields.contains(.sequence) {
      writer.append(.sequence)
      writer.appendSequence(transaction: transactionNumber, change: change.number)
    }
    if fields.contains(.data) {
      writer.append(.data)
      record.append(change, text, present, to: &writer)
    }
    writer.appendRaw("}\n")
  }
}

extension JSONWriter {
  /// Writes the place of a change in the history: the numbers of its transaction and of itself, as a string that
  /// sorts like them.
  mutating func appendSequence(transaction: Int64, change: Int64) {
    appendRaw(UInt8(ascii: "\""))
    appendOrderedNumber(transaction)
    appendRaw(UInt8(ascii: "."))
    appendOrderedNumber(change)
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes a number so that the texts of numbers sort, byte by byte, like the numbers: with leading
  /// zeros, 19 digits in all.
  ///
  /// A negative number is a minus sign, which sorts before every digit, and its distance from the
  /// lowest `Int64`.
  private mutating func appendOrderedNumber(_ number: Int64) {
    if number < 0 { appendRaw(UInt8(ascii: "-")) }
    var rest = number < 0 ? UInt64(number &- Int64.min) : UInt64(number)
    appendUninitialized(capacity: 19) { buffer in
      for place in stride(from: 18, through: 0, by: -1) {
        buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      return 19
    }
  }
}

/// Texts in the forms that the attributes of CloudEvents require.
enum CloudEventText {
  /// A text in the characters that a CloudEvents string may have.
  ///
  /// Controls, the code points that Unicode never assigns to characters, and the percent sign are
  /// percent-encoded, so that different texts stay different.
  static func string(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mustBeEncoded) else { return text }
    return text.unicodeScalars.map { scalar in
      mustBeEncoded(scalar) ? encoded(String(scalar).utf8) : String(scalar)
    }.joined()
  }

  /// A text as one part of a URI: all but RFC 3986's unreserved characters percent-encoded.
  static func uriPart(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: encoded(CollectionOfOne(byte))
      }
    }.joined()
  }

  private static func encoded(_ bytes: some Collection<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16, uppercase: true) }.joined()
  }

  private static func mustBeEncoded(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x25, 0xfdd0...0xfdef: true
    default: scalar.value & 0xfffe == 0xfffe
    }
  }
}
