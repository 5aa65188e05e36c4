import HistoryCoding
import TestSupport
import Testing

@Suite(.bounded) struct JSONReaderTests {
  private static let samples: [(text: String, value: JSONValue)] = [
    ("null", JSONValue.null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("42", 42),
    ("-1", -1),
    ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .real(9_223_372_036_854_775_808)),
    ("-9223372036854775809", .real(-9_223_372_036_854_775_808)),
    ("18446744073709551616", .real(18_446_744_073_709_551_616)),
    ("1.0", 1.0), ("-0.0", .real(-0.0)), ("1e0", 1.0), ("1E+2", 100.0), ("1e-2", 0.01),
    ("123.456e3", 123_456.0), ("0.1", 0.1), ("743906557.824189", 743_906_557.824189),
    ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)),
    ("4.9406564584124654e-324", .real(.leastNonzeroMagnitude)),
    ("2.2250738585072011e-308", .real(Double(bitPattern: 0x000f_ffff_ffff_ffff))),
    ("9007199254740993.0", .real(9_007_199_254_740_992)),
    ("9007199254740993.00000000000000000000000000001", .real(9_007_199_254_740_994)),
    ("1e-400", 0.0), ("0e999999999999999999999", 0.0),
    ("123e-999999999999999999999", 0.0), ("1e23", 1e23), ("8.41e21", 8.41e21),
    ("\"\"", ""), ("\"a\"", "a"), ("[]", []), ("{}", [:]), (" [ 1 , 2 ] ", [1, 2]),
    ("\t\r\n{\"a\" : [ ] , \"b\":{}}\n", ["a": [], "b": [:]]),
    ("[[[]],{\"a\":[{}]}]", [[[]], ["a": [[:]]]]), ("[null,true,false]", [.null, true, false]),
  ]

  @Test(arguments: samples)
  func `every kind of value is read`(text: String, expected: JSONValue) throws {
    #expect(try JSONReader().read(text) == expected)
  }

  private static let stringTexts: [(text: String, value: String)] = [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\ud83d\ude00""#, "😀"), (#""\uD834\uDD1E""#, "𝄞"), (#""\u0000""#, "\0"),
    (#""a\u0000b""#, "a\0b"), (#""\ufffe\uffff\u007f""#, "\u{FFFE}\u{FFFF}\u{7F}"),
    (#""\udbff\udfff""#, "\u{10FFFF}"),
    ("\"\u{7F}\u{2028}\u{2029}\u{FEFF}\"", "\u{7F}\u{2028}\u{2029}\u{FEFF}"),
    ("\"héllo wörld 😀 and so on\"", "héllo wörld 😀 and so on"),
    (#""12345678\n12345678\n1234567\n""#, "12345678\n12345678\n1234567\n"),
    (#""\\u0041""#, "\\u0041"), (#""\n\n\n\n\n\n\n\n\n""#, "\n\n\n\n\n\n\n\n\n"),
  ]

  @Test(arguments: stringTexts)
  func `strings are read with their escapes`(text: String, expected: String) throws {
    #expect(try JSONReader().read(text) == .string(expected))
  }

  private static let wrongTexts: [(text: String, offset: Int)] = [
    ("", 0), (" ", 1), ("nul", 0), ("nulL", 0), ("True", 0), ("truex", 4), ("NaN", 0),
    ("Infinity", 0), ("-Infinity", 1), ("+1", 0), ("01", 0), ("-01", 1), ("00", 0), ("1.", 2),
    (".5", 0), ("-.5", 1), ("-", 1), ("- 1", 1), ("1e", 2), ("1e+", 3), ("1.e1", 2), ("0x10", 1),
    ("1_000", 1), ("1 2", 2), ("1,", 1), ("[1,]", 3), ("[,1]", 1), ("[1", 2), ("[1 2]", 3),
    ("[", 1), ("]", 0), ("[}", 1), ("{", 1), ("}", 0), ("{]", 1), ("{,}", 1), ("{\"a\"}", 4),
    ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{\"a\":1 \"b\":2}", 7), ("{a:1}", 1), ("{'a':1}", 1),
    ("{1:1}", 1), ("{\"a\"::1}", 5), ("{\"a\" 1}", 5), ("'a'", 0), ("\"", 1), ("\"abc", 4),
    ("\"\\\"", 3), ("\"\\", 2), ("\"\\x\"", 2), ("\"\\a\"", 2), ("\"\\U0041\"", 2),
    ("\"\\u\"", 3), ("\"\\u12\"", 5), ("\"\\u123", 6), ("\"\\u12g4\"", 5), ("\"\\u+123\"", 3),
    ("\"a\tb\"", 2), ("\"a\nb\"", 2), ("\"a\0b\"", 2), ("\"12345678\u{1F}\"", 9),
    ("\u{FEFF}1", 0),
    ("\u{A0}1", 0), ("1\u{C}", 1), ("/**/1", 0), ("1//", 1), ("[1]]", 3), ("{}{}", 2),
    ("\"a\"\0", 3),
    (#""\ud800""#, 1), (#""\udc00""#, 1), (#""x\ud800x""#, 2), (#""\ud800\n""#, 1),
    (#""\ud800\u0041""#, 1), (#""\ud800\ud800\udc00""#, 1), (#""\ude00\ud83d""#, 1),
    (#""\ud800\u""#, 9), ("1e309", 0), ("-1e309", 0), ("[1e999999999999999999]", 1),
    ("{\"a\":1,\"a\":1}", 7), (#"{"a":1,"\u0061":2}"#, 7), ("{\"\":1,\"\":1}", 6),
  ]

  @Test(arguments: wrongTexts)
  func `text outside RFC 8259 is refused with its position`(text: String, offset: Int) {
    do throws(JSONError) {
      let value = try JSONReader().read(text)
      Issue.record("\(text) was read as \(value)")
    } catch {
      #expect(error.offset == offset, "\(error)")
      #expect(!error.message.isEmpty && !error.message.hasSuffix("."))
    }
  }

  private static let wrongBytes: [[UInt8]] = [
    [0x80], [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
    [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
    [0xF0, 0x80, 0x80, 0x80],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
    [0xF5, 0x80, 0x80, 0x80],
    [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82, 0x41], [0xF0, 0x9F, 0x98, 0x41],
  ]

  @Test(arguments: wrongBytes)
  func `malformed UTF-8 in values and keys is refused`(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    for padding in 0...9 {
      let before = [UInt8](repeating: 0x61, count: padding)
      for text in [
        [quote] + before + bytes + [quote],
        Array("{\"a".utf8) + before + bytes + Array("\":1}".utf8),
        [quote, 0x5C, 0x6E] + before + bytes + [quote],
        [quote] + before + bytes,
      ] {
        #expect(throws: JSONError.self) { try JSONReader().read(text) }
      }
      #expect((before + bytes).withUnsafeBufferPointer { !UTF8Check.isValid($0) })
    }
    #expect(throws: JSONError.self) { try JSONReader().read(bytes) }
  }

  @Test(
    arguments: [
      0x0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF,
      0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
    ] as [UInt32])
  func `UTF-8 is accepted at the edges of its ranges`(code: UInt32) throws {
    guard let scalar = Unicode.Scalar(code) else { return }
    let text = "12345" + String(Character(scalar)) + "6"
    #expect(Array(text.utf8).withUnsafeBufferPointer { UTF8Check.isValid($0) })
    if code >= 0x20 { #expect(try JSONReader().read("\"\(text)\"") == .string(text)) }
  }

  @Test
  func `nesting is limited`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    func objects(_ depth: Int) -> String {
      String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    #expect(throws: Never.self) { try JSONReader().read(nested(64)) }
    #expect(throws: Never.self) { try JSONReader().read(objects(64)) }
    #expect(throws: JSONError.self) { try JSONReader().read(nested(65)) }
    #expect(throws: JSONError.self) { try JSONReader().read(objects(65)) }
    #expect(throws: JSONError.self) { try JSONReader().read(nested(1_000_000)) }
    #expect(throws: JSONError.self) {
      try JSONReader().read(String(repeating: "[", count: 1_000_000))
    }
    #expect(throws: JSONError.self) { try JSONReader(depthLimit: 0).read("[]") }
    #expect(try JSONReader(depthLimit: 0).read("1") == 1)
    #expect(JSONReader(depthLimit: .max).depthLimit == 512)
    #expect(throws: Never.self) { try JSONReader(depthLimit: .max).read(nested(512)) }
  }

  @Test
  func `a repeated key is found among very many`() throws {
    let members = (0..<20_000).map { "\"k\($0)\":\($0)" }
    let text = "{" + members.joined(separator: ",") + "}"
    guard case .object(let object) = try JSONReader().read(text) else {
      Issue.record("no object")
      return
    }
    #expect(object.count == 20_000)
    for repeated in [0, 15, 16, 17, 18, 19_999] {
      let twice = "{" + members.joined(separator: ",") + ",\"k\(repeated)\":0}"
      #expect(throws: JSONError.self) { try JSONReader().read(twice) }
    }
    // Composed and decomposed letters are two keys.
    let letters = "{\"\u{E9}\":1,\"e\u{301}\":2}"
    #expect(try JSONReader().read(letters) == ["\u{E9}": 1, "e\u{301}": 2])
  }

  @Test
  func `numbers are exact up to the limit of digits and refused beyond`() throws {
    let third = "0." + String(repeating: "3", count: 1000)
    #expect(try JSONReader().read(third) == .real(1.0 / 3))
    let tooLong = "0." + String(repeating: "3", count: 100_000)
    #expect(throws: JSONError.self) { try JSONReader().read(tooLong) }
    #expect(throws: JSONError.self) { try JSONReader().read(String(repeating: "9", count: 400)) }
  }

  @Test
  func `the message for a repeated key quotes it without control characters`() {
    let key = #"\u001b[31m"# + String(repeating: "x", count: 1000)
    do throws(JSONError) {
      _ = try JSONReader().read("{\"\(key)\":1,\"\(key)\":2}")
      Issue.record("was read")
    } catch {
      #expect(error.message.contains(#""\u001b[31mxxx"#))
      #expect(error.message.count < 120)
    }
  }
}
