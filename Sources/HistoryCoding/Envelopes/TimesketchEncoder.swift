import PersistentHistory
import StoreFormat

/// Writes one event of Timesketch for each change, as a JSON line.
///
/// ```json
/// {"message":"Updated Trip/p1 (endDate, name) by widget","datetime":"2024-07-29T00:42:37.824189+00:00",
///  "timestamp":1722213757824189,"timestamp_desc":"Object updated","data_type":"histctl:change",
///  "store":"1D07…","transaction":5,"timestampRaw":743906557.824189,"author":"widget","change":8,
///  "kind":"update","entity":"Trip","pk":1,"object":"Trip/p1","attributes":["endDate","name"],
///  "columnsRaw":"30"}
/// ```
///
/// Timesketch requires `message`, `datetime` and `timestamp_desc`; `timestamp` are microseconds since
/// 1970. The other keys are those of ``ChangeRecordEncoder``. OpenSearch, in which Timesketch keeps
/// events, remembers the first type of each key and rejects events with another one. So objects and arrays
/// of values are written as strings of JSON, an invalid text is written with U+FFFD, and an infinite
/// `timestampRaw` is absent. An event without a time has that of 1970 and says so in `timestamp_desc`, as Plaso does.
package struct TimesketchEncoder: BufferedEncoder {
  static let fields: [LineKey] = [
    .message, .datetime, .timestamp, .timestampDescription, .dataType, .store, .transaction,
    .timestampRaw, .author, .bundle, .process, .context, .transactionExtra, .change, .kind, .entity,
    .entityRaw, .pk, .object, .attributes, .columnsRaw, .values, .tombstone, .tombstoneRaw, .extra,
  ]
  /// The fields of a change that are neither objects nor arrays of values.
  private static let plainFields: [LineKey] = [
    .change, .kind, .entity, .entityRaw, .pk, .object, .attributes, .columnsRaw,
  ]

  private let fields: FieldSelection
  private let plainFields: FieldSelection
  var writer = JSONWriter(capacity: 1 << 16)
  private var texts = EntityTexts()
  /// A value that becomes a string.
  private var json = JSONWriter(capacity: 1024)
  // The parts that the events of a transaction share: between message and description, and after these.
  private var times = JSONWriter(capacity: 128)
  private var shared = JSONWriter(capacity: 1024)
  private var hasTime = false
  private var origin: String?
  /// The transaction, if its values are too long for `shared`.
  private var longTransaction: HistoryTransaction?

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameter fields: The fields that events keep; `nil` for all. `message`, `datetime` and
  ///   `timestamp_desc` are always kept, because an event must have them.
  /// - Throws: ``ExportFormatError``.
  init(fields: [String]? = nil) throws(ExportFormatError) {
    let selection = try FieldSelection(fields, of: .timesketch)
    self.fields = selection
    plainFields = FieldSelection(Self.plainFields.filter(selection.contains))
  }

  package mutating func begin(_ transaction: HistoryTransaction) {
    origin = transaction.origin
    beginTimes(transaction.timestamp)
    shared.removeAll()
    if fields.contains(.dataType) {
      shared.append(.dataType)
      shared.appendRaw("\"histctl:change\"")
    }
    if fields.contains(.store), let store = transaction.store {
      shared.append(.store)
      shared.appendString(store)
    }
    if fields.contains(.transaction) {
      shared.append(.transaction)
      shared.appendInteger(transaction.number)
    }
    if fields.contains(.timestampRaw),
      let seconds = transaction.timestamp?.secondsSinceReferenceDate,
      seconds.isFinite
    {
      shared.append(.timestampRaw)
      shared.appendReal(seconds)
    }
    longTransaction = transaction.hasLongValue ? transaction : nil
    if longTransaction == nil {
      Self.append(valuesOf: transaction, fields, to: &shared, &json)
    }
  }

  package mutating func end() {
    longTransaction = nil
    origin = nil
  }

  /// Writes the texts and the extra columns of a transaction.
  private static func append(
    valuesOf transaction: HistoryTransaction, _ fields: FieldSelection,
    to writer: inout JSONWriter, _ json: inout JSONWriter
  ) {
    for role in StringRole.allCases {
      let key: LineKey =
        switch role {
        case .author: .author
        case .bundle: .bundle
        case .process: .process
        case .context: .context
        }
      guard fields.contains(key), let text = transaction.text(role) else { continue }
      writer.append(key)
      writer.appendString(text.string)
    }
    guard fields.contains(.transactionExtra), !transaction.extra.isEmpty else { return }
    writer.append(.transactionExtra)
    writer.appendString(of: &json, isLong: transaction.hasLongValue) {
      $0.appendExtraColumns(transaction.extra)
    }
  }

  private mutating func beginTimes(_ timestamp: StoreTimestamp?) {
    times.removeAll()
    times.append(.datetime)
    times.appendRaw(UInt8(ascii: "\""))
    let start = times.count
    times.appendUninitialized(capacity: StoreTimestamp.iso8601ByteCount) {
      timestamp?.writeISO8601(into: $0) ?? 0
    }
    hasTime = times.count > start
    if hasTime {
      times.truncate(to: times.count - 1)
    } else {
      times.appendRaw("1970-01-01T00:00:00")
    }
    times.appendRaw("+00:00\"")
    guard fields.contains(.timestamp) else { return }
    times.append(.timestamp)
    times.appendInteger(hasTime ? timestamp?.unixMicroseconds ?? 0 : 0)
  }

  package mutating func append(_ change: HistoryChange) { append(change, present: nil) }

  package var carriesPresentObjects: Bool { true }

  package mutating func append(_ change: HistoryChange, present: PresentObject?) {
    var isFirst = true
    writer.appendRaw(UInt8(ascii: "{"))
    writer.append(.message, &isFirst)
    writer.appendRaw(UInt8(ascii: "\""))
    writer.appendEscaped(ChangeSentence.text(change))
    if let origin {
      writer.appendRaw(" by ")
      writer.appendEscaped(origin)
    }
    writer.appendRaw(UInt8(ascii: "\""))
    writer.appendText(of: times)
    writer.append(.timestampDescription)
    if hasTime {
      switch change.kind {
      case .insert: writer.appendRaw("\"Object inserted\"")
      case .update: writer.appendRaw("\"Object updated\"")
      case .delete: writer.appendRaw("\"Object deleted\"")
      case nil: writer.appendRaw("\"Object changed\"")
      }
    } else {
      writer.appendRaw("\"Not a time\"")
    }
    writer.appendText(of: shared)
    if let longTransaction {
      Self.append(valuesOf: longTransaction, fields, to: &writer, &json)
    }
    let text = change.entity.map { texts.text(for: $0) }
    writer.append(LineFields.ofChanges, of: change, text, plainFields, &isFirst)
    appendStrings(of: change, text)
    if let present { append(present.key, isLong: false) { $0.appendMembers(of: present) } }
    writer.appendRaw("}\n")
  }

  /// Writes members that are objects or arrays of values as strings.
  private mutating func appendStrings(of change: HistoryChange, _ text: EntityText?) {
    let isLong = change.hasLongValue
    if fields.contains(.values), !change.values.isEmpty {
      append(.values, isLong: isLong) { $0.appendRecordedValues(change.values) }
      if change.valueSource != .program {
        writer.append(.valuesFrom)
        writer.appendString(change.valueSource.rawValue)
      }
    }
    let types = change.kind == .delete ? text?.tombstoneTypes : nil
    if fields.contains(.tombstone), let text, types != nil {
      append(.tombstone, isLong: isLong) { json in
        var isFirst = true
        json.appendRaw(UInt8(ascii: "{"))
        json.appendTombstoneMembers(change.tombstone, text, &isFirst)
        json.appendRaw(UInt8(ascii: "}"))
      }
    }
    if fields.contains(.tombstoneRaw), TypedValue.needsStoredForm(change.tombstone, types) {
      append(.tombstoneRaw, isLong: isLong) { $0.appendStoredTombstone(change.tombstone) }
    }
    if fields.contains(.extra), !change.extra.isEmpty {
      append(.extra, isLong: isLong) { $0.appendExtraColumns(change.extra) }
    }
  }

  private mutating func append(
    _ key: LineKey, isLong: Bool, _ write: (inout JSONWriter) -> Void
  ) {
    writer.append(key)
    writer.appendString(of: &json, isLong: isLong, write)
  }
}

extension JSONWriter {
  /// Writes JSON as a string.
  fileprivate mutating func appendString(
    of json: inout JSONWriter, isLong: Bool, _ write: (inout JSONWriter) -> Void
  ) {
    appendRaw(UInt8(ascii: "\""))
    append(&json, isLong: isLong, escape: { $1.appendEscaped($0) }, write)
    appendRaw(UInt8(ascii: "\""))
  }
}

/// What a change did, in words for people who read a timeline.
enum ChangeSentence {
  /// Returns a text such as `Updated Trip/p1 (endDate, name)`.
  static func text(_ change: HistoryChange) -> String {
    let verb =
      switch change.kind {
      case .insert: "Inserted"
      case .update: "Updated"
      case .delete: "Deleted"
      case nil: "Changed"
      }
    return "\(verb) \(object(change))\(attributes(change))"
  }

  /// Returns the object of a change, with the number of an entity that has no name.
  static func object(_ change: HistoryChange) -> String {
    (change.entity?.label ?? "#?") + (change.primaryKey.map { "/p\($0)" } ?? "")
  }

  /// Returns the attributes that an update set, in parentheses; nothing if they are not known.
  static func attributes(_ change: HistoryChange) -> String {
    guard let names = change.attributes, !names.isEmpty else { return "" }
    return " (\(names.joined(separator: ", ")))"
  }
}

extension HistoryTransaction {
  /// Who saved: the author, else the process, else the bundle.
  var origin: String? {
    [author, process, bundle].lazy.compactMap { $0?.string }.first { !$0.isEmpty }
  }
}
