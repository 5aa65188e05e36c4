/// What a piece of text means, for colouring; meaning is never carried by the colour alone.
enum Style: CaseIterable, Sendable {
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
  var graphicRendition: String? {
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
