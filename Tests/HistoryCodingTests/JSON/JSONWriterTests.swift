import HistoryCoding
import TestSupport
import Testing

@Suite(.bounded) struct JSONWriterTests {
  private static func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(capacity: 0)
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      0, 1, -1, 9, 10, 99, 100, 101, 999, 1000, 9999, 10_000, 12_345, 99_999, 100_000, 1_234_567,
      -42, .max, .min, 1_000_000_000_000_000_000, 999_999_999_999_999_999,
    ] as [Int64])
  func `integers are written`(value: Int64) {
    #expect(Self.text { $0.appendInteger(value) } == String(value))
  }

  @Test
  func `integers around every power of ten and two are written`() {
    for power in 0..<63 {
      for offset in -1...1 as ClosedRange<Int64> {
        for value in [(1 << power) &+ offset, -(1 << power) &- offset] as [Int64] {
          #expect(Self.text { $0.appendInteger(value) } == String(value))
        }
      }
    }
    var ten: Int64 = 1
    for _ in 0..<18 {
      ten *= 10
      #expect(Self.text { $0.appendInteger(ten - 1) } == String(ten - 1))
      #expect(Self.text { $0.appendInteger(-ten) } == String(-ten))
    }
  }

  private static let realTexts: [(value: Double, text: String)] = [
    (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1.0"), (-1.0, "-1.0"), (0.1, "0.1"), (1.5, "1.5"),
    (743_906_557.824189, "743906557.824189"), (-978_307_200.000001, "-978307200.000001"),
    (743_906_557.0, "743906557.0"), (100.0, "100.0"), (0.001, "0.001"), (0.000001, "1e-06"),
    (0.1 + 0.2, "0.30000000000000004"), (1e15, "1000000000000000.0"), (1e16, "1e+16"),
    (1e22, "1e+22"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (123_456_789.1234567, "123456789.1234567"), (999_999_998.999999, "999999998.999999"),
    (999_999_999.999999, "999999999.999999"), (0.000999, "0.000999"), (5.000001, "5.000001"),
    (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
  ]

  @Test(arguments: realTexts)
  func `reals are written as their shortest text`(value: Double, expected: String) {
    #expect(Self.text { $0.appendReal(value) } == expected)
  }

  @Test
  func `every written real is read back`() throws {
    var generator = SeededGenerator(seed: 17)
    for round in 0..<20_000 {
      var value = Double(bitPattern: generator.next())
      if round % 2 == 0 {
        value = Double(
          Int64.random(in: -1_000_000_000_000_000...1_000_000_000_000_000, using: &generator))
        value /= [1, 10, 1000, 1_000_000][round / 2 % 4]
      }
      guard value.isFinite else { continue }
      let text = Self.text { $0.appendReal(value) }
      #expect(text == value.description)
      #expect(try JSONReader().read(text) == .real(value))
    }
  }

  private static let escapedTexts: [(text: String, json: String)] = [
    ("", #""""#), ("a", #""a""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
    ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#), ("\0\u{1}\u{1F}", #""\u0000\u0001\u001f""#),
    ("\u{B}\u{1B}\u{E}", #""\u000b\u001b\u000e""#), ("\u{7F}\u{80}", "\"\u{7F}\u{80}\""),
    ("é€😀\u{2028}\u{2029}", "\"é€😀\u{2028}\u{2029}\""),
    ("com.example.\"Trips\"", #""com.example.\"Trips\"""#), ("1234567\n", #""1234567\n""#),
    ("12345678\n", #""12345678\n""#), ("\n12345678", #""\n12345678""#), ("!#[]~", #""!#[]~""#),
  ]

  @Test(arguments: escapedTexts)
  func `only characters that JSON needs escaped are escaped`(text: String, expected: String) {
    #expect(Self.text { $0.appendString(text) } == expected)
  }

  @Test
  func `strings of every length with an escape at every position are read back`() throws {
    for length in 0...40 {
      for place in -1..<length {
        for special in ["\"", "\\", "\n", "\u{1}", "é"] {
          var characters = [String](repeating: "x", count: length)
          if place >= 0 { characters[place] = special }
          let text = characters.joined()
          #expect(try JSONReader().read(Self.text { $0.appendString(text) }) == .string(text))
        }
      }
    }
  }

  @Test(arguments: [1023, 1024, 1025, 2048, 5000, 100_000])
  func `long strings are written whole`(length: Int) throws {
    let plain = String(repeating: "é", count: length / 2) + "x"
    let escapes = String(repeating: "\u{1}", count: length)
    for text in [plain, escapes] {
      let written = Self.text { $0.appendString(text) }
      #expect(try JSONReader().read(written) == .string(text))
    }
    #expect(Self.text { $0.appendString(escapes) }.utf8.count == length * 6 + 2)
  }

  @Test
  func `random Unicode is read back`() throws {
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...30, using: &generator) {
        let limit: UInt32 =
          [0x40, 0x80, 0x800, 0x10000, 0x110000].randomElement(using: &generator) ?? 1
        if let scalar = Unicode.Scalar(.random(in: 0..<limit, using: &generator)) {
          text.unicodeScalars.append(scalar)
        }
      }
      #expect(try JSONReader().read(Self.text { $0.appendString(text) }) == .string(text))
    }
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `Base64 is written as in RFC 4648, section 10`(text: String, expected: String) {
    #expect(Self.text { $0.appendBase64(Array(text.utf8)) } == "\"\(expected)\"")
  }

  @Test
  func `every byte is written in Base64 and hexadecimal`() {
    #expect(Self.text { $0.appendBase64([0xFB, 0xEF, 0xBE, 0xFF]) } == #""++++/w==""#)
    #expect(Self.text { $0.appendHexadecimal([]) } == #""""#)
    #expect(Self.text { $0.appendHexadecimal([0x00, 0x0C, 0xFF, 0xA9]) } == #""000cffa9""#)
    let hexadecimal = Self.text { $0.appendHexadecimal(Array(0...255)) }
    let expected = (0...255).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hexadecimal == "\"\(expected)\"")
  }

  @Test
  func `nested values are written in order without blanks`() throws {
    let value: JSONValue = [
      "z": [1, -2.5, "x\n", .null, true, false], "a": [:], "b": ["c": [[], [[]]]], "": .real(.nan),
    ]
    #expect(
      Self.text { $0.append(value) }
        == #"{"z":[1,-2.5,"x\n",null,true,false],"a":{},"b":{"c":[[],[[]]]},"":null}"#)
  }

  @Test
  func `a writer grows, can be emptied, and is a value type`() {
    var writer = JSONWriter(capacity: 0)
    for _ in 0..<1000 { writer.appendRaw("0123456789") }
    #expect(writer.count == 10_000)
    var copy = writer
    copy.removeAll()
    copy.appendRaw([0x61, 0x62])
    copy.appendRaw(UInt8(ascii: "c"))
    copy.appendBoolean(true)
    copy.appendBoolean(false)
    #expect(Array(copy.bytes) == Array("abctruefalse".utf8))
    #expect(writer.count == 10_000)
    #expect(writer.bytes.prefix(12).elementsEqual("012345678901".utf8))
    writer.removeAll(keepingCapacity: false)
    #expect(writer.bytes.isEmpty)
    writer.appendRaw([UInt8](repeating: 7, count: 100_000))
    #expect(writer.withUnsafeBytes { $0.count } == 100_000)
    writer.appendUninitialized(capacity: 4) { room in
      room[0] = 1
      return 99
    }
    #expect(writer.count == 100_004)
    writer.appendUninitialized(capacity: 4) { _ in -1 }
    writer.appendUninitialized(capacity: 0) { _ in 0 }
    #expect(writer.count == 100_004)
  }
}
