import Terminal

/// Whether something may be changed.
enum Consent {
  /// Nothing; it is only said what would be.
  case dryRun
  /// What the plan says.
  case given
  /// A person is asked.
  case asks

  /// What is to be done to a history.
  enum Action: String {
    case delete, restore
  }

  /// Finds out from the options and from who is there.
  init(_ action: Action, dryRun: Bool, yes: Bool, session: Session) throws(Failure) {
    let environment = session.environment
    if dryRun {
      self = .dryRun
    } else if yes {
      self = .given
    } else if environment.isInputTerminal, environment.isErrorTerminal, !session.options.json {
      self = .asks
    } else {
      throw Failure(
        status: .usage, kind: "usage",
        message: "cannot ask for confirmation: standard input is not a terminal",
        hint: "add --yes to \(action.rawValue) it, or --dry-run to see what would be "
          + "\(action.rawValue)d")
    }
  }
}
