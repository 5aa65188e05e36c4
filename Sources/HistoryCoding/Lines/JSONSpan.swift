/// How far a value reaches in a text, by its brackets and strings alone.
struct JSONSpan {
  private static let opening = Array("\"changes\":[".utf8)

  /// The place behind what was found.
  private(set) var end = 0
  private var depth = 0

  /// Goes behind the opening of a line's changes; false where there is none.
  mutating func findChanges(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    while end < text.count {
      let byte = text[end]
      if byte == UInt8(ascii: "\""), depth == 1,
        text[end...].starts(with: Self.opening)
      {
        end += Self.opening.count
        return true
      }
      if byte == UInt8(ascii: "\n") { return false }
      step(byte, text)
    }
    return false
  }

  /// Goes behind one object; false where it does not end.
  mutating func findEndOfObject(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    while end < text.count {
      step(text[end], text)
      if depth <= 0 { return end <= text.count }
    }
    return false
  }

  @inline(__always)
  private mutating func step(_ byte: UInt8, _ text: UnsafeBufferPointer<UInt8>) {
    end += 1
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    case UInt8(ascii: "\""):
      while end < text.count, text[end] != UInt8(ascii: "\"") {
        end += text[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end += 1
    default: break
    }
  }
}
