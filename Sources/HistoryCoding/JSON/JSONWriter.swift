import PropertyLists
import StoreFormat

/// Writes JSON text to the end of its own buffer: the hot path of every export.
///
/// It adds no commas, colons or brackets of its own: the caller knows the shape of a record and writes the
/// fixed parts with `appendRaw`. Each `append` of a value writes one complete JSON value. The buffer
/// grows by doubling and is kept between records; nothing else is allocated.
package struct JSONWriter: Sendable {
  /// The largest buffer that is kept for the next text.
  private static let keptCapacity = 4 << 20
  /// The size of the pieces in which long strings are escaped.
  private static let pieceLength = 1024

  // The whole array is capacity, and only the first `count` bytes are text. So a primitive checks the
  // capacity once, and then writes without the cost of `Array.append`.
  private var storage: [UInt8]

  /// The size of the text, in bytes.
  package private(set) var count = 0

  /// Takes the text while a long value is written; `nil` if the buffer keeps all of it.
  var drain: TextDrain?

  /// Creates an empty writer.
  ///
  /// - Parameter capacity: The number of bytes before the buffer grows.
  package init(capacity: Int = 4096) {
    storage = [UInt8](repeating: 0, count: max(capacity, 64))
  }

  /// The text so far, without a copy; valid until the writer is changed.
  package var bytes: ArraySlice<UInt8> { storage[..<count] }

  /// Lends the text so far to a closure.
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeBufferPointer { buffer throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count])))
    }
  }

  /// Removes the text. The buffer is kept for the next one, unless a single huge text has made it large.
  package mutating func removeAll(keepingCapacity: Bool = true) {
    count = 0
    if !keepingCapacity || storage.count > Self.keptCapacity {
      storage = [UInt8](repeating: 0, count: 64)
    }
  }

  /// Removes the text after a number of bytes.
  package mutating func truncate(to count: Int) { self.count = min(self.count, max(count, 0)) }

  /// Lends a buffer at the end of the text to a closure, which fills it and returns the number of bytes.
  /// A number outside 0 to `capacity` is clamped.
  @inline(__always)
  package mutating func appendUninitialized(
    capacity: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    if storage.count &- count < capacity { grow(to: max(storage.count * 2, count + capacity)) }
    let start = count
    let filled = storage.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return fill(UnsafeMutableBufferPointer(start: base + start, count: capacity))
    }
    count = start &+ min(max(filled, 0), capacity)
  }

  @inline(never)
  private mutating func grow(to size: Int) {
    // The rest is not filled, so that it takes no memory until text is written there.
    storage = [UInt8](unsafeUninitializedCapacity: size) { buffer, initializedCount in
      storage.withUnsafeBufferPointer { text in
        _ = buffer.initialize(fromContentsOf: text[..<count])
      }
      initializedCount = size
    }
  }

  // MARK: - Raw text

  /// Writes a part of JSON as it is.
  @inline(__always)
  package mutating func appendRaw(_ text: StaticString) {
    text.withUTF8Buffer { appendRaw($0) }
  }

  /// Writes a part of JSON as it is.
  @inline(__always)
  package mutating func appendRaw(_ bytes: UnsafeBufferPointer<UInt8>) {
    appendUninitialized(capacity: bytes.count) { buffer in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(bytes))
      return bytes.count
    }
  }

  /// Writes a part of JSON as it is.
  @inline(__always)
  package mutating func appendRaw(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { appendRaw($0) }
  }

  /// Writes one byte as it is.
  @inline(__always)
  package mutating func appendRaw(_ byte: UInt8) {
    appendUninitialized(capacity: 1) { buffer in
      buffer[0] = byte
      return 1
    }
  }

  // MARK: - Values

  /// Writes `true` or `false`.
  @inline(__always)
  package mutating func appendBoolean(_ value: Bool) { appendRaw(value ? "true" : "false") }

  /// Writes an integer.
  @inline(__always)
  package mutating func appendInteger(_ value: Int64) {
    appendUninitialized(capacity: 20) { Self.write(value, to: $0) }
  }

  /// Writes the shortest text that reads back to the same bits; an integral value keeps its `.0`.
  ///
  /// JSON has no text for infinities and NaN: they are written as `null`.
  package mutating func appendReal(_ value: Double) {
    guard value.isFinite else { return appendRaw("null") }
    var text = value.description
    text.withUTF8 { appendRaw($0) }
  }

  /// Writes an integer to a buffer of at least 20 bytes, and returns its length.
  @inline(__always)
  static func write(_ value: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var rest = value.magnitude
    var length = value < 0 ? 1 : 0
    var limit: UInt64 = 10
    length &+= 1
    while rest >= limit {
      length &+= 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      if overflow { break }
      limit = next
    }
    var place = length
    repeat {
      place &-= 1
      buffer[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if value < 0 { buffer[0] = UInt8(ascii: "-") }
    return length
  }

  /// Writes a value with everything in it.
  ///
  /// It calls itself for each level of nesting, so a value that was not read by ``JSONReader`` (which
  /// limits them) must not be nested thousands deep.
  package mutating func append(_ value: JSONValue) {
    switch value {
    case .null: appendRaw("null")
    case .boolean(let value): appendBoolean(value)
    case .integer(let value): appendInteger(value)
    case .real(let value): appendReal(value)
    case .string(let value): appendString(value)
    case .array(let elements):
      appendRaw("[")
      for (position, element) in elements.enumerated() {
        if position > 0 { appendRaw(",") }
        append(element)
      }
      appendRaw("]")
    case .object(let object):
      appendRaw("{")
      for (position, member) in object.members.enumerated() {
        if position > 0 { appendRaw(",") }
        appendString(member.key)
        appendRaw(":")
        append(member.value)
      }
      appendRaw("}")
    }
  }

  // MARK: - Strings

  /// Writes a string in quotes; only quote, backslash and controls below 0x20 are escaped.
  package mutating func appendString(_ text: String) {
    var copy = text
    copy.withUTF8 { appendString(validUTF8: $0) }
  }

  /// Writes bytes as a string in quotes. The caller must know that they are UTF-8 (``UTF8Check``).
  mutating func appendString(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count > Self.pieceLength else {
      return appendUninitialized(capacity: bytes.count * 6 + 10) { buffer in
        buffer[0] = UInt8(ascii: "\"")
        let end = 1 + Self.escape(bytes, to: UnsafeMutableBufferPointer(rebasing: buffer[1...]))
        buffer[end] = UInt8(ascii: "\"")
        return end + 1
      }
    }
    appendRaw(UInt8(ascii: "\""))
    appendEscaped(bytes)
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes a part of a string, with escapes and without quotes.
  mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
    let isDrained = drain != nil && bytes.count > TextDrain.longValue
    // Escape in pieces, so that only one of them reserves memory for the longest escapes. If all are kept, grow the
    // buffer once, because doubling would take up to three times the memory.
    if bytes.count > Self.pieceLength {
      let length = Self.escapedLength(of: bytes)
      if isDrained { drainIfTooFull(for: length) }
      let needed = count + length + Self.pieceLength * 6
      if storage.count < needed, !isDrained || needed <= drain?.capacity ?? 0 { grow(to: needed) }
    }
    for start in stride(from: 0, to: bytes.count, by: Self.pieceLength) {
      let end = min(start + Self.pieceLength, bytes.count)
      let piece = UnsafeBufferPointer(rebasing: bytes[start..<end])
      appendUninitialized(capacity: piece.count * 6 + 8) { Self.escape(piece, to: $0) }
      if isDrained { drainIfFull() }
    }
  }

  /// The length of text with escapes.
  private static func escapedLength(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    bytes.reduce(0) { length, byte in
      switch byte {
      case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): length + 2
      case 0..<0x20: length + 6
      default: length + 1
      }
    }
  }

  /// Writes a part of a string, with escapes and without quotes.
  mutating func appendEscaped(_ text: String) {
    var copy = text
    copy.withUTF8 { appendEscaped($0) }
  }

  /// Writes bytes as a string of base64 with padding (RFC 4648, section 4), in quotes.
  mutating func appendBase64(_ bytes: UnsafeBufferPointer<UInt8>) {
    appendRaw(UInt8(ascii: "\""))
    appendPieces(of: bytes, outputSize: { ($0 + 2) / 3 * 4 }, Base64.encode)
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes bytes as a string of base64 with padding (RFC 4648, section 4), in quotes.
  package mutating func appendBase64(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { appendBase64($0) }
  }

  /// Writes bytes as a string of lower-case hexadecimal digits, two for each byte, in quotes.
  mutating func appendHexadecimal(_ bytes: UnsafeBufferPointer<UInt8>) {
    appendRaw(UInt8(ascii: "\""))
    appendDigits(bytes)
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes bytes as lower-case hexadecimal digits without quotes.
  mutating func appendDigits(_ bytes: UnsafeBufferPointer<UInt8>) {
    appendPieces(of: bytes, outputSize: { $0 * 2 }, Hexadecimal.encode)
  }

  /// Writes bytes as a string of lower-case hexadecimal digits, two for each byte, in quotes.
  package mutating func appendHexadecimal(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { appendHexadecimal($0) }
  }

  /// Writes bytes in an encoding, long ones in pieces if there is a drain.
  ///
  /// - Parameters:
  ///   - outputSize: Returns the length of the encoding of a number of bytes.
  ///   - encode: Encodes bytes, and returns the length.
  @inline(__always)
  private mutating func appendPieces(
    of bytes: UnsafeBufferPointer<UInt8>, outputSize: (Int) -> Int,
    _ encode: (UnsafeBufferPointer<UInt8>, UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    guard drain != nil, bytes.count > TextDrain.longValue else {
      return appendUninitialized(capacity: outputSize(bytes.count)) { encode(bytes, $0) }
    }
    drainIfTooFull(for: outputSize(bytes.count))
    // Groups of base64 have three bytes.
    let size = TextDrain.longValue / 3 * 3
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = UnsafeBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
      appendUninitialized(capacity: outputSize(piece.count)) { encode(piece, $0) }
      drainIfFull()
    }
  }

  /// Copies text with escapes, and returns its length, at most six times that of the source.
  ///
  /// The buffer must be eight bytes larger than that, because whole words are stored; what is beyond a
  /// byte that needs an escape is overwritten later.
  @inline(__always)
  private static func escape(
    _ source: UnsafeBufferPointer<UInt8>, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    guard let from = UnsafeRawPointer(source.baseAddress),
      let target = UnsafeMutableRawPointer(buffer.baseAddress)
    else { return 0 }
    var read = 0
    var written = 0
    while read < source.count {
      if source.count &- read >= 8 {
        let word = UInt64(littleEndian: from.loadUnaligned(fromByteOffset: read, as: UInt64.self))
        target.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
        let special = ByteText.specialBytes(in: word)
        let plain = special == 0 ? 8 : special.trailingZeroBitCount / 8
        read &+= plain
        written &+= plain
        if special == 0 { continue }
      }
      let byte = source[read]
      read &+= 1
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        buffer[written] = byte
        written &+= 1
      } else {
        written &+= writeEscape(
          of: byte, to: UnsafeMutableBufferPointer(rebasing: buffer[written...]))
      }
    }
    return written
  }

  @inline(never)
  private static func writeEscape(
    of byte: UInt8, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    buffer[0] = UInt8(ascii: "\\")
    switch byte {
    case 0x08: buffer[1] = UInt8(ascii: "b")
    case 0x09: buffer[1] = UInt8(ascii: "t")
    case 0x0A: buffer[1] = UInt8(ascii: "n")
    case 0x0C: buffer[1] = UInt8(ascii: "f")
    case 0x0D: buffer[1] = UInt8(ascii: "r")
    case 0..<0x20:
      let digits: StaticString = "u00"
      for index in 0..<3 { buffer[1 + index] = digits.utf8Start[index] }
      buffer[4] = Hexadecimal.digit(byte >> 4)
      buffer[5] = Hexadecimal.digit(byte & 15)
      return 6
    default: buffer[1] = byte
    }
    return 2
  }
}
