import Libc
import StoreFormat

/// Replaces values: equal ones by equal ones, different ones by different ones, wherever they occur.
///
/// The replacement depends on the key and the value alone, not on the table. The storage class and shape of a
/// value stay: a text keeps its length and the kind of each character, an integer its sign and number of digits, a
/// real number its sign, size and precision, data its length, a UUID its version.
struct ValueScrubber {
  private let key: ScrubKey
  /// The seconds that all dates are shifted by, a whole number.
  let offset: Double
  /// Replacements of short values, which are often repeated.
  private var known: [StoredValue: StoredValue] = [:]
  private let characters = CharacterSets()

  private static let maxKnown = 1 << 14
  private static let longestKnown = 64

  /// Between a month and ten years, backward: smaller numbers keep all their digits.
  init(key: ScrubKey) {
    self.key = key
    let day = 86_400.0
    offset = -31 * day - Double(key.number("dates", below: UInt64(3622 * day)))
  }

  /// Replaces any value but null.
  mutating func scrub(_ value: StoredValue) -> StoredValue {
    let isShort = value.byteCount <= Self.longestKnown
    if isShort, let known = known[value] { return known }
    let scrubbed: StoredValue =
      switch value {
      case .null: .null
      case .integer(let number): .integer(scrub(number))
      case .real(let number): .real(scrub(number))
      case .text(let text): .text(scrub(text))
      case .malformedText(let bytes): .malformedText(scrub(malformed: bytes))
      case .blob(let bytes): .blob(bytes.withUnsafeBytes { scrub($0) })
      }
    if isShort {
      if known.count >= Self.maxKnown { known.removeAll(keepingCapacity: true) }
      known[value] = scrubbed
    }
    return scrubbed
  }

  // MARK: - Dates

  /// Dates that mean "none" or "never". Shifted, they would reveal the offset.
  private static let specialNumbers: Set<Double> = [
    0, -978_307_200, -63_114_076_800, 64_092_211_200,
  ]

  /// Shifts a date; any other value is replaced.
  mutating func shift(_ value: StoredValue) -> StoredValue {
    switch value {
    case .integer(let number):
      if Self.specialNumbers.contains(Double(number)) { return value }
      let (sum, overflow) = number.addingReportingOverflow(Int64(offset))
      return overflow ? scrub(value) : .integer(sum)
    case .real(let number):
      return Self.specialNumbers.contains(number) ? value : .real(number + offset)
    default: return scrub(value)
    }
  }

  // MARK: - Numbers

  /// The numbers at which the range of a type ends, for positive numbers.
  private static let limits: [UInt64] = [1 << 15, 1 << 31, 1 << 53, 1 << 63]

  /// Replaces an integer by one of the same sign, number of digits and smallest type.
  func scrub(_ number: Int64) -> Int64 {
    let size = scrub(size: number.magnitude, isNegative: number < 0)
    return number < 0 ? Int64(truncatingIfNeeded: 0 &- size) : Int64(truncatingIfNeeded: size)
  }

  private func scrub(size: UInt64, isNegative: Bool) -> UInt64 {
    var (first, end): (UInt64, UInt64) = (isNegative ? 1 : 0, 10)
    while size >= end {
      first = end
      let (product, overflow) = end.multipliedReportingOverflow(by: 10)
      end = overflow ? .max : product
    }
    // The least number of a type is one further from 0 than the greatest.
    for limit in Self.limits.map({ isNegative ? $0 + 1 : $0 }) where limit > first && limit < end {
      if size < limit { end = limit } else { first = limit }
    }
    return first
      + key.permute(
        size - first, below: end - first,
        kind: Kind.integer.prefix([isNegative ? 1 : 0]) + String(first).utf8)
  }

  /// Replaces a real number by one of the same sign, size and precision.
  func scrub(_ number: Double) -> Double {
    guard number.isFinite, number != 0 else { return number == 0 ? zero(number) : number }
    let shape = RealShape(number)
    var scrubbed = number
    repeat {
      scrubbed = permute(scrubbed, shape)
      // A few numbers get another shape; permute them until they have the first one again.
    } while RealShape(scrubbed) != shape
    return scrubbed
  }

  private func zero(_ number: Double) -> Double {
    number.sign == .minus ? number : Double(scrub(size: 0, isNegative: false))
  }

  private func permute(_ number: Double, _ shape: RealShape) -> Double {
    let sign = number.sign == .minus ? -1.0 : 1.0
    let kind = Kind.real.prefix(Array("\(shape)".utf8))
    switch shape {
    case .whole:
      return sign * Double(scrub(size: UInt64(number.magnitude), isNegative: sign < 0))
    case .decimal(_, let digitCount, let exponent):
      // The first and the last digit of the shortest form are not 0.
      guard let (digits, _) = RealShape.decimal(number) else { return number }
      let tens = (0..<max(digitCount - 2, 0)).reduce(UInt64(1)) { power, _ in power * 10 }
      let first = digitCount == 1 ? 0 : tens
      let place = (digits / 10 - first) * 9 + digits % 10 - 1
      let count = digitCount == 1 ? 9 : tens * 81
      let scrubbed = key.permute(place, below: count, kind: kind)
      return Double(
        "\(sign < 0 ? "-" : "")\((scrubbed / 9 + first) * 10 + scrubbed % 9 + 1)e\(exponent)")
        ?? number
    case .float:
      let pattern = Float(number).bitPattern
      let low = key.permute(UInt64(pattern & 0x7f_ffff), below: 1 << 23, kind: kind)
      return Double(Float(bitPattern: pattern & ~0x7f_ffff | UInt32(low)))
    case .full:
      let mask: UInt64 = 1 << 52 - 1
      let low = key.permute(number.bitPattern & mask, below: 1 << 52, kind: kind)
      return Double(bitPattern: number.bitPattern & ~mask | low)
    }
  }

  // MARK: - Data

  /// Replaces all bytes; those of a UUID stay a UUID of the same version.
  ///
  /// - Parameter first: A byte that the replacement begins with, before that of the data.
  func scrub(_ bytes: UnsafeRawBufferPointer, after first: UInt8? = nil) -> [UInt8] {
    let isUUID =
      bytes.count == 16 && (1...8).contains(bytes[6] >> 4) && bytes[8] >> 6 == 2
    let start = first == nil ? 0 : 1
    guard bytes.count < 16 else {
      var scrubbed = key.stream(
        of: Kind.data.prefix([]), and: bytes, count: start + bytes.count)
      if let first {
        // In place, because data may be large.
        scrubbed.withUnsafeMutableBytes { buffer in
          guard let start = buffer.baseAddress else { return }
          memmove(start + 1, start, bytes.count)
          buffer[0] = first
        }
      }
      if isUUID {
        scrubbed[start + 6] = bytes[6] & 0xf0 | scrubbed[start + 6] & 0x0f
        scrubbed[start + 8] = 0x80 | scrubbed[start + 8] & 0x3f
      }
      return scrubbed
    }
    let prefix = first.map { [$0] } ?? []
    var digits = bytes.map(UInt64.init)
    guard !digits.isEmpty else { return prefix }
    key.permute(
      &digits, radixes: digits.map { _ in 256 },
      kind: Kind.data.prefix([UInt8(bytes.count)]))
    return prefix + digits.map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Replaces all bytes.
  func scrub(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { scrub($0) } }

  /// Replaces the bytes of a malformed text: those above ASCII by others above it.
  private func scrub(malformed bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > Self.longestWhole else {
      return scrub(malformed: bytes[...], kind: Kind.malformedText.prefix([]))
    }
    let whole = Kind.longMalformedText.prefix(
      bytes.withUnsafeBytes { key.stream(of: [], and: $0, count: 16) })
    var scrubbed: [UInt8] = []
    scrubbed.reserveCapacity(bytes.count)
    for (number, start) in stride(from: 0, to: bytes.count, by: Self.longestWhole).enumerated() {
      let part = bytes[start..<min(start + Self.longestWhole, bytes.count)]
      scrubbed += scrub(
        malformed: part,
        kind: whole + withUnsafeBytes(of: UInt64(number + 1).littleEndian, Array.init))
    }
    return scrubbed
  }

  private func scrub(malformed bytes: ArraySlice<UInt8>, kind: [UInt8]) -> [UInt8] {
    scrub(
      bytes.map { byte in
        byte < 0x80 ? CharacterSet(ascii: UInt32(byte)) : CharacterSet(first: 0x80, count: 128)
      }, bytes.map(UInt32.init), kind: kind
    ).map { UInt8(truncatingIfNeeded: $0) }
  }

  // MARK: - Texts

  /// Replaces each letter and digit by one of the same kind; punctuation, blanks and the scheme of a URL
  /// stay, and so does what makes a UUID one.
  func scrub(_ text: String) -> String {
    guard text.utf8.count > Self.longestWhole else {
      return String(scrub(Array(text.unicodeScalars), text, kind: Kind.text.prefix([])))
    }
    // In parts, which all depend on the whole text, so that memory stays small.
    var copy = text
    let whole = Kind.longText.prefix(
      copy.withUTF8 { key.stream(of: [], and: UnsafeRawBufferPointer($0), count: 16) })
    var scrubbed = ""
    // Characters are replaced by others of the same length.
    scrubbed.reserveCapacity(text.utf8.count)
    var part: [Unicode.Scalar] = []
    part.reserveCapacity(Self.longestWhole)
    var number: UInt64 = 0
    func endPart() {
      number += 1
      // Appended to its scalars, a part would copy all of the text before it.
      scrubbed += String(scrub(part, "", kind: whole + withUnsafeBytes(of: number, Array.init)))
      part.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
      part.append(scalar)
      if part.count == Self.longestWhole { endPart() }
    }
    if !part.isEmpty { endPart() }
    return scrubbed
  }

  /// The places of the version and the variant in the text of a UUID.
  private static let fixedInUUIDs = [14, 19]

  /// The length in bytes above which a text is replaced in parts, and the number of characters of a part.
  private static let longestWhole = 1 << 14

  private func scrub(
    _ scalars: [Unicode.Scalar], _ text: String, kind: [UInt8]
  ) -> String.UnicodeScalarView {
    var sets = scalars.map { characters.set(of: $0) }
    if UUIDText.isUUID(text.utf8) {
      for index in sets.indices where sets[index].count == 26 { sets[index].count = 6 }
      for index in Self.fixedInUUIDs { sets[index].count = 1 }
    } else {
      let scheme = Self.schemeLength(text)
      if sets.dropFirst(scheme).contains(where: { $0.count > 1 }) {
        for index in 0..<scheme { sets[index].count = 1 }
      }
    }
    if !sets.contains(where: { $0.count > 1 }) {
      sets = scalars.map { characters.set(ofPunctuation: $0) }
    }
    var scrubbed = String.UnicodeScalarView()
    for (number, scalar) in zip(scrub(sets, scalars.map(\.value), kind: kind), scalars) {
      scrubbed.append(Unicode.Scalar(number) ?? scalar)
    }
    return scrubbed
  }

  /// Permutes the characters that belong to a set of several; the others distinguish texts of different shapes.
  private func scrub(
    _ sets: [CharacterSet], _ characters: [UInt32], kind: [UInt8]
  ) -> [UInt32] {
    var scrubbed = characters
    var (digits, radixes, places): ([UInt64], [UInt64], [Int]) = ([], [], [])
    var shape = kind
    shape.reserveCapacity(kind.count + sets.count * 5)
    for (index, set) in sets.enumerated() {
      // Sets of one number have the same first character or are of another length.
      let name = set.count == 1 ? characters[index] << 1 : set.first << 1 | 1
      for byte in 0..<4 { shape.append(UInt8(truncatingIfNeeded: name >> UInt32(byte * 8))) }
      shape.append(UInt8(truncatingIfNeeded: set.count))
      guard set.count > 1 else { continue }
      digits.append(UInt64(set.position(of: characters[index])))
      radixes.append(UInt64(set.count))
      places.append(index)
    }
    guard !digits.isEmpty else { return characters }
    key.permute(&digits, radixes: radixes, kind: shape)
    for (digit, index) in zip(digits, places) {
      scrubbed[index] = sets[index].character(at: Int(digit))
    }
    return scrubbed
  }

  private static let schemes = ["https://", "http://", "file:///", "ftp://", "wss://", "ws://"]

  private static func schemeLength(_ text: String) -> Int {
    schemes.first { text.utf8.starts(with: $0.utf8) }?.utf8.count ?? 0
  }

  private enum Kind: UInt8 {
    case integer, real, data, text, longText, malformedText, longMalformedText

    func prefix(_ bytes: [UInt8]) -> [UInt8] { [rawValue] + bytes }
  }
}
