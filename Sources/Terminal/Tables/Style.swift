/// What a piece of text means, for colouring; meaning is never carried by the colour alone.
package enum Style: CaseIterable, Sendable {
  /// Ordinary text.
  case plain
  /// An inserted object, in green.
  case inserted
  /// An updated object, in yellow.
  case updated
  /// A deleted object, in red.
  case deleted
  /// A token, in cyan.
  case token
  /// What matters less than the rest, dim.
  case secondary
  /// A title, bold.
  case heading
  /// A warning, bold and yellow.
  case warning
  /// An error, bold and red.
  case error

  /// The parameters of the ANSI "select graphic rendition" sequence, or nil for ordinary text.
  ///
  /// Only the first eight colours: users choose those to suit their background.
  package var graphicRendition: String? {
    switch self {
    case .plain: nil
    case .inserted: "32"
    case .updated: "33"
    case .deleted: "31"
    case .token: "36"
    case .secondary: "2"
    case .heading: "1"
    case .warning: "1;33"
    case .error: "1;31"
    }
  }
}

/// Applies styles, or leaves them out where colour is off.
package struct Palette: Sendable, Equatable {
  /// Whether styles show.
  package var isColored: Bool

  package init(isColored: Bool) { self.isColored = isColored }

  /// Adds a style to text that has been made safe already; empty text stays empty.
  package func apply(_ style: Style, to text: String) -> String {
    guard isColored, !text.isEmpty, let rendition = style.graphicRendition else { return text }
    return "\u{1B}[\(rendition)m\(text)\u{1B}[0m"
  }
}

/// When output is coloured: the value of `--color`.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal that can, unless NO_COLOR forbids or CLICOLOR_FORCE demands it.
  case auto
  /// Even in a pipe or file.
  case always
  /// Not at all.
  case never

  /// Whether standard output is to be coloured.
  package func colorsOutput(in environment: TerminalEnvironment) -> Bool {
    resolve(isTerminal: environment.isOutputTerminal, in: environment)
  }

  /// Whether standard error is to be coloured.
  package func colorsErrors(in environment: TerminalEnvironment) -> Bool {
    resolve(isTerminal: environment.isErrorTerminal, in: environment)
  }

  private func resolve(isTerminal: Bool, in environment: TerminalEnvironment) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      if environment.disablesColor { return false }
      if environment.forcesColor { return true }
      return isTerminal && !environment.isDumb
    }
  }
}
