import ArgumentParser
import PersistentHistory

/// Whose transactions a command is about. Values of one option are alternatives, different options
/// must all hold.
struct SaverOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only those by this author.", valueName: "author"))
  var author: [String] = []

  @Option(
    help: ArgumentHelp(
      "None by this author; those without an author stay.", valueName: "author"))
  var notAuthor: [String] = []

  @Flag(help: "Only those without an author; with --author, those too.")
  var noAuthor = false

  @Option(help: ArgumentHelp("Only those of this bundle identifier.", valueName: "bundle"))
  var bundle: [String] = []

  @Option(help: ArgumentHelp("Only those of this process.", valueName: "process"))
  var process: [String] = []

  /// A query with the conditions that the options spell, for a whole history.
  func query() -> HistoryQuery {
    var query = HistoryQuery()
    query.author = HistoryQuery.TextCondition(
      anyOf: author.isEmpty && !noAuthor ? nil : author, orNone: noAuthor, noneOf: notAuthor)
    query.bundle = HistoryQuery.TextCondition(anyOf: bundle.isEmpty ? nil : bundle)
    query.process = HistoryQuery.TextCondition(anyOf: process.isEmpty ? nil : process)
    return query
  }
}
