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
    switch (type, value) {
    case (.boolean, .integer(let number)) where number == 0 || number == 1:
      writer.appendBoolean(number == 1)
      return true
    case (.date, .real(let seconds)):
      guard let text = StoreTimestamp(secondsSinceReferenceDate: seconds).exactISO8601 else {
        writer.append(raw: value)
        return true
      }
      writer.appendString(text)
      return true
    case (.uuid, .blob(let bytes)) where bytes.count == 16:
      writer.appendString(UUIDText.text(of: bytes))
      return true
    case (.date, .text), (.uuid, .text):
      writer.append(raw: value)
      return false
    default:
      writer.append(raw: value)
      return true
    }
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

/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// The bytes; nil for a text that is no such.
  package static func bytes(of text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
