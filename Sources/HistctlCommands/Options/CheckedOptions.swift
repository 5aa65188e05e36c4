import ArgumentParser

/// Options that are checked against each other.
///
/// The argument parser validates options before it looks at the words that nothing has taken, so an
/// unknown option would be reported after every other mistake. ``CommandLineParser`` therefore asks it
/// a second time without these checks.
protocol CheckedOptions: ParsableArguments {
  /// Throws a `ValidationError` where options cannot be combined, or a value is out of range.
  func check() throws
}

extension CheckedOptions {
  func validate() throws {
    if !CommandLineParser.isLookingForUnknownOption { try check() }
  }
}

/// The names that other programs give to `--after` and `--until`, for a suggestion that fits: by
/// spelling alone the parser would suggest `--json` for `--from`.
struct RangeSlips: ParsableArguments {
  /// What is suggested, however it is spelled.
  static let suggestions = ["after", "until"]

  @Option(help: .hidden)
  var from: String?

  @Option(help: .hidden)
  var to: String?

  @Option(help: .hidden)
  var before: String?

  func validate() throws {
    for (value, name, meant) in [
      (from, "--from", "--after"), (to, "--to", "--until"), (before, "--before", "--until"),
    ] where value != nil {
      throw ValidationError("Unknown option '\(name)'. Did you mean '\(meant)'?")
    }
  }
}
