/// UUIDs as upper-case text.
package enum UUIDText {
  /// How long the text is, in bytes.
  private static let byteCount = 36
  /// Where in the text the dashes are.
  private static let dashes = [8, 13, 18, 23]

  /// The text of 16 bytes, such as `1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F`.
  package static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: byteCount) { room in
      bytes.withUnsafeBytes { write($0, into: room) }
    }
  }

  /// Writes 16 bytes as a JSON string.
  static func append(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) {
    writer.appendUninitialized(capacity: byteCount + 2) { room in
      room[0] = UInt8(ascii: "\"")
      let end = 1 + write(bytes, into: UnsafeMutableBufferPointer(rebasing: room[1...]))
      room[end] = UInt8(ascii: "\"")
      return end + 1
    }
  }

  /// Writes the first 16 bytes, and answers how long the text is.
  private static func write(
    _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var end = 0
    for (index, byte) in bytes.prefix(16).enumerated() {
      // A dash stands before the bytes 4, 6, 8 and 10.
      if (4...10).contains(index), index % 2 == 0 {
        room[end] = UInt8(ascii: "-")
        end += 1
      }
      room[end] = digit(byte >> 4)
      room[end + 1] = digit(byte & 15)
      end += 2
    }
    return end
  }

  /// The bytes of a text in this form, also with small letters; nil for any other text.
  static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { digits -> [UInt8]? in
      guard digits.count == byteCount else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(16)
      var place = 0
      while place < byteCount {
        if dashes.contains(place) {
          guard digits[place] == UInt8(ascii: "-") else { return nil }
          place += 1
        }
        guard let byte = Hexadecimal.byte(digits[place], digits[place + 1]) else { return nil }
        bytes.append(byte)
        place += 2
      }
      return bytes
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
