/// Numbers as texts whose order, byte by byte, is that of the numbers.
extension JSONWriter {
  /// Writes a number with zeros before it, 19 digits in all.
  ///
  /// One below zero is a minus sign, which sorts before every digit, and how far it stands above the
  /// lowest number there is.
  mutating func appendOrderedNumber(_ number: Int64) {
    let value: UInt64
    if number < 0 {
      appendRaw(UInt8(ascii: "-"))
      value = UInt64(number &- Int64.min)
    } else {
      value = UInt64(number)
    }
    appendUninitialized(capacity: 19) { room in
      var rest = value
      for place in stride(from: 18, through: 0, by: -1) {
        room[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      return 19
    }
  }
}
