import StoreFormat
import TestSupport
import Testing

@testable import StoreEditing

/// Replacements of single values: permutations of values of one shape.
@Suite(.bounded) struct ValueScrubberTests {
  private static let key = ScrubKey(bytes: Array(0..<32))

  /// What different values are replaced by, which must differ as well.
  private static func scrub(_ values: [StoredValue], key: ScrubKey = key) -> [StoredValue] {
    var scrubber = ValueScrubber(key: key)
    return values.map { scrubber.scrub($0) }
  }

  @Test(arguments: [
    0...9, 10...99, 100...999, -9 ... -1, -99 ... -10, 10_000...32_767, -32_768 ... -10_000,
    32_768...33_100,
  ])
  func `integers are permuted among those of the same sign, digits and smallest type`(
    _ range: ClosedRange<Int64>
  ) throws {
    let isWhole = range.upperBound != 33_100
    let scrubbed = Self.scrub(range.map(StoredValue.integer)).map { value -> Int64 in
      if case .integer(let number) = value { number } else { 0 }
    }
    #expect(Set(scrubbed).count == range.count)
    #expect(scrubbed.allSatisfy { isWhole ? range.contains($0) : (32_768...99_999).contains($0) })
    #expect(scrubbed != Array(range))
  }

  @Test func `the limits of integer types stay in their type`() {
    for number in [Int64.min, .max, -2_147_483_648, 2_147_483_647, 2_147_483_648, 1 << 53] {
      guard case .integer(let scrubbed)? = Self.scrub([.integer(number)]).first else {
        Issue.record("no integer")
        return
      }
      #expect(String(scrubbed).count == String(number).count)
      #expect((Int32(exactly: scrubbed) == nil) == (Int32(exactly: number) == nil))
    }
  }

  @Test func `real numbers keep their precision`() {
    let short = (1...9999).map { Double($0) / 1000 }
    let full = (1...2000).map { Double($0).squareRoot() }
    let floats = (1...2000).map { Double(Float($0) / 7) }
    for numbers in [short, full, floats] {
      let scrubbed = Self.scrub(numbers.map(StoredValue.real)).map { value -> Double in
        if case .real(let number) = value { number } else { .nan }
      }
      #expect(Set(scrubbed).count == numbers.count)
      for (number, new) in zip(numbers, scrubbed) {
        #expect(number.description.count == new.description.count || numbers != short)
        #expect(
          (Double(Float(number)) == number) == (Double(Float(new)) == new) || numbers == short)
        #expect(new >= 0 && new.isFinite)
      }
    }
    let odd: [Double] = [
      .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-290, 2e290,
      9.1e15, 1e16,
      -1.5e-300,
    ]
    let scrubbed = Self.scrub(odd.map(StoredValue.real))
    #expect(Set(scrubbed).count == odd.count)
    #expect(Array(scrubbed.prefix(3)) == odd.prefix(3).map(StoredValue.real))
  }

  @Test func `short texts are permuted`() {
    let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
    let pairs = letters.flatMap { first in (0...9).map { first + String($0) } }
    for texts in [letters, pairs, pairs.map { "(\($0))" }] {
      let scrubbed = Self.scrub(texts.map(StoredValue.text))
      #expect(Set(scrubbed) == Set(texts.map(StoredValue.text)))
      #expect(scrubbed != texts.map(StoredValue.text))
    }
  }

  @Test(arguments: [
    "Anna Müller, 27 Elm St.", "https://example.com/a?b=1", "日本語のテキスト", "naïve 🚲 ride", "Привет",
    "line\none\ttab", "----------", "……!?!?!?", "ﷺ ٣٤٥ हिन्दी",
    String(repeating: "long text, ", count: 5000),
  ])
  func `texts keep their shape`(_ text: String) throws {
    guard case .text(let scrubbed)? = Self.scrub([.text(text)]).first else {
      Issue.record("no text")
      return
    }
    #expect(scrubbed != text)
    #expect(scrubbed.utf8.count == text.utf8.count)
    for (old, new) in zip(text.unicodeScalars, scrubbed.unicodeScalars) {
      #expect(old.properties.generalCategory == new.properties.generalCategory || old.isASCII)
      #expect(old.properties.isAlphabetic == new.properties.isAlphabetic)
      #expect(old.properties.isUppercase == new.properties.isUppercase)
      if old.properties.isWhitespace { #expect(old == new) }
    }
    #expect(scrubbed.hasPrefix("https://") == text.hasPrefix("https://"))
  }

  @Test func `identifiers stay identifiers`() throws {
    let text = "A1DD1F98-2ECD-431F-9AC9-5AFEFE2D3A5C"
    var bytes = [UInt8](repeating: 7, count: 16)
    (bytes[6], bytes[8]) = (0x4a, 0xb3)
    let scrubbed = Self.scrub([.text(text), .blob(bytes), .blob([]), .blob([1]), .text("")])
    guard case .text(let newText) = scrubbed[0], case .blob(let newBytes) = scrubbed[1] else {
      Issue.record("other values")
      return
    }
    #expect(
      newText.wholeMatch(of: #/[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-9[0-9A-F]{3}-[0-9A-F]{12}/#)
        != nil)
    #expect(newText != text)
    #expect(newBytes.count == 16 && newBytes[6] >> 4 == 4 && newBytes[8] >> 6 == 2)
    #expect(scrubbed[2] == .blob([]))
    #expect(scrubbed[4] == .text(""))
  }

  @Test func `short data is permuted`() {
    let bytes = (UInt8.min...UInt8.max).map { StoredValue.blob([$0]) }
    #expect(Set(Self.scrub(bytes)) == Set(bytes))
    let long = (0..<500).map { StoredValue.blob(Array(repeating: UInt8($0 & 0xff), count: 8 + $0)) }
    #expect(Set(Self.scrub(long)).isDisjoint(with: long))
  }

  @Test func `dates are shifted together`() throws {
    var scrubber = ValueScrubber(key: Self.key)
    let dates = [743_906_557.824189, 743_906_557.824190, 700_000_000.5, 650_000_000]
    let shifted = dates.map { scrubber.shift(.real($0)) }
    #expect(shifted == dates.map { .real($0 + scrubber.offset) })
    #expect(scrubber.shift(.integer(700_000_000)) == .integer(700_000_000 + Int64(scrubber.offset)))
    #expect(scrubber.offset < -31 * 86_399 && scrubber.offset.rounded() == scrubber.offset)
    // What stands for "never" would give the offset away.
    for landmark in [0, -978_307_200, -63_114_076_800, 64_092_211_200] {
      #expect(scrubber.shift(.real(Double(landmark))) == .real(Double(landmark)))
    }
  }

  @Test func `another key produces other values`() {
    let values: [StoredValue] = [
      .text("Anna Miller"), .integer(1_234_567), .real(12.345678), .blob(Array(1...20)),
    ]
    let other = Self.scrub(values, key: ScrubKey(bytes: Array(1...32)))
    #expect(Set(other).isDisjoint(with: Self.scrub(values)))
    #expect(Self.scrub(values) == Self.scrub(values))
    #expect(ScrubKey.random().bytes != ScrubKey.random().bytes)
  }
}
