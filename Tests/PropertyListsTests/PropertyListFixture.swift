@testable import PropertyLists

/// Inputs shared by the tests of property lists.
enum PropertyListFixture {
  /// `plistlib.dumps(..., fmt=FMT_BINARY, sort_keys=True)` of Python 3.11, for `sample`.
  static let sampleBytes = bytes(
    hex: """
      62706c6973743030df10110102030405060708090a0b0c0d0e0f101112131718191a141b1c1d1e1f2021222324516153
      6172725162556279746573516455656d707479526931526932526934526938546c6f6e67536e65675172517351755375
      31365375696409a314151610015178a008430001ff3341c5c858b8000000d011012c1200011170130000010000000000
      5f10146162636465666768696a6b6c6d6e6f707172737413fffffffffffffffb233ff800000000000055617363696914
      0000000000000000ffffffffffffffff680047007200fc00df00650020d83ddc4b81012c082d2f33353b3d4346494c4f
      54585a5c5e6266676b6d6f7071757e7f828790a7b0b9bfd0e10000000000000101000000000000002500000000000000
      0000000000000000e4
      """)

  /// The value of `sampleBytes`.
  static let sample: PropertyListValue = .dictionary([
    "a": .boolean(true), "b": .boolean(false), "i1": .integer(1), "i2": .integer(300),
    "i4": .integer(70_000), "i8": .integer(1_099_511_627_776), "neg": .integer(-5),
    "u": .unsigned(.max), "r": .real(1.5), "d": .date(730_902_896), "bytes": .data([0, 1, 255]),
    "s": .string("ascii"), "u16": .string("Grüße 👋"), "uid": .uid(300),
    "arr": .array([.integer(1), .string("x"), .array([])]),
    "long": .string("abcdefghijklmnopqrst"), "empty": .dictionary([:]),
  ])

  /// An archived `_NSPersistentHistoryToken` of two stores, written by plistlib like `sampleBytes`.
  static let tokenBytes = bytes(
    hex: """
      62706c6973743030d401020304050625285924617263686976657258246f626a656374735424746f7058247665727369
      6f6e5f100f4e534b657965644172636869766572a907080d1718191a1b2255246e756c6cd2090a0b0c5624636c617373
      5f10224e5350657273697374656e74486973746f7279546f6b656e44696374696f6e61727980078002d3090e0f101114
      574e532e6b6579735a4e532e6f626a656374738008a2121380038004a21516800580065f102446453934314343452d33
      4146342d343234332d393037432d4332323333433039303038445f102436453642304134432d304130422d344235332d
      394134462d3042374336453844324631311102041200011170d21c1d1e1f5824636c61737365735a24636c6173736e61
      6d65a31f20215f10195f4e5350657273697374656e74486973746f7279546f6b656e5f10184e5350657273697374656e
      74486973746f7279546f6b656e584e534f626a656374d21c1d2324a224215c4e5344696374696f6e617279d126275472
      6f6f74800112000186a000080011001b0024002900320044004e0054005900600085008700890090009800a300a500a8
      00aa00ac00af00b100b300da010101040109010e0117012201260142015d0166016b016e017b017e0183018500000000
      0000020100000000000000290000000000000000000000000000018a
      """)

  /// The bytes of hexadecimal digits; white space is skipped.
  static func bytes(hex: String) -> [UInt8] {
    let digits = hex.utf8.filter { $0 > 0x20 }
    return stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  /// A binary property list of objects that are given as their bytes, however wrong, with references
  /// of 4 bytes.
  static func list(objects: [[UInt8]], root: Int = 0) -> [UInt8] {
    var offsets: [Int] = []
    var body = Array("bplist00".utf8)
    for object in objects {
      offsets.append(body.count)
      body += object
    }
    return list(body: body, offsets: offsets, root: root)
  }

  /// A binary property list with an offset table that may point anywhere in the body.
  static func list(body: [UInt8], offsets: [Int], root: Int) -> [UInt8] {
    var output = body
    for offset in offsets { output += bigEndian(offset, size: 4) }
    output += [0, 0, 0, 0, 0, 0, 4, 4]
    output += bigEndian(offsets.count, size: 8) + bigEndian(root, size: 8)
    return output + bigEndian(body.count, size: 8)
  }

  /// The bytes of an array object for `list(objects:)`.
  static func array(_ references: [Int]) -> [UInt8] {
    [0xAF, 0x12] + bigEndian(references.count, size: 4)
      + references.flatMap { bigEndian($0, size: 4) }
  }

  /// The bytes of a dictionary object for `list(objects:)`.
  static func dictionary(_ pairs: [(key: Int, value: Int)]) -> [UInt8] {
    [0xDF, 0x12] + bigEndian(pairs.count, size: 4)
      + (pairs.map(\.key) + pairs.map(\.value)).flatMap { bigEndian($0, size: 4) }
  }

  /// The bytes of an ASCII string object.
  static func string(_ text: String) -> [UInt8] {
    [0x5F, 0x12] + bigEndian(text.utf8.count, size: 4) + text.utf8
  }

  /// A whole number as that many bytes, most significant first.
  static func bigEndian(_ value: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  /// Every property list that differs from the bytes in one byte, at each place by a seeded choice.
  static func mutations(of bytes: [UInt8], perByte: Int, seed: UInt64) -> [[UInt8]] {
    var generator = PropertyListTestGenerator(state: seed)
    return bytes.indices.flatMap { index in
      (0..<perByte).map { _ in
        var copy = bytes
        copy[index] ^= UInt8.random(in: 1...255, using: &generator)
        return copy
      }
    }
  }
}

/// SplitMix64, so that a failing mutation can be found again.
struct PropertyListTestGenerator: RandomNumberGenerator {
  /// The seed, and where the sequence is.
  var state: UInt64

  /// The next number of the sequence.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
