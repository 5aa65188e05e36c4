import ArgumentParser

/// The names that other programs give to `--after` and `--until`, for a suggestion that fits: by
/// spelling alone the parser would suggest `--json` for `--from`.
struct RangeSlips: ParsableArguments {
  /// What is suggested, however it is spelled.
  static let suggestions = ["after", "until"]

  @Flag(help: .hidden)
  var from = false

  @Flag(help: .hidden)
  var to = false

  @Flag(help: .hidden)
  var before = false

  func validate() throws {
    for (isGiven, name, meant) in [
      (from, "--from", "--after"), (to, "--to", "--until"), (before, "--before", "--until"),
    ] where isGiven {
      throw ValidationError("Unknown option '\(name)'. Did you mean '\(meant)'?")
    }
  }
}
