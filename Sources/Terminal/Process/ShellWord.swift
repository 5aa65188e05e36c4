/// Writes texts as words of a command line, so that it can be pasted into any POSIX shell.
package enum ShellWord {
  /// The text as one word: as it is, in quotation marks where a shell would make something of it,
  /// and by number where it holds what must not be shown on a terminal.
  package static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    guard TerminalText.terminal.escaped(text) == text else { return spelled(text) }
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: #"'\''"#) + "'"
  }

  /// What `printf` makes the text of. A shell drops line feeds at the end of it.
  private static func spelled(_ text: String) -> String {
    let letters = text.utf8.enumerated().map { position, byte in
      // What begins with a dash would be an option.
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
