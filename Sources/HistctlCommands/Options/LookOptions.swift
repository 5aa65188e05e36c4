import ArgumentParser

/// What to look at.
struct LookOptions: CheckedOptions {
  @Flag(help: "Check the pages of all tables of a store, and decode all lines of an archive.")
  var full = false

  @Option(
    help: ArgumentHelp(
      "Verify this archive of the store too, and that the store goes on where it ends.",
      valueName: "dir"),
    completion: .directory)
  var archive: String?

  @Option(
    help: ArgumentHelp(
      "The head that archive printed: what was sealed then must still be there.",
      valueName: "head"),
    transform: AnchorArgument.init(parsing:))
  var anchor: AnchorArgument?

  @Option(
    help: ArgumentHelp(
      "Read only a part of an archive's segments in full: 1/7, 5% or 10M.", valueName: "part"),
    transform: SubsetArgument.init(parsing:))
  var subset: SubsetArgument?

  @Option(
    help: ArgumentHelp(
      "List at most COUNT findings of each kind; all are counted.", valueName: "count"))
  var limit = 10

  /// How many findings of a kind can be listed.
  private static let limits = 1...100_000

  func check() throws {
    guard Self.limits.contains(limit) else {
      throw ValidationError("--limit takes 1 to 100000 findings of a kind")
    }
  }
}
