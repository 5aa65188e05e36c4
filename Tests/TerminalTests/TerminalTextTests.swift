import TestSupport
import Testing

@testable import Terminal

@Suite(.bounded) struct TerminalTextTests {
  @Test(arguments: [
    ("plain text \\ \"quoted\"", "plain text \\ \"quoted\""),
    ("", ""),
    ("a\nb\tc\rd\0e", "a\\nb\\tc\\rd\\0e"),
    ("a\r\nb", "a\\r\\nb"),
    ("\u{1B}[2Jgone", "\\e[2Jgone"),
    ("\u{7}\u{8}\u{7F}", "\\u{7}\\u{8}\\u{7F}"),
    // C1: U+009B alone is a control sequence introducer in many terminals.
    ("\u{9B}31mred\u{85}", "\\u{9B}31mred\\u{85}"),
    ("\u{202E}gpj.exe", "\\u{202E}gpj.exe"),
    (
      "a\u{2066}b\u{2069}c\u{61C}\u{200E}\u{200F}",
      "a\\u{2066}b\\u{2069}c\\u{61C}\\u{200E}\\u{200F}"
    ),
    ("zero\u{200B}width\u{2060}\u{FEFF}\u{AD}", "zero\\u{200B}width\\u{2060}\\u{FEFF}\\u{AD}"),
    ("line\u{2028}paragraph\u{2029}", "line\\u{2028}paragraph\\u{2029}"),
    ("tag\u{E0041}\u{E007F}", "tag\\u{E0041}\\u{E007F}"),
    ("filler\u{3164}\u{115F}\u{FFA0}", "filler\\u{3164}\\u{115F}\\u{FFA0}"),
    ("\u{FFF9}a\u{FFFA}b\u{FFFB}", "\\u{FFF9}a\\u{FFFA}b\\u{FFFB}"),
    ("ad\u{200D}min ad\u{200C}min", "ad\\u{200D}min ad\\u{200C}min"),
    ("a\u{FE0F}", "a\\u{FE0F}"),
    // Bytes hidden in a run of variation selectors behind an emoji.
    ("😀\u{FE0F}\u{FE01}\u{E0101}", "😀\u{FE0F}\\u{FE01}\\u{E0101}"),
  ])
  func `control and hidden characters are escaped`(_ text: String, _ expected: String) {
    #expect(TerminalText.terminal.escaped(text) == expected)
  }

  @Test(arguments: [
    "Zoë Ångström", "日本語", "한국어", "ไทย กำ", "हिन्दी क्ष", "עברית", "العربية",
    "نامه\u{200C}ای", "ശ്രീ\u{0D7A}", "ക്\u{200D}", "👨‍👩‍👧‍👦", "❤️‍🔥", "🏳️‍🌈", "👍🏽", "🇩🇪",
    "1️⃣", "©️", "e\u{301}\u{323}", "葛\u{E0100}", "ᠮᠣᠩ\u{180B}", "\u{E000}\u{10FFFF}", "½ × ≠ “…”",
  ])
  func `text of any language and emoji stay`(_ text: String) {
    #expect(Array(TerminalText.terminal.escaped(text).unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func `combining marks are limited`() {
    let text = "a" + String(repeating: "\u{301}", count: 1000)
    let shown = TerminalText.terminal.escaped(text)
    #expect(shown.unicodeScalars.prefix(32).elementsEqual(("a" + mark(30) + "\\").unicodeScalars))
    #expect(longestRun(of: "\u{301}", in: shown) == 30)
  }

  /// Everything that Unicode calls a control, a bidi control or ignorable, wherever it stands.
  @Test func `every control is escaped`() {
    // The parts of Unicode that have any, and some that have none.
    let ranges: [ClosedRange<UInt32>] = [
      0...0x900, 0x1100...0x1200, 0x1780...0x1900, 0x2000...0x2100, 0x3100...0x3200,
      0xFE00...0xFFFF, 0x1BC00...0x1BD00, 0x1D100...0x1D200, 0x1F300...0x1F400,
      0xE0000...0xE1000,
    ]
    for value in ranges.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let category = scalar.properties.generalCategory
      let isHidden =
        category == .control || category == .lineSeparator || category == .paragraphSeparator
        || scalar.properties.isBidiControl || scalar.properties.isDefaultIgnorableCodePoint
      let text = "a\(Character(scalar))"
      let isWrittenOut = TerminalText.terminal.escaped(text).utf8.elementsEqual(text.utf8) == false
      if isHidden != isWrittenOut && !(0xFFF9...0xFFFB).contains(value) {
        Issue.record("U+\(String(value, radix: 16)): hidden \(isHidden)")
      }
    }
  }

  @Test func `mixtures of hostile text are safe, and escaping again changes nothing`() {
    var random = SeededGenerator(seed: 42)
    let pieces: [Unicode.Scalar] = [
      "a", "\u{1B}", "\n", "\u{200D}", "\u{200C}", "\u{FE0F}", "😀", "\u{1F3FB}", "\u{301}",
      "\u{94D}", "ن", "\u{202E}", "\u{E0100}", "葛", "1", "\u{20E3}", "\u{E0061}", "\u{9B}",
    ]
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...24, using: &random) {
        text.unicodeScalars.append(pieces[Int.random(in: 0..<pieces.count, using: &random)])
      }
      let shown = TerminalText.terminal.escaped(text)
      #expect(
        !shown.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) })
      #expect(!shown.unicodeScalars.contains { $0.properties.isBidiControl })
      #expect(TerminalText.terminal.escaped(shown) == shown)
      #expect(shown.displayWidth >= 0)
      for width in [0, 1, 5] { #expect(shown.truncated(to: width).displayWidth <= width) }
    }
  }

  private func mark(_ count: Int) -> String {
    String(repeating: "\u{301}", count: count)
  }

  private func longestRun(of scalar: Unicode.Scalar, in text: String) -> Int {
    var longest = 0
    var run = 0
    for other in text.unicodeScalars {
      run = other == scalar ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }
}

/// SplitMix64, so that a failing mixture comes again.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Starts the sequence.
  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
