import TestSupport
import Testing

@testable import PropertyLists

@Suite(.bounded) struct XMLPropertyListTests {
  private func read(_ text: String) throws -> PropertyListValue {
    try PropertyListValue(propertyList: Array(text.utf8))
  }

  private static let header = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  /// `plistlib.dumps(..., sort_keys=True)` of Python 3.11.
  private static let document =
    header + """
      <dict>
      \t<key>amp</key>
      \t<string>a&lt;b&gt;&amp;"'
      \tc</string>
      \t<key>arr</key>
      \t<array>
      \t\t<integer>1</integer>
      \t\t<string>x</string>
      \t\t<array/>
      \t</array>
      \t<key>b</key>
      \t<false/>
      \t<key>big</key>
      \t<real>1e+22</real>
      \t<key>bytes</key>
      \t<data>
      \tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEy
      \tMzQ1Njc4OTo7
      \t</data>
      \t<key>d</key>
      \t<date>2024-02-29T12:34:56Z</date>
      \t<key>empty</key>
      \t<dict/>
      \t<key>nested</key>
      \t<dict>
      \t\t<key>deep</key>
      \t\t<dict>
      \t\t\t<key>bytes</key>
      \t\t\t<data>
      \t\t\tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUm
      \t\t\tJygpKissLS4vMDEyMzQ1Njc4OTo7
      \t\t\t</data>
      \t\t</dict>
      \t</dict>
      \t<key>tiny</key>
      \t<real>1e-07</real>
      \t<key>u</key>
      \t<integer>18446744073709551615</integer>
      \t<key>u16</key>
      \t<string>Grüße 👋</string>
      </dict>
      </plist>

      """

  private static let value: PropertyListValue = .dictionary([
    "amp": .string("a<b>&\"'\n\tc"),
    "arr": .array([.integer(1), .string("x"), .array([])]), "b": .boolean(false),
    "big": .real(1e22), "bytes": .data(Array(0..<60)), "d": .date(730_902_896),
    "empty": .dictionary([:]),
    "nested": .dictionary(["deep": .dictionary(["bytes": .data(Array(0..<60))])]),
    "tiny": .real(1e-7), "u": .unsigned(.max), "u16": .string("Grüße 👋"),
  ])

  @Test
  func `lists written by Python's plistlib are read, and written byte for byte`() throws {
    #expect(try read(Self.document) == Self.value)
    let written = try XMLPropertyListWriter.bytes(of: Self.value)
    #expect(String(decoding: written, as: UTF8.self) == Self.document)
  }

  @Test(
    arguments: [
      ("<true/>", .boolean(true)), ("<true></true>", .boolean(true)),
      ("<string/>", .string("")), ("<data/>", .data([])), ("<data>\n</data>", .data([])),
      ("<plist><false/></plist>", .boolean(false)),
      ("\u{FEFF}<string>x</string>", .string("x")),
      ("<integer> -9223372036854775808 </integer>", .integer(.min)),
      ("<integer>+9223372036854775808</integer>", .unsigned(9_223_372_036_854_775_808)),
      ("<integer>0x1F</integer>", .integer(31)), ("<integer>-0x1f</integer>", .integer(-31)),
      ("<real>+infinity</real>", .real(.infinity)), ("<real>-1.5E3</real>", .real(-1500)),
      ("<string>&#65;&#x1F44B;&apos;&quot;</string>", .string("A👋'\"")),
      ("<string>a<!-- <b> & -->b<?c d?></string>", .string("ab")),
      ("<string>a\r\nb\rc</string>", .string("a\nb\nc")),
      ("<string a='>' b=\"/\">x</string >", .string("x")),
      ("<!-- a --><?b?><!DOCTYPE plist><array ><!-- c --> </array>", .array([])),
      ("<dict><key/><true/></dict>", .dictionary(["": .boolean(true)])),
      ("<dict><key>k</key><true/><key>k</key><false/></dict>", .dictionary(["k": .boolean(true)])),
      ("<dict><key>CF$UID</key><integer>7</integer></dict>", .uid(7)),
      (
        "<dict><key>CF$UID</key><string>7</string></dict>",
        .dictionary(["CF$UID": .string("7")])
      ),
      ("<date>1970-01-01T00:00:00Z</date>", .date(-978_307_200)),
    ] as [(String, PropertyListValue)])
  func `each kind of value is read`(text: String, value: PropertyListValue) throws {
    #expect(try read(text) == value)
  }

  @Test(arguments: [
    "", " ", "x", "<", "<>", "</true>", "<true", "<true/", "<true>x</true>", "<true/><true/>",
    "<plist>", "<plist/>", "<plist></plist>", "<plist><true/>", "<plist><true/><true/></plist>",
    "<plist><true/></plist>x", "<string>a", "<string>a<b/></string>", "<string>a</data>",
    "<string>&", "<string>&amp", "<string>&nbsp;</string>", "<string>&;</string>",
    "<string>&#0;</string>", "<string>&#xD800;</string>", "<string>&#1114112;</string>",
    "<string>&#-5;</string>", "<string>&#x;</string>", "<string>&#99999999999;</string>",
    "<string>\u{0}</string>", "<string>\u{1B}</string>", "<string><![CDATA[x]]></string>",
    "<array>", "<array>x</array>", "<array><true/>", "<array></dict>",
    "<dict><true/></dict>", "<dict><key>a</key></dict>", "<dict><key>a</key><key>b</key></dict>",
    "<dict><key>a</key>x<true/></dict>", "<dict><key><true/></key><true/></dict>",
    "<dict><key>CF$UID</key><integer>-1</integer></dict>",
    "<dict><key>CF$UID</key><integer>4294967296</integer></dict>",
    "<integer/>", "<integer></integer>", "<integer>1.5</integer>", "<integer>--1</integer>",
    "<integer>0x-1</integer>", "<integer>18446744073709551616</integer>",
    "<integer>-9223372036854775809</integer>", "<real></real>", "<real>x</real>",
    "<data>A</data>", "<data>!</data>", "<data>AA==AA==</data>", "<data>=</data>",
    "<date>2023-02-29T00:00:00Z</date>", "<date>2024-13-01T00:00:00Z</date>",
    "<date>2024-01-01 00:00:00Z</date>", "<date>2024-01-01T24:00:00Z</date>",
    "<date>0000-01-01T00:00:00Z</date>", "<date>2024-01-01T00:00:00</date>", "<set/>",
    "<key>a</key>",
    "<averyveryverylongelementname/>", "</string/>", "<string <b>x</string>",
    "<!-- ", "<!--><true/>", "<?xml", "<!DOCTYPE plist", "<!DOCTYPE plist '><true/>",
    "<!ENTITY a 'b'><true/>", "<plist><!DOCTYPE plist><true/></plist>",
    "<!DOCTYPE plist [<!ENTITY a 'b'>]><string>&a;</string>",
    "<!DOCTYPE plist [ ]><true/>",
    "<?xml version='1.0' encoding='UTF-16'?><true/>",
    "<?xml version=\"1.0\" encoding = \"iso-8859-1\"?><true/>",
  ])
  func `malformed documents are refused`(text: String) {
    #expect(throws: PropertyListError.self) { try read(text) }
  }

  @Test
  func `malformed UTF-8 is repaired, other encodings are refused`() throws {
    let bytes = Array("<string>a".utf8) + [0xFF] + Array("b</string>".utf8)
    #expect(try PropertyListValue(propertyList: bytes) == .string("a\u{FFFD}b"))
    let wide: [UInt8] = [0xFF, 0xFE] + "<true/>".utf8.flatMap { [$0, 0] as [UInt8] }
    #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: wide) }
  }

  @Test
  func `depth and number of values are bounded`() throws {
    let nested = { (count: Int) in
      String(repeating: "<array>", count: count) + String(repeating: "</array>", count: count)
    }
    #expect(throws: Never.self) { try read(nested(64)) }
    #expect(throws: PropertyListError.self) { try read(nested(65)) }
    #expect(throws: PropertyListError.self) {
      try read(String(repeating: "<array>", count: 50_000))
    }
    let text = Array("<array><true/><dict><key>a</key><true/></dict></array>".utf8)
    let exact = PropertyListLimits(nodes: 5, depth: 2)
    #expect(throws: Never.self) { try XMLPropertyList.value(of: text, limits: exact) }
    let less = PropertyListLimits(nodes: 4, depth: 2)
    #expect(throws: PropertyListError.self) { try XMLPropertyList.value(of: text, limits: less) }
  }

  @Test
  func `a truncated or changed document is read or refused`() {
    let bytes = Array(Self.document.utf8)
    let end = bytes.count - 1
    for count in stride(from: 0, to: end - 1, by: 3) {
      #expect(throws: PropertyListError.self) {
        try PropertyListValue(propertyList: Array(bytes.prefix(count)))
      }
    }
    for mutated in PropertyListFixture.mutations(of: bytes, perByte: 1, seed: 2) {
      _ = try? PropertyListValue(propertyList: mutated)
    }
  }

  @Test(
    arguments: [
      .uid(4_294_967_295), .string("a\r\n]]>\t"), .real(.infinity), .real(-.infinity),
      .real(0.1), .integer(.min), .data([]), .data(Array(0...255)), .string(""), .array([.uid(0)]),
      .dictionary(["<&>": .boolean(true)]), .date(-978_307_200),
    ] as [PropertyListValue])
  func `written values are read back`(value: PropertyListValue) throws {
    let bytes = try XMLPropertyListWriter.bytes(of: value)
    #expect(try PropertyListValue(propertyList: bytes) == value)
  }

  @Test
  func `a uid is written as Apple does`() throws {
    let bytes = try XMLPropertyListWriter.bytes(of: .uid(3))
    #expect(
      String(decoding: bytes, as: UTF8.self) == Self.header
        + "<dict>\n\t<key>CF$UID</key>\n\t<integer>3</integer>\n</dict>\n</plist>\n")
  }

  @Test(
    arguments: [
      .null, .uid(-1), .uid(4_294_967_296), .string("\u{0}"), .string("\u{1B}"), .date(.nan),
      .date(.infinity), .date(252_423_993_600), .date(-63_113_904_001),
      .dictionary(["\u{7}": .boolean(true)]),
    ] as [PropertyListValue])
  func `values that XML cannot express are not written`(value: PropertyListValue) {
    #expect(throws: PropertyListError.self) { try XMLPropertyListWriter.bytes(of: value) }
  }

  @Test(
    arguments: [
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (-12_649_305_600, "1600-02-29T00:00:00Z"),
      (-3_182_194_677, "1900-03-01T01:02:03Z"), (-26_438_401, "2000-02-29T23:59:59Z"),
      (0, "2001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
    ] as [(Double, String)])
  func `dates are those of Python's datetime`(seconds: Double, text: String) {
    #expect(CivilDate.propertyListDate(ofSeconds: seconds) == text)
    #expect(CivilDate.propertyListDate(ofSeconds: seconds + 0.75) == text)
    #expect(CivilDate.seconds(ofPropertyListDate: Array(text.utf8)) == seconds)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `base64 is that of RFC 4648`(plain: String, text: String) {
    #expect(Base64.text(of: Array(plain.utf8)) == text)
    #expect(Base64.decode(text) == Array(plain.utf8))
    #expect(Base64.decode(wrapped: Array(text.utf8)) == Array(plain.utf8))
  }
}
