/// Why a text that means a moment or a duration cannot be taken.
public struct MomentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, with the text itself; starts in lower case and has no full stop.
  public let message: String
  /// What to write instead.
  public let hint: String

  /// Makes an error of its two sentences.
  package init(message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// The message with the hint after it.
  public var description: String { "\(message); \(hint)" }

  /// A text from outside as a message quotes it: cut to 40 characters, and with `?` for everything
  /// that could steer a terminal.
  static func quote(_ text: String) -> String {
    var result = "'"
    for (position, character) in text.unicodeScalars.enumerated() {
      guard position < 40 else {
        result += "…"
        break
      }
      switch character.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: result += "?"
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "'"
  }
}
