/// Makes records for programs safe to look at, where they are written to a terminal.
///
/// Text is judged a line at a time, since what stands before a character can make it harmless.
package struct TerminalGuard {
  /// What the records are.
  package enum Form {
    /// Lines of JSON; what is written out is, as JSON reads it, the same text.
    case json
    /// Comma-separated values, with line ends in quotes.
    case csv
  }

  /// Who writes lines longer than this sees them judged in pieces.
  private static let longest = 1 << 16

  package let form: Form
  private var pending: [UInt8] = []

  package init(_ form: Form) { self.form = form }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) { pending += bytes }

  /// Takes out what can be written; nil where there is nothing.
  ///
  /// - Parameter onlyLines: Whether what is behind the last line end waits for the rest of its line.
  package mutating func take(onlyLines: Bool) -> [UInt8]? {
    var end = pending.endIndex
    if onlyLines {
      if let lineEnd = pending.lastIndex(of: UInt8(ascii: "\n")) {
        end = lineEnd + 1
      } else if pending.count > Self.longest {
        while end > 0, pending[end - 1] & 0xC0 == 0x80 { end -= 1 }
        // What begins the last character stays with the rest of it.
        end = max(0, end - 1)
      } else {
        return nil
      }
    }
    guard end > 0 else { return nil }
    let text = String(decoding: pending[..<end], as: UTF8.self)
    pending.removeSubrange(..<end)
    return Array(harmless(text).utf8)
  }

  private func harmless(_ text: String) -> String {
    let mode: TerminalText = form == .json ? .terminalJSON : .terminal
    var result = ""
    var rest = text.unicodeScalars[...]
    while let end = rest.firstIndex(of: "\n") {
      result += mode.escaped(String(rest[..<end]))
      result.unicodeScalars.append(rest[end])
      rest = rest[rest.index(after: end)...]
    }
    return result + mode.escaped(String(rest))
  }
}
