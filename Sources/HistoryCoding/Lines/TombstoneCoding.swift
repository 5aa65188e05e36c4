import PersistentHistory
import StoreFormat

/// Values of deleted objects in the form that their attribute's type suggests.
///
/// A boolean is `true` or `false`, a date ISO 8601 and a UUID upper-case text; everything else is
/// written as it is stored. Where a stored text would be taken for a date or a UUID on the way
/// back, the raw form must stand beside it.
enum TombstoneCoding {
  /// Writes a value; false where reading it back by its type would not give the same value.
  static func append(
    _ value: StoredValue, of type: AttributeType, to writer: inout JSONWriter
  ) -> Bool {
    switch value {
    case .null, .malformedText, .text:
      writer.append(raw: value)
      return !isMistakable(value, type)
    case .integer(let number): return append(LentValue.integer(number), of: type, to: &writer)
    case .real(let number): return append(LentValue.real(number), of: type, to: &writer)
    case .blob(let bytes):
      return bytes.withUnsafeBytes { append(LentValue.blob($0), of: type, to: &writer) }
    }
  }

  /// Writes a value that is lent; false where reading it back by its type would not give the same
  /// value, and for a text that is not clean, of which nothing is written.
  @inline(__always)
  static func append(
    _ value: LentValue, of type: AttributeType, to writer: inout JSONWriter
  ) -> Bool {
    switch (type, value) {
    case (.boolean, .integer(let number)) where number == 0 || number == 1:
      writer.appendBoolean(number == 1)
    case (.date, .real(let seconds)):
      append(StoreTimestamp(secondsSinceReferenceDate: seconds), to: &writer)
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      UUIDText.append(bytes, to: &writer)
    case (_, .integer(let number)): writer.appendInteger(number)
    case (_, .real(let number)): writer.append(raw: number)
    case (_, .blob(let bytes)): writer.append(blob: bytes)
    case (.date, .text), (.uuid, .text): return false
    case (_, .text(let bytes)):
      let text = bytes.assumingMemoryBound(to: UInt8.self)
      guard !text.contains(0), UTF8Check.isValid(text) else { return false }
      writer.appendString(validUTF8: text)
    }
    return true
  }

  /// Whether a text would be read back as something else.
  private static func isMistakable(_ value: StoredValue, _ type: AttributeType) -> Bool {
    guard case .text = value else { return false }
    return type == .date || type == .uuid
  }

  /// Writes a time to its last bit, or the stored number where it has no such text.
  private static func append(_ time: StoreTimestamp, to writer: inout JSONWriter) {
    let start = writer.count
    writer.appendUninitialized(capacity: StoreTimestamp.exactISO8601ByteCount + 2) { room in
      let count = time.writeExactISO8601(
        into: UnsafeMutableBufferPointer(rebasing: room[1..<room.count - 1]))
      guard count > 0 else { return 0 }
      room[0] = UInt8(ascii: "\"")
      room[count + 1] = UInt8(ascii: "\"")
      return count + 2
    }
    if writer.count == start { writer.append(raw: time.secondsSinceReferenceDate) }
  }

  /// Reads a value back; nil where it is none that the type can have.
  static func value(_ json: JSONValue, of type: AttributeType) -> StoredValue? {
    switch (type, json) {
    case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
    case (.date, .string(let text)):
      StoreTimestamp(exactISO8601: text).map { .real($0.secondsSinceReferenceDate) }
    case (.uuid, .string(let text)): UUIDText.bytes(of: text).map(StoredValue.blob)
    default: StoredValue(raw: json)
    }
  }
}
