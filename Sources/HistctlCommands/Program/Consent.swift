import Terminal

/// Whether a command may change something.
struct Consent {
  private enum Answer { case dryRun, given, asks, impossible }

  /// The verb of a change to a history, or of writing a copy.
  enum Action: String {
    case delete, restore, write

    var participle: String { self == .write ? "written" : rawValue + "d" }
  }

  private let action: Action
  private let answer: Answer
  private let session: Session

  /// Whether the command only shows what would change.
  var isDryRun: Bool { answer == .dryRun }

  /// Whether the command asks after it has shown its plan.
  var asks: Bool { answer == .asks }

  /// Whether it would have to ask and cannot. A plan is made all the same, which finds what is refused in any case.
  var isImpossible: Bool { answer == .impossible }

  /// Whether nothing will change, whatever the plan is.
  var onlyPlans: Bool { isDryRun || isImpossible }

  /// Whether the plan is shown as a page of text.
  var showsPage: Bool {
    !session.options.json
      && (answer != .given || session.environment.isOutputTerminal && !session.options.quiet)
  }

  /// Determines it from the options and the terminal.
  init(_ action: Action, dryRun: Bool, yes: Bool, session: Session) {
    (self.action, self.session) = (action, session)
    let environment = session.environment
    if dryRun {
      answer = .dryRun
    } else if yes {
      answer = .given
    } else if environment.isInputTerminal, environment.isErrorTerminal, !session.options.json {
      answer = .asks
    } else {
      answer = .impossible
    }
  }

  /// Ends the command if it would have to ask and cannot; called with a plan, before it is shown.
  ///
  /// - Parameter refusal: Why the plan is refused, which matters more; `nil` if it is not.
  func check(_ refusal: (any Error)? = nil) throws {
    guard isImpossible else { return }
    throw refusal
      ?? Failure(
        .usage, "cannot ask for confirmation: standard input is not a terminal",
        hint: "add --yes to \(action.rawValue) it, or --dry-run to see what would be "
          + action.participle)
  }

  /// Returns whether to act, after the plan was shown; asks for confirmation if necessary.
  ///
  /// A no is reported, and the command ends with 1.
  func permits(_ question: @autoclosure () -> String) throws -> Bool {
    guard asks else { return !isDryRun }
    // Show the plan before the question about it.
    try session.writer.flush()
    if session.diagnostics.ask(question() + " [y/N] ") { return true }
    session.diagnostics.note("nothing was \(action.participle)")
    session.end(with: .answerIsNo)
    return false
  }
}
