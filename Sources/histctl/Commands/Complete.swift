import ArgumentParser
import PersistentHistory
import StoreFormat

/// `histctl complete`: values from a store for the completions of shells; hidden.
///
/// A shell shows whatever is printed in the middle of what a person is typing, so every failure is
/// silence and success.
struct Complete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    _superCommandName: "histctl",
    abstract: "List values of a store for the completion of a shell.",
    shouldDisplay: false)

  @Argument var kind: SuggestionKind
  @Option var store: String
  @Option var bookmarkFile: String?

  func run() {
    ProcessorTimeLimit.endQuietly(afterMilliseconds: 250)
    try? write()
  }

  private func write() throws {
    let file = try StoreFile(
      location: StoreLocation(path: store), busyTimeout: 0, allowsPrivateCopy: false)
    let lines = try file.read { snapshot in
      let suggestions = HistorySuggestions(snapshot: snapshot, bookmarkPath: bookmarkFile)
      return try SuggestionLines(suggestions: suggestions).lines(kind)
    }
    try Pager.withOutput(usesPager: false, environment: Main.environment) { writer in
      for line in lines { try writer.writeLine(line) }
    }
  }
}
