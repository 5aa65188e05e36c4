import TestSupport
import Testing

@testable import Terminal

@Suite(.bounded) struct DisplayWidthTests {
  /// Expected widths as the wcwidth project's `wcswidth` gives them.
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("Zoë", 3), ("日本", 4), ("ｆｕｌｌ", 8), ("ﾊﾝ", 2),
    ("한글", 4), ("\u{1100}\u{1161}\u{11A8}", 2), ("ไทย", 3), ("กำ", 2), ("…", 1), ("█▏", 2),
    ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4), ("❤", 1), ("❤️", 2), ("⌚", 2),
    ("1️⃣", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("©", 1), ("©️", 2), ("☺", 1), ("🫨", 2), ("🏳️‍🌈", 2), ("a\u{200B}b", 2),
    ("\u{FEFF}", 0), ("〿", 1), ("𠀀", 2), ("㍿", 2), ("क", 1), ("נִ", 1), ("\u{AD}", 1), ("©️a", 3),
    ("가\u{11A8}", 2), ("か\u{3099}", 2),
  ])
  func `text has its width on terminals`(_ text: String, _ width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test func `control characters have no width`() {
    #expect("a\n\t\u{1B}\u{7F}\r\nb".displayWidth == 2)
    #expect("é\u{9B}\n".displayWidth == 1)
  }

  /// Sizes and sums of Unicode 15.0's wide and fullwidth scalars, from EastAsianWidth.txt with
  /// combining scalars left out.
  @Test func `every wide scalar is wide`() {
    var count = 0
    var sum = 0
    for value in UInt32(0)..<0x20000 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned
      else { continue }
      if let age = scalar.properties.age, age.major > 15 || age == (15, 1) { continue }
      if DisplayWidth.of(scalar) == 2 {
        count += 1
        sum += Int(value)
      }
    }
    #expect(count == 51_396)
    #expect(sum == 2_366_621_747)
  }

  @Test func `ordinary characters have the width of their scalar`() {
    for value in UInt32(0)..<0xE000 {
      guard let scalar = Unicode.Scalar(value), DisplayWidth.isOrdinary(scalar) else { continue }
      #expect(!scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isBidiControl)
      #expect(!DisplayWidth.isNonspacingMark(scalar))
      if scalar.properties.generalCategory != .unassigned {
        #expect(String(Character(scalar)).displayWidth == DisplayWidth.of(scalar))
      }
    }
  }

  @Test func `ranges of widths are sorted and do not touch`() {
    for (first, second) in zip(WideRanges.table, WideRanges.table.dropFirst()) {
      #expect(first.upperBound < second.lowerBound)
    }
  }

  @Test(arguments: [
    ("hello", 5, "hello"), ("hello", 4, "hel…"), ("hello", 1, "…"), ("hello", 0, ""),
    ("hello", -3, ""), ("", 0, ""), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func `truncation keeps characters whole`(_ text: String, _ width: Int, _ expected: String) {
    #expect(text.truncated(to: width) == expected)
  }

  @Test(arguments: [
    ("\\u{202E}", 7, "…", "…"), ("a\\u{202E}b", 9, "a…", "a…b"),
    ("ab\\e\\e", 5, "ab\\e…", "ab…\\e"),
    ("abcd\\n", 5, "abcd…", "ab…\\n"), ("\\u{10FFFF}xyz", 12, "\\u{10FFFF}x…", "…xyz"),
    ("C:\\work\\x", 8, "C:\\work…", "C:\\w…k\\x"),
  ])
  func `truncation keeps escapes whole`(
    _ text: String, _ width: Int, _ start: String, _ both: String
  ) {
    #expect(text.truncated(to: width) == start)
    #expect(text.truncatedInMiddle(to: width) == both)
  }

  @Test func `padding counts columns`() {
    #expect("日本".padded(to: 6) == "日本  ")
    #expect("42".padded(to: 5, alignment: .trailing) == "   42")
    #expect("long".padded(to: 2) == "long")
    #expect("e\u{301}".padded(to: 2) == "e\u{301} ")
  }
}
