/// Makes text that came from a store safe to show.
///
/// An author's name may hold an escape sequence that clears the screen, or a bidi control that makes a line read
/// backwards. Formats for programs have their own escapes; output for people shows it as `\e` or `\u{202E}`.
/// Applying a mode twice gives the same result as once.
package enum TerminalText: Sendable {
  /// For people, at a terminal or in a pipe that leads to one: everything that acts on a terminal, or
  /// cannot be seen, is written out.
  case terminal

  /// For JSON on terminals: the same, as escapes of JSON, so that the decoded text is unchanged.
  case terminalJSON

  /// Longest run of combining marks that is shown as it is: the limit of Unicode's stream-safe
  /// text format (UAX 15), which no language reaches. Longer ones paint over other lines.
  static let longestMarkRun = 30

  /// The maximum length of a text for people, in bytes. Of a longer one both ends are shown.
  static let longestText = 1 << 16

  /// Returns the text, or both ends of one that is too long for people, with its length between them.
  static func shortened(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    let (beginning, end) = (
      text.unicodeScalars.prefix(longestText / 16), text.unicodeScalars.suffix(longestText / 16)
    )
    return String(beginning) + "… (\(text.utf8.count.grouped) bytes) …" + String(end)
  }

  /// Returns the text with everything escaped that this mode does not allow.
  package func escaped(_ text: String) -> String {
    let text = self == .terminal ? Self.shortened(text) : text
    guard !text.allBytes({ !isSuspicious($0) }) else { return text }
    var result = ""
    result.reserveCapacity(text.utf8.count)
    var context = Context()
    var scalars = text.unicodeScalars.makeIterator()
    var upcoming = scalars.next()
    while let scalar = upcoming {
      upcoming = scalars.next()
      if passes(scalar, upcoming, &context) {
        result.unicodeScalars.append(scalar)
      } else {
        result += self == .terminalJSON ? Self.jsonEscape(scalar) : Self.escape(scalar)
        context = Context()
      }
    }
    return result
  }

  /// A cheap test that keeps ordinary ASCII off the slow path.
  private func isSuspicious(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x7F
  }

  private func passes(
    _ scalar: Unicode.Scalar, _ next: Unicode.Scalar?, _ context: inout Context
  ) -> Bool {
    context.shows(scalar, before: next)
  }

  /// One scalar, written out in ASCII.
  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x00: "\\0"
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    case 0x1B: "\\e"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }

  private static func jsonEscape(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

extension TerminalText {
  /// The scalars before one, which decide whether an invisible one is legitimate.
  private struct Context {
    /// The scalar just before.
    private var previous: Unicode.Scalar?
    /// The last one that is neither a variation selector nor a skin tone.
    private var base: Unicode.Scalar?
    /// Combining marks in a row up to here.
    private var markRun = 0

    /// Whether a scalar may be shown here as it is; if so it becomes part of the context.
    mutating func shows(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
      guard isVisible(scalar, before: next) else { return false }
      let isMark = !DisplayWidth.isOrdinary(scalar) && DisplayWidth.isNonspacingMark(scalar)
      if isMark && markRun == TerminalText.longestMarkRun { return false }
      markRun = isMark ? markRun + 1 : 0
      previous = scalar
      switch scalar.value {
      case 0xFE0E, 0xFE0F, 0x1F3FB...0x1F3FF: break
      default: base = scalar
      }
      return true
    }

    private func isVisible(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
      if DisplayWidth.isOrdinary(scalar) { return true }
      return switch scalar.value {
      case ..<0x20, 0x7F..<0xA0: false
      case 0x2028, 0x2029, 0xFFF9...0xFFFB: false
      case 0x200C, 0x200D: isJoining(scalar, next)
      case 0xFE0E, 0xFE0F: isPresentation(next)
      case 0xFE00...0xFE0D, 0xE0100...0xE01EF: previous?.properties.isIdeographic ?? false
      case 0x180B...0x180F: previous.map { (0x1820...0x18AA).contains($0.value) } ?? false
      default: !scalar.properties.isDefaultIgnorableCodePoint
      }
    }

    /// Joiners are spelling in Indic scripts after a virama (as RFC 5892, appendix A, has it) and
    /// between Arabic letters, and they hold an emoji of several parts together.
    private func isJoining(_ scalar: Unicode.Scalar, _ next: Unicode.Scalar?) -> Bool {
      guard let previous, let base else { return false }
      if previous.properties.canonicalCombiningClass == .virama { return true }
      guard let next else { return false }
      if scalar.value == 0x200D && Self.isEmoji(base) && Self.isEmoji(next) { return true }
      return Self.isArabic(previous) && Self.isArabic(next)
    }

    /// Selectors 15 and 16 choose between the two looks of an emoji, and make keycaps of digits.
    private func isPresentation(_ next: Unicode.Scalar?) -> Bool {
      guard let previous else { return false }
      return Self.isEmoji(previous) || (previous.properties.isEmoji && next?.value == 0x20E3)
    }

    /// An emoji that is not an ASCII digit or sign.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
      scalar.value > 0x7F && scalar.properties.isEmoji
    }

    /// A letter or mark of the Arabic and Syriac blocks.
    private static func isArabic(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0x620...0x77F, 0x8A0...0x8FF: true
      default: false
      }
    }
  }
}

/// Writes texts as words of a command line, so that it can be pasted into any POSIX shell.
package enum ShellWord {
  /// Returns the text as one word: unchanged, quoted where a shell would interpret it, or in octal escapes where
  /// it has characters that must not be shown on a terminal.
  package static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    guard TerminalText.terminal.escaped(text) == text else { return spelled(text) }
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: #"'\''"#) + "'"
  }

  /// Returns the text as the output of `printf`. A shell drops trailing line feeds.
  private static func spelled(_ text: String) -> String {
    let letters = text.utf8.enumerated().map { position, byte in
      // A leading dash would be an option.
      let isDashInFront = position == 0 && byte == UInt8(ascii: "-")
      if !isDashInFront, isPlain(byte) || byte == UInt8(ascii: " ") {
        return byte == UInt8(ascii: "%") ? "%%" : String(UnicodeScalar(byte))
      }
      let octal = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
    }
    return "\"$(printf '\(letters.joined())')\""
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "_-./,:@%+".utf8.contains(byte)
    }
  }
}
