/// Steps through a text of digits, letters and signs, the way moments and durations are written.
///
/// Letters are lowered, blanks at the ends are dropped, and each run of blanks inside becomes one
/// space, so that the grammars need not know of any of this.
struct MomentScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if bytes.last != UInt8(ascii: " ") && !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        bytes.append(byte | 0x20)
      default:
        bytes.append(byte)
      }
    }
    if bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    self.bytes = bytes
  }

  /// Whether everything has been read.
  var isAtEnd: Bool { position == bytes.count }

  /// The next byte without taking it; nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// What has not been read yet.
  var rest: ArraySlice<UInt8> { bytes[position...] }

  /// Takes the character if it comes next, and answers whether it did.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Takes all digits that come next; empty if there are none.
  mutating func takeDigits() -> ArraySlice<UInt8> {
    takeRun { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  /// Takes all lower-case letters that come next; empty if there are none.
  mutating func takeWord() -> String {
    let word = takeRun { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
    return String(decoding: word, as: UTF8.self)
  }

  /// Takes a number of exactly so many digits; nil, and nothing is taken, if there are more or
  /// fewer.
  mutating func takeNumber(digits range: ClosedRange<Int>) -> Int? {
    let start = position
    let digits = takeDigits()
    guard range.contains(digits.count), let value = Self.value(of: digits) else {
      position = start
      return nil
    }
    return value
  }

  /// The value of ASCII digits; nil if there are none or more than 12 after leading zeros, which
  /// leaves room to multiply.
  static func value(of digits: ArraySlice<UInt8>) -> Int? {
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty, significant.count <= 12 else { return nil }
    return significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private mutating func takeRun(where belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, belongs(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }
}
