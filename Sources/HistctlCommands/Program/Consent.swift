import Terminal

/// Whether a command may change something.
enum Consent {
  /// Only shows what would change.
  case dryRun
  /// Changes what the plan shows.
  case given
  /// Asks for confirmation.
  case asks

  /// The verb of a change to a history, or of writing a copy.
  enum Action: String {
    case delete, restore, write

    var participle: String { self == .write ? "written" : rawValue + "d" }
  }

  /// Determines it from the options and the terminal.
  ///
  /// - Parameter stores: What is to be changed; a path of anything else is explained before a
  ///   confirmation is missed.
  init(
    _ action: Action, of stores: [String] = [], dryRun: Bool, yes: Bool, session: Session
  ) throws(Failure) {
    let environment = session.environment
    if dryRun {
      self = .dryRun
    } else if yes {
      self = .given
    } else if environment.isInputTerminal, environment.isErrorTerminal, !session.options.json {
      self = .asks
    } else {
      for path in stores {
        if let failure = Failure.misplacedStore(path) { throw failure }
      }
      throw Failure(
        status: .usage, kind: "usage",
        message: "cannot ask for confirmation: standard input is not a terminal",
        hint: "add --yes to \(action.rawValue) it, or --dry-run to see what would be "
          + action.participle)
    }
  }
}
