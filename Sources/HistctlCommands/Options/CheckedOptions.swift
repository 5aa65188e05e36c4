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
