import DurableFiles

/// The secret that decides what replaces each value, and the permutations that follow from it.
///
/// A permutation of a small set is a Feistel network over mixed radixes, whose rounds are HMAC-SHA256: different
/// values stay different. Beyond ``wideBits`` the replacement is a pseudorandom stream that depends on the whole
/// value; two values practically never get the same one.
package struct ScrubKey: Sendable {
  /// The number of bytes of a key.
  package static let byteCount = 32

  package let bytes: [UInt8]
  private let authenticator: SHA256Authenticator

  /// The size of a set in bits from which a collision is not to be expected: among 2^32 values one in
  /// 2^36 keys.
  private static let wideBits = 100.0
  private static let roundCount: UInt8 = 8

  /// Takes the bytes of a key.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
    authenticator = SHA256Authenticator(key: bytes)
  }

  /// Makes a new key.
  package static func random() -> ScrubKey {
    var generator = SystemRandomNumberGenerator()
    return ScrubKey(bytes: (0..<byteCount).map { _ in .random(in: 0...255, using: &generator) })
  }

  /// The purpose of a derived value, so that no two purposes share one.
  private enum Use: UInt8 {
    case number, round, seed
  }

  /// Returns a number from 0 up to a limit that depends on the key and a name only.
  func number(_ name: StaticString, below limit: UInt64) -> UInt64 {
    var message = [Use.number.rawValue]
    name.withUTF8Buffer { message += $0 }
    return word(of: authenticator.code(of: message)) % limit
  }

  /// Permutes the numbers below a count.
  ///
  /// - Parameter kind: Names the set; each has a permutation of its own.
  func permute(_ value: UInt64, below count: UInt64, kind: [UInt8]) -> UInt64 {
    guard count > 1 else { return value }
    // Two factors whose product is barely above the count: few results are outside and permuted again.
    let right = UInt64(Double(count).squareRoot().rounded(.up)) + 1
    let left = count / right + 1
    var digits = [value / right, value % right]
    repeat {
      permute(&digits, radixes: [left, right], kind: kind)
    } while digits[0] * right + digits[1] >= count
    return digits[0] * right + digits[1]
  }

  /// Permutes the digits of a number of mixed radixes.
  func permute(_ digits: inout [UInt64], radixes: [UInt64], kind: [UInt8]) {
    var bits = 0.0
    for radix in radixes where bits < Self.wideBits { bits += Double(radix).logarithm }
    if bits >= Self.wideBits {
      let stream = stream(
        of: kind + digits.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) },
        count: digits.count * 2)
      for index in digits.indices {
        let word = UInt64(stream[2 * index]) | UInt64(stream[2 * index + 1]) << 8
        digits[index] = word % radixes[index]
      }
      return
    }
    if digits.count == 1 { return digits[0] = permuteOne(digits[0], radixes[0], kind) }
    let middle = digits.count / 2
    let isSmall = radixes.allSatisfy { $0 <= 256 }
    for round in 0..<Self.roundCount {
      let (source, target) =
        round.isMultiple(of: 2)
        ? (0..<middle, middle..<digits.count) : (middle..<digits.count, 0..<middle)
      let words = words(
        round, kind, digits[source], count: target.count, isSmall: isSmall)
      for (word, index) in zip(words, target) {
        digits[index] = (digits[index] + word % radixes[index]) % radixes[index]
      }
    }
  }

  /// Permutes a small set by a shuffle that the key determines.
  private func permuteOne(_ value: UInt64, _ radix: UInt64, _ kind: [UInt8]) -> UInt64 {
    guard radix <= 256 else { return permute(value, below: radix, kind: kind) }
    // Each element is swapped with an earlier one or itself, as in a Fisher-Yates shuffle.
    let words = words(0, kind, [radix], count: Int(radix))
    var order = Array(0..<radix)
    for index in order.indices.dropFirst() {
      order.swapAt(index, Int(words[index] % UInt64(index + 1)))
    }
    return order[Int(value)]
  }

  /// Returns pseudorandom bytes that depend on all of a message and do not reveal it.
  func stream(of message: some Sequence<UInt8>, count: Int) -> [UInt8] {
    stream(of: [Use.seed.rawValue] + message, UnsafeRawBufferPointer(start: nil, count: 0), count)
  }

  /// Returns such bytes for a message of two parts, of which the second is not copied.
  func stream(
    of kind: [UInt8], and bytes: UnsafeRawBufferPointer, count: Int
  ) -> [UInt8] {
    stream(of: [Use.seed.rawValue] + kind, bytes, count)
  }

  private func stream(
    of first: [UInt8], _ second: UnsafeRawBufferPointer, _ count: Int
  ) -> [UInt8] {
    let seed = authenticator.code(of: first, second)
    return chaCha20Stream(key: seed, count: count) ?? (0..<count).map { seed[$0 % seed.count] }
  }

  private func words(
    _ round: UInt8, _ kind: [UInt8], _ source: some Collection<UInt64>, count: Int,
    isSmall: Bool = false
  ) -> [UInt64] {
    var message = [Use.round.rawValue, round, UInt8(truncatingIfNeeded: source.count)] + kind
    for digit in source { withUnsafeBytes(of: digit.littleEndian) { message += $0 } }
    let digest = authenticator.code(of: message)
    // One digest provides four words, or sixteen of 16 bits if the digits are small.
    if count <= 4 { return (0..<count).map { word(of: digest, at: $0) } }
    if count <= 16, isSmall {
      return (0..<count).map { UInt64(digest[2 * $0]) << 8 | UInt64(digest[2 * $0 + 1]) }
    }
    let stream = stream(of: digest, count: count * 8)
    return (0..<count).map { word(of: stream, at: $0) }
  }

  private func word(of bytes: [UInt8], at index: Int = 0) -> UInt64 {
    bytes[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension Double {
  /// The binary logarithm of a whole number, rounded down to a quarter bit or better.
  fileprivate var logarithm: Double { Double(exponent) + (significand - 1) * 0.98 }
}
