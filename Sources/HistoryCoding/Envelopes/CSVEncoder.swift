import PersistentHistory
import StoreFormat

/// Writes a table of comma-separated values (RFC 4180) with a heading and one row for each change.
///
/// Rows end with a line feed, which every CSV reader accepts and line-based tools need. A cell without a
/// value is empty, and an empty text is `""` (in a table of one column both are, because an empty line
/// would not be a row). Names of attributes are an array in JSON, tombstones and extra columns are
/// objects in JSON, coded as in the line of a transaction; a mask is hexadecimal digits. A text that is
/// not clean UTF-8 or holds a NUL is written as `{"$text":base64}`, and a clean text of that form cannot
/// be distinguished from it.
///
/// Texts are written as they are. A spreadsheet may take one that begins with `=`, `+`, `-` or `@` for a
/// formula. With `guardsFormulas`, such authors, bundles, processes, contexts and entities get an
/// apostrophe before them, which other readers see as part of the text. Text that users of an app have
/// typed is only in tombstones, within JSON, which begins with a brace.
///
/// A transaction without changes has no row, and query generations are omitted. Old and new values, where
/// they are known, are an object in JSON in the last column.
package struct CSVEncoder: HistoryEncoder {
  static let fields: [LineKey] = [
    .store, .transaction, .timestamp, .timestampRaw, .author, .bundle, .process, .context, .change,
    .kind, .entity, .pk, .object, .attributes, .columnsRaw, .tombstone, .entityRaw, .tombstoneRaw,
    .extra, .transactionExtra, .values,
  ]

  /// The heading.
  package let prologue: [UInt8]

  private let fields: FieldSelection
  private var writer: CSVWriter
  private var shared: CSVWriter
  private var transactionExtra: [ExtraColumn] = []
  /// The transaction, if its texts are too long for `shared`.
  private var longTransaction: HistoryTransaction?
  private var json = JSONWriter(capacity: 1024)
  private var texts = EntityTexts()

  /// Creates an encoder with an empty buffer.
  ///
  /// - Parameters:
  ///   - fields: The columns of the table; `nil` for all.
  ///   - guardsFormulas: Whether a text that a spreadsheet would take for a formula gets an apostrophe
  ///     before it.
  /// - Throws: ``ExportFormatError``.
  package init(fields: [String]? = nil, guardsFormulas: Bool = false) throws(ExportFormatError) {
    let selection = try FieldSelection(fields ?? Self.fields.map(\.name), of: .csv)
    let names = Self.fields.filter(selection.contains).map(\.name)
    self.fields = selection
    prologue = Array((names.joined(separator: ",") + "\n").utf8)
    writer = CSVWriter(hasOneColumn: names.count == 1, guardsFormulas: guardsFormulas)
    shared = writer
  }

  package mutating func begin(_ transaction: HistoryTransaction) {
    transactionExtra = transaction.extra
    shared.removeAll()
    shared.beginRow()
    longTransaction = transaction.hasLongValue ? transaction : nil
    if longTransaction == nil { Self.append(transaction, fields, to: &shared) }
  }

  package mutating func end() {
    transactionExtra = []
    longTransaction = nil
  }

  /// Writes the cells that the rows of a transaction share.
  private static func append(
    _ transaction: HistoryTransaction, _ fields: FieldSelection, to writer: inout CSVWriter
  ) {
    if fields.contains(.store) { writer.append(transaction.store) }
    if fields.contains(.transaction) { writer.append(transaction.number) }
    if fields.contains(.timestamp) { writer.append(transaction.timestamp?.iso8601()) }
    if fields.contains(.timestampRaw) {
      writer.append(transaction.timestamp?.secondsSinceReferenceDate)
    }
    if fields.contains(.author) { writer.append(transaction.author) }
    if fields.contains(.bundle) { writer.append(transaction.bundle) }
    if fields.contains(.process) { writer.append(transaction.process) }
    if fields.contains(.context) { writer.append(transaction.context) }
  }

  /// Writes the row of a change.
  package mutating func append(_ change: HistoryChange) {
    let text = change.entity.map { texts.text(for: $0) }
    let types = change.kind == .delete ? text?.tombstoneTypes : nil
    writer.beginRow(with: shared)
    if let longTransaction { Self.append(longTransaction, fields, to: &writer) }
    let isLong = change.hasLongValue
    if fields.contains(.change) { writer.append(change.number) }
    if fields.contains(.kind) { writer.append(change.kind?.name) }
    if fields.contains(.entity) { append(text?.nameUTF8, primaryKey: nil) }
    if fields.contains(.pk) { writer.append(change.primaryKey) }
    if fields.contains(.object) {
      append(change.primaryKey == nil ? nil : text?.nameUTF8, primaryKey: change.primaryKey)
    }
    if fields.contains(.attributes) {
      if change.kind == .update, let mask = change.mask, let text, text.names(mask) {
        appendJSON { $0.appendAttributeNames(in: mask, text) }
      } else {
        writer.appendNothing()
      }
    }
    if fields.contains(.columnsRaw) { writer.append(change.mask) }
    if fields.contains(.tombstone) {
      appendJSON(unless: types == nil, isLong: isLong) { json in
        var isFirst = true
        json.appendRaw(UInt8(ascii: "{"))
        if let text { json.appendTombstoneMembers(change.tombstone, text, &isFirst) }
        json.appendRaw(UInt8(ascii: "}"))
      }
    }
    if fields.contains(.entityRaw) { writer.append(text?.number) }
    if fields.contains(.tombstoneRaw) {
      appendJSON(
        unless: !TypedValue.needsStoredForm(change.tombstone, types), isLong: isLong
      ) {
        $0.appendStoredTombstone(change.tombstone)
      }
    }
    appendRest(of: change, isLong: isLong)
    writer.endRow()
  }

  /// Writes what else a row holds, and old and new values.
  private mutating func appendRest(of change: HistoryChange, isLong: Bool) {
    if fields.contains(.extra) {
      appendJSON(unless: change.extra.isEmpty, isLong: isLong) {
        $0.appendExtraColumns(change.extra)
      }
    }
    if fields.contains(.transactionExtra) {
      let columns = transactionExtra
      appendJSON(unless: columns.isEmpty, isLong: columns.contains { $0.value.isLong }) {
        $0.appendExtraColumns(columns)
      }
    }
    if fields.contains(.values) {
      appendJSON(unless: change.values.isEmpty, isLong: isLong) {
        $0.appendRecordedValues(change.values)
      }
    }
  }

  /// Writes a cell of JSON, or an empty one.
  private mutating func appendJSON(
    unless isNothing: Bool = false, isLong: Bool = false, _ write: (inout JSONWriter) -> Void
  ) {
    guard !isNothing else { return writer.appendNothing() }
    guard !isLong else { return writer.append(long: &json, write) }
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
    appendJSON { json in
      json.appendRaw(name)
      guard let primaryKey else { return }
      json.appendRaw("/p")
      json.appendInteger(primaryKey)
    }
  }

  package var drain: TextDrain? {
    get { writer.buffer.drain }
    set { writer.buffer.drain = newValue }
  }

  package var byteCount: Int { writer.buffer.count }

  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try writer.buffer.withUnsafeBytes(body)
  }

  package mutating func removeAll() { writer.removeAll() }
}

/// Writes rows of RFC 4180 to its own buffer, each ended by a line feed.
///
/// A cell is quoted only if it holds a comma, a quotation mark or a line end, or is an empty text, which
/// distinguishes it from a missing value.
package struct CSVWriter: Sendable {
  // It holds cells, not JSON, but serves as a buffer and writes numbers.
  fileprivate(set) var buffer: JSONWriter
  private var isRowEmpty = true

  /// Whether rows have one cell, so that an empty line would not be a row.
  let hasOneColumn: Bool
  /// Whether a text that a spreadsheet would take for a formula gets an apostrophe before it.
  let guardsFormulas: Bool

  init(hasOneColumn: Bool, guardsFormulas: Bool = false, capacity: Int = 1 << 16) {
    buffer = JSONWriter(capacity: capacity)
    self.hasOneColumn = hasOneColumn
    self.guardsFormulas = guardsFormulas
  }

  /// Returns a row of texts of several columns.
  package static func row(_ texts: [String?], guardsFormulas: Bool = false) -> [UInt8] {
    var writer = CSVWriter(hasOneColumn: false, guardsFormulas: guardsFormulas, capacity: 256)
    for text in texts { writer.append(text) }
    writer.endRow()
    return Array(writer.buffer.bytes)
  }

  mutating func removeAll() { buffer.removeAll() }

  /// Begins a row with a copy of cells, of which each but the first begins with its comma.
  @inline(__always)
  mutating func beginRow(with cells: borrowing CSVWriter) {
    buffer.appendText(of: cells.buffer)
    isRowEmpty = cells.isRowEmpty
  }

  /// Makes the next cell the first of its row.
  mutating func beginRow() { isRowEmpty = true }

  @inline(__always)
  mutating func endRow() { buffer.appendRaw("\n") }

  @inline(__always)
  private mutating func beginCell() {
    if isRowEmpty { isRowEmpty = false } else { buffer.appendRaw(UInt8(ascii: ",")) }
  }

  /// Writes a cell without a value.
  @inline(__always)
  mutating func appendNothing() {
    beginCell()
    if hasOneColumn { buffer.appendRaw("\"\"") }
  }

  @inline(__always)
  mutating func append(_ number: Int64?) {
    guard let number else { return appendNothing() }
    beginCell()
    buffer.appendInteger(number)
  }

  /// Writes a real as the shortest text that reads back to the same bits, or as `inf` or `-inf`.
  mutating func append(_ number: Double?) {
    guard let number else { return appendNothing() }
    beginCell()
    if number.isFinite {
      buffer.appendReal(number)
    } else {
      // SQLite has no NaN: it stores one as null.
      if number > 0 { buffer.appendRaw("inf") } else { buffer.appendRaw("-inf") }
    }
  }

  mutating func append(_ text: String?) {
    guard let text else { return appendNothing() }
    var copy = guardsFormulas && Self.isFormula(text.utf8.first) ? "'" + text : text
    copy.withUTF8 { append(utf8: $0) }
  }

  mutating func append(_ text: RecordedText?) {
    if let bytes = text?.malformedBytes {
      bytes.withUnsafeBufferPointer { append(malformed: $0) }
    } else {
      append(text?.string)
    }
  }

  /// Writes a mask as digits, which need no quotes; an empty mask is an empty text.
  mutating func append(_ mask: ColumnMask?) {
    guard let mask else { return appendNothing() }
    beginCell()
    if mask.byteCount == 0 { return buffer.appendRaw("\"\"") }
    mask.withBytes { buffer.appendDigits($0.bindMemory(to: UInt8.self)) }
  }

  /// Writes a cell of JSON, in pieces if it is long; it then has quotation marks.
  mutating func append(long json: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
    json.removeAll()
    let nested = buffer.drain.map { drain in
      buffer.drainText()
      return TextDrain(into: drain, after: isRowEmpty ? "\"" : ",\"") {
        $1.appendDoublingQuotes($0)
      }
    }
    json.drain = nested
    write(&json)
    if let nested, nested.byteCount > 0 {
      json.drainText()
      isRowEmpty = false
      buffer.appendRaw(UInt8(ascii: "\""))
    }
    json.drain = nil
    if nested?.byteCount ?? 0 == 0 { append(textOf: json) }
  }

  /// Writes bytes, which must be UTF-8, as a text.
  mutating func append(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty, bytes.contains(where: Self.isSpecial) else {
      beginCell()
      return bytes.isEmpty ? buffer.appendRaw("\"\"") : buffer.appendLong(raw: bytes)
    }
    // Many readers of CSV reject a NUL or end the text there.
    guard !bytes.contains(0) else { return append(malformed: bytes) }
    beginCell()
    buffer.appendRaw(UInt8(ascii: "\""))
    if bytes.count > TextDrain.longValue {
      for start in stride(from: 0, to: bytes.count, by: TextDrain.longValue) {
        let end = min(start + TextDrain.longValue, bytes.count)
        buffer.appendDoublingQuotes(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        buffer.drainIfFull()
      }
    } else {
      buffer.appendDoublingQuotes(bytes)
    }
    buffer.appendRaw(UInt8(ascii: "\""))
  }

  /// Writes the bytes of a text that is not clean as an object in JSON.
  mutating func append(malformed bytes: UnsafeBufferPointer<UInt8>) {
    beginCell()
    // In a quoted cell, the object's quotation marks are doubled. `appendBase64` writes a pair of its
    // own.
    buffer.appendRaw("\"{\"\"$text\"\":\"")
    buffer.appendBase64(bytes)
    buffer.appendRaw("\"}\"")
  }

  @inline(__always)
  mutating func append(textOf json: borrowing JSONWriter) {
    json.withUnsafeBytes { append(utf8: $0.bindMemory(to: UInt8.self)) }
  }

  /// Whether a spreadsheet may take a text that begins with a byte for a formula, according to OWASP's
  /// page on CSV injection.
  private static func isFormula(_ first: UInt8?) -> Bool {
    first.map { "=+-@\t\r".utf8.contains($0) } ?? false
  }

  @inline(__always)
  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r") || byte == 0
  }
}

extension JSONWriter {
  /// Copies bytes with each quotation mark twice.
  fileprivate mutating func appendDoublingQuotes(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes[...]
    while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
      appendRaw(UnsafeBufferPointer(rebasing: rest[...quote]))
      appendRaw(UInt8(ascii: "\""))
      rest = rest[(quote + 1)...]
    }
    appendRaw(UnsafeBufferPointer(rebasing: rest))
  }
}
