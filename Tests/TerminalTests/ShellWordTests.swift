import TestSupport
import Testing

@testable import Terminal

@Suite(.bounded) struct ShellWordTests {
  @Test(arguments: [
    ("trips.store", "trips.store"), ("/a/b-c_d,e:f@g%h+i", "/a/b-c_d,e:f@g%h+i"),
    ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("~/x", "'~/x'"), ("$HOME", "'$HOME'"),
    ("Übung", "'Übung'"), ("a\nb%c'", #""$(printf 'a\012b%%c\047')""#),
    ("\u{202E}x", #""$(printf '\342\200\256x')""#),
  ]) func `words are quoted only if a shell needs it`(_ text: String, _ word: String) {
    #expect(ShellWord.quoted(text) == word)
  }

  /// Whatever it is, a shell reads it back, and a terminal gets nothing that acts on it.
  @Test(arguments: ["sh", "bash", "zsh", "dash"].filter { Tool($0) != nil })
  func `shells read quoted words back`(_ name: String) async throws {
    let shell = try #require(Tool(name))
    var random = SeededGenerator(seed: 11)
    let letters: [Unicode.Scalar] = [
      "a", " ", "'", "\"", "\\", "$", "`", "%", "!", "~", "=", "*", "?", "[", "{", "(", "<", "&",
      ";", "#", "^", "|", "-", "\n", "\t", "\r", "\u{1B}", "\u{7F}", "é", "語", "\u{202E}",
      "\u{1F600}", "0",
    ]
    for _ in 0..<60 {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.unicodeScalars.append(letters.randomElement(using: &random) ?? "a")
      }
      // As a path of a file does; a shell drops line feeds at the end.
      text += "x"
      let word = ShellWord.quoted(text)
      #expect(TerminalText.terminal.escaped(word) == word)
      let result = try await shell.run(["-c", "printf '%s' \(word)"])
      #expect(result.output == Array(text.utf8), "\(word)")
    }
  }
}
