/// Whether something may be deleted.
enum PruneConsent {
  /// Nothing; it is only said what would be.
  case dryRun
  /// What the plan says.
  case given
  /// A person is asked.
  case asks

  /// Finds out from the options and from who is there.
  init(dryRun: Bool, yes: Bool, session: Session) throws(Failure) {
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
        message: "nobody is there to ask whether history may be deleted",
        hint: "add --yes to delete it, or --dry-run to see what would be deleted")
    }
  }
}
