import PersistentHistory
import StoreFormat

/// Writes a table of comma-separated values (RFC 4180) with a heading and one row for each change.
///
/// Rows end with a line feed, which every reader of CSV takes and tools for lines of text need; a
/// cell is quoted only where it must be. A cell without a value is empty, and an empty text is `""`
/// (in a table of one column both are, for an empty line would be no row). Names of attributes are
/// an array in JSON, tombstones and extra columns are objects in JSON, coded as in the line of a
/// transaction; a mask is hexadecimal digits. A text that is not clean UTF-8 or holds a NUL is
/// written as `{"$text":base64}`, and a clean text of that very form cannot be told from it.
///
/// Texts are written as they are. A spreadsheet may take one that begins with `=`, `+`, `-` or `@`
/// for a formula. With `guardsFormulas`, authors, bundles, processes, contexts and entities that begin so
/// get an apostrophe before them, which makes them other texts for every other reader. What users of an
/// app have typed stands only in tombstones, within JSON, which begins with a brace.
///
/// A transaction without changes gives no row, and query generations are left out. Recorded values, an
/// object in JSON, are a column that must be asked for by its name, `values`.
package struct CSVEncoder: HistoryEncoder {
  enum Field: Int, RecordField {
    case store, transaction, timestamp, timestampRaw, author, bundle, process, context
    case change, kind, entity, pk, object, attributes, columnsRaw, tombstone
    case entityRaw, tombstoneRaw, extra, transactionExtra, values

    static var format: ExportFormat { .csv }
  }

  /// The names of the columns, in order.
  package static let fieldNames = Field.names

  /// The heading.
  package let prologue: [UInt8]

  private let fields: FieldSelection<Field>
  private var writer: CSVWriter
  private var shared: CSVWriter
  private var transactionExtra = JSONWriter(capacity: 64)
  private var json = JSONWriter(capacity: 1024)
  private var entities = EnvelopeEntities()

  /// An encoder with an empty buffer.
  ///
  /// - Parameters:
  ///   - fields: The columns of the table; nil for all but `values`.
  ///   - guardsFormulas: Whether a text that a spreadsheet would take for a formula gets an apostrophe
  ///     before it.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil, guardsFormulas: Bool = false) throws(ExportFormatError) {
    // What tables have that nobody has told otherwise stays as it is.
    let usual = Field.allCases.filter { $0 != .values }.map(\.name)
    let selection = try FieldSelection<Field>(fields ?? usual)
    let names = Field.allCases.filter(selection.contains).map(\.name)
    self.fields = selection
    prologue = Array((names.joined(separator: ",") + "\n").utf8)
    writer = CSVWriter(hasOneColumn: names.count == 1, guardsFormulas: guardsFormulas)
    shared = CSVWriter(hasOneColumn: names.count == 1, guardsFormulas: guardsFormulas)
  }

  /// Keeps what the rows of a transaction have in common; writes nothing.
  package mutating func begin(_ transaction: HistoryTransaction) {
    shared.removeAll()
    shared.beginRow()
    if fields.contains(.store) {
      if let store = transaction.store { shared.append(store) } else { shared.appendNothing() }
    }
    if fields.contains(.transaction) { shared.append(transaction.number) }
    if fields.contains(.timestamp) {
      if let time = transaction.timestamp?.iso8601() {
        shared.append(time)
      } else {
        shared.appendNothing()
      }
    }
    if fields.contains(.timestampRaw) {
      if let timestamp = transaction.timestamp {
        shared.append(timestamp.secondsSinceReferenceDate)
      } else {
        shared.appendNothing()
      }
    }
    if fields.contains(.author) { append(transaction.author) }
    if fields.contains(.bundle) { append(transaction.bundle) }
    if fields.contains(.process) { append(transaction.process) }
    if fields.contains(.context) { append(transaction.context) }
    transactionExtra.removeAll()
    if !transaction.extra.isEmpty { transactionExtra.appendExtraColumns(transaction.extra) }
  }

  private mutating func append(_ text: RecordedText?) {
    guard let text else { return shared.appendNothing() }
    if let bytes = text.malformedBytes {
      bytes.withUnsafeBufferPointer { shared.append(malformed: $0) }
    } else {
      shared.append(text.string)
    }
  }

  /// Writes the row of a change.
  package mutating func append(_ change: HistoryChange) {
    let entity = change.entity.map { entities.text(for: $0) }
    writer.beginRow(with: shared)
    if fields.contains(.change) { writer.append(change.number) }
    if fields.contains(.kind) {
      switch change.kind {
      case .insert: writer.append("insert")
      case .update: writer.append("update")
      case .delete: writer.append("delete")
      case nil: writer.appendNothing()
      }
    }
    if fields.contains(.entity) { append(entity?.nameUTF8, primaryKey: nil) }
    if fields.contains(.pk) { writer.append(change.primaryKey) }
    if fields.contains(.object) {
      append(change.primaryKey == nil ? nil : entity?.nameUTF8, primaryKey: change.primaryKey)
    }
    if fields.contains(.attributes) {
      if let text = entity?.text, let mask = change.namedMask(text) {
        json.removeAll()
        json.appendAttributeNames(in: mask, text)
        writer.append(textOf: json)
      } else {
        writer.appendNothing()
      }
    }
    if fields.contains(.columnsRaw) { append(change.mask) }
    appendTombstone(of: change, entity)
    if fields.contains(.extra) {
      appendJSON(unless: change.extra.isEmpty) { $0.appendExtraColumns(change.extra) }
    }
    if fields.contains(.transactionExtra) {
      if transactionExtra.count == 0 {
        writer.appendNothing()
      } else {
        writer.append(textOf: transactionExtra)
      }
    }
    if fields.contains(.values) {
      appendJSON(unless: change.values.isEmpty) { $0.appendRecordedValues(change.values) }
    }
    writer.endRow()
  }

  /// Writes a cell of JSON, unless there is nothing to be written.
  private mutating func appendJSON(
    unless isNothing: Bool, _ write: (inout JSONWriter) -> Void
  ) {
    guard !isNothing else { return writer.appendNothing() }
    json.removeAll()
    write(&json)
    writer.append(textOf: json)
  }

  /// Writes the name of an entity, or an object of it.
  private mutating func append(_ name: [UInt8]?, primaryKey: Int64?) {
    guard let name else { return writer.appendNothing() }
    guard !writer.guardsFormulas else {
      let text = String(decoding: name, as: UTF8.self)
      return writer.append(primaryKey.map { "\(text)/p\($0)" } ?? text)
    }
    appendJSON(unless: false) { json in
      json.appendRaw(name)
      guard let primaryKey else { return }
      json.appendRaw("/p")
      json.appendInteger(primaryKey)
    }
  }

  private mutating func append(_ mask: ColumnMask?) {
    guard let mask else { return writer.appendNothing() }
    json.removeAll()
    json.appendMask(mask)
    // Digits need no quotes, neither JSON's nor CSV's; an empty mask is an empty text.
    json.withUnsafeBytes { bytes in
      let digits = bytes.bindMemory(to: UInt8.self).dropFirst().dropLast()
      writer.append(utf8: UnsafeBufferPointer(rebasing: digits))
    }
  }

  /// Writes the cells of the tombstone, and of the entity's number, which stands between them.
  private mutating func appendTombstone(of change: HistoryChange, _ entity: EnvelopeEntity?) {
    var isExact = false
    if let text = entity?.text, let types = change.tombstoneTypes(text) {
      json.removeAll()
      json.appendRaw("{")
      var isFirst = true
      isExact = json.appendTombstoneMembers(change.tombstone, text, types, &isFirst)
      json.appendRaw("}")
      if fields.contains(.tombstone) { writer.append(textOf: json) }
    } else if fields.contains(.tombstone) {
      writer.appendNothing()
    }
    if fields.contains(.entityRaw) { writer.append(entity?.number) }
    guard fields.contains(.tombstoneRaw) else { return }
    appendJSON(unless: isExact || change.tombstone.isEmpty) {
      $0.appendStoredTombstone(change.tombstone)
    }
  }

  /// How many bytes have been written since the last ``removeAll()``, without the heading.
  package var byteCount: Int { writer.buffer.count }

  /// Lends what has been written, without the heading.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.buffer.withUnsafeBytes(body)
  }

  /// Forgets what has been written, for the caller has put it elsewhere.
  package mutating func removeAll() { writer.removeAll() }
}
