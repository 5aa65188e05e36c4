import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl bookmark remove`: forgets bookmarks.
struct BookmarkRemove: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    _superCommandName: "histctl bookmark",
    abstract: "Remove bookmarks.",
    discussion: """
      Where one of the names is not there, nothing is removed.

      Examples:
        histctl bookmark remove default.store widget
        histctl bookmark remove default.store widget nightly --json
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: ArgumentHelp("The names.", valueName: "bookmark"))
  var names: [String]

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    let location = try StoreLocation(path: store.store)
    try BookmarkFile.remove(names, from: store.bookmarkPath(beside: location))
    guard output.json else { return }
    try session.write(usesPager: false) { writer in
      for name in names { try writer.writeLine(BookmarkReport.removed(name)) }
    }
  }
}
