/// Writes rows of RFC 4180 to its own buffer, each ended by a line feed.
///
/// A cell is quoted only where it must be: where it holds a comma, a quotation mark or a line end,
/// or is an empty text, which so stays apart from no value at all.
struct CSVWriter: Sendable {
  // It holds cells, not JSON; as a buffer it is the same, and it writes numbers.
  private(set) var buffer = JSONWriter(capacity: 1 << 16)
  private var isRowEmpty = true

  /// Whether rows have one cell: then a line without anything would be taken for no row.
  let hasOneColumn: Bool
  /// Whether a text that a spreadsheet would take for a formula gets an apostrophe before it.
  let guardsFormulas: Bool

  init(hasOneColumn: Bool, guardsFormulas: Bool = false) {
    self.hasOneColumn = hasOneColumn
    self.guardsFormulas = guardsFormulas
  }

  mutating func removeAll() { buffer.removeAll() }

  /// Copies cells, of which each but the first begins with its comma, to the beginning of a row.
  @inline(__always)
  mutating func beginRow(with cells: borrowing CSVWriter) {
    buffer.appendText(of: cells.buffer)
    isRowEmpty = cells.isRowEmpty
  }

  /// Makes the next cell the first of its row.
  mutating func beginRow() { isRowEmpty = true }

  /// Ends a row.
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

  /// Writes an integer.
  @inline(__always)
  mutating func append(_ number: Int64?) {
    guard let number else { return appendNothing() }
    beginCell()
    buffer.appendInteger(number)
  }

  /// Writes a real as the shortest text that reads back to the same bits, or as `inf` or `-inf`.
  mutating func append(_ number: Double) {
    beginCell()
    if number.isFinite {
      buffer.appendReal(number)
    } else {
      // SQLite has no NaN: it stores one as null.
      if number > 0 { buffer.appendRaw("inf") } else { buffer.appendRaw("-inf") }
    }
  }

  /// Writes a word that needs no quotes.
  @inline(__always)
  mutating func append(_ word: StaticString) {
    beginCell()
    buffer.appendRaw(word)
  }

  /// Writes a text.
  mutating func append(_ text: String) {
    var copy = guardsFormulas && Self.isFormula(text.utf8.first) ? "'" + text : text
    copy.withUTF8 { append(utf8: $0) }
  }

  /// Writes bytes, which must be UTF-8, as a text.
  mutating func append(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty, bytes.contains(where: Self.isSpecial) else {
      beginCell()
      return bytes.isEmpty ? buffer.appendRaw("\"\"") : buffer.appendRaw(bytes)
    }
    // Many readers of CSV refuse a NUL or end the text there.
    guard !bytes.contains(0) else { return append(malformed: bytes) }
    beginCell()
    buffer.appendRaw(UInt8(ascii: "\""))
    var rest = bytes[...]
    while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
      buffer.appendRaw(UnsafeBufferPointer(rebasing: rest[...quote]))
      buffer.appendRaw(UInt8(ascii: "\""))
      rest = rest[(quote + 1)...]
    }
    buffer.appendRaw(UnsafeBufferPointer(rebasing: rest))
    buffer.appendRaw(UInt8(ascii: "\""))
  }

  /// Writes the bytes of a text that is not clean as an object in JSON.
  mutating func append(malformed bytes: UnsafeBufferPointer<UInt8>) {
    beginCell()
    // Quoted, the object's own quotation marks are doubled; base64 brings a pair of its own.
    buffer.appendRaw("\"{\"\"$text\"\":\"")
    buffer.appendBase64(bytes)
    buffer.appendRaw("\"}\"")
  }

  /// Writes what a writer of JSON holds.
  @inline(__always)
  mutating func append(textOf json: borrowing JSONWriter) {
    json.withUnsafeBytes { append(utf8: $0.bindMemory(to: UInt8.self)) }
  }

  /// Whether a spreadsheet may take a text that begins with a byte for a formula, as OWASP's page on CSV
  /// injection lists them.
  private static func isFormula(_ first: UInt8?) -> Bool {
    first.map { "=+-@\t\r".utf8.contains($0) } ?? false
  }

  @inline(__always)
  private static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r") || byte == 0
  }
}
