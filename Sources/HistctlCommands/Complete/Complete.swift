import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl complete`: values from a store for the completions of shells; hidden.
///
/// A shell shows whatever is printed in the middle of what a person is typing, so every failure is
/// silence and success.
struct Complete: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    _superCommandName: "histctl",
    abstract: "List values of a store for the completion of a shell.",
    shouldDisplay: false)

  @Argument var kind: SuggestionKind
  @Option var store: String
  @Option var bookmarkFile: String?

  func run(_ console: Console) {
    console.endQuietly(250)
    try? write(console)
  }

  private func write(_ console: Console) throws {
    let file = try StoreFile(
      location: StoreLocation(path: store), busyTimeout: 0, allowsPrivateCopy: false)
    let lines = try file.read { snapshot in
      let suggestions = HistorySuggestions(snapshot: snapshot, bookmarkPath: bookmarkFile)
      return try SuggestionLines(suggestions: suggestions, now: console.now).lines(kind)
    }
    try console.write { writer in
      for line in lines { try writer.writeLine(line) }
    }
  }
}
