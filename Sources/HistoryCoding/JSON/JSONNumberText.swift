/// Writes numbers as JSON text into memory of the caller.
enum JSONNumberText {
  /// Writes an integer and answers its length, at most 20, which the buffer must have.
  @inline(__always)
  static func write(_ value: Int64, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard value < 0 else { return write(UInt64(value), to: buffer, from: 0) }
    buffer[0] = UInt8(ascii: "-")
    return write(value.magnitude, to: buffer, from: 1)
  }

  /// Writes a finite real and answers its length, at most 32, which the buffer must have.
  static func write(_ value: Double, to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let length = writeMicroseconds(value, to: buffer)
    if length > 0 { return length }
    var stream = ASCIIStream(buffer: buffer)
    value.write(to: &stream)
    return stream.count
  }

  /// Writes numbers of at most six decimals, as times in microseconds are, several times faster
  /// than the general way; answers 0 where the number is no such.
  ///
  /// Decimals of at most 15 digits are all different doubles. So if one of them, rounded to the
  /// nearest double, is this number, then it is also its shortest text.
  private static func writeMicroseconds(
    _ value: Double, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    let magnitude = value.magnitude
    guard magnitude < 999_999_999, magnitude >= 0.001 else { return 0 }
    let millionths = Int64(magnitude * 1_000_000 + 0.5)
    guard Double(millionths) / 1_000_000 == magnitude else { return 0 }
    let fraction = Int(truncatingIfNeeded: millionths % 1_000_000)
    var end = 0
    if value < 0 {
      buffer[0] = UInt8(ascii: "-")
      end = 1
    }
    end = write(UInt64(truncatingIfNeeded: millionths / 1_000_000), to: buffer, from: end)
    buffer[end] = UInt8(ascii: ".")
    storePair(fraction / 10_000, at: end &+ 1, of: buffer)
    storePair(fraction / 100 % 100, at: end &+ 3, of: buffer)
    storePair(fraction % 100, at: end &+ 5, of: buffer)
    var length = end &+ 7
    while length > end &+ 2, buffer[length &- 1] == UInt8(ascii: "0") { length &-= 1 }
    return length
  }

  /// Writes digits from an index on and answers the index after the last one.
  @inline(__always)
  private static func write(
    _ value: UInt64, to buffer: UnsafeMutableBufferPointer<UInt8>, from start: Int
  ) -> Int {
    let end = start &+ digitCount(of: value)
    var rest = value
    var index = end
    while rest >= 100 {
      index &-= 2
      storePair(Int(truncatingIfNeeded: rest % 100), at: index, of: buffer)
      rest /= 100
    }
    if rest >= 10 {
      storePair(Int(truncatingIfNeeded: rest), at: start, of: buffer)
    } else {
      buffer[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
    }
    return end
  }

  /// Writes two digits; the value is below 100.
  @inline(__always)
  private static func storePair(
    _ value: Int, at index: Int, of buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    let pairs: StaticString = """
      00010203040506070809101112131415161718192021222324\
      25262728293031323334353637383940414243444546474849\
      50515253545556575859606162636465666768697071727374\
      75767778798081828384858687888990919293949596979899
      """
    let place = value &* 2
    buffer[index] = pairs.utf8Start[place]
    buffer[index &+ 1] = pairs.utf8Start[place &+ 1]
  }

  @inline(__always)
  private static func digitCount(of value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10_000 {
      rest /= 10_000
      count &+= 4
    }
    return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }

  /// Takes text from the standard library without a string in between.
  private struct ASCIIStream: TextOutputStream {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func write(_ string: String) {
      var text = string
      text.withUTF8 { _writeASCII($0) }
    }

    // The standard library's own way in for numbers; should it ever go, `write` is called instead.
    mutating func _writeASCII(_ source: UnsafeBufferPointer<UInt8>) {
      for byte in source where count < buffer.count {
        buffer[count] = byte
        count += 1
      }
    }
  }
}
