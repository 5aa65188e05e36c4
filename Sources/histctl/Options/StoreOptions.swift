import ArgumentParser
import PersistentHistory
import StoreFormat

/// Which store a command is about, and how to open it.
struct StoreOptions: ParsableArguments {
  @Argument(help: "The store file.", completion: .file())
  var store: String

  @Option(
    name: .customLong("bookmark-file"),
    help: ArgumentHelp(
      "Keep bookmarks in this file instead of STORE-bookmarks.json.", valueName: "file"),
    completion: .file())
  var bookmarkFile: String?

  @Option(
    help: ArgumentHelp("Wait so many seconds for a store that is locked.", valueName: "seconds"))
  var busyTimeout: Double = 5

  func validate() throws {
    guard busyTimeout.isFinite, (0...86_400).contains(busyTimeout) else {
      throw ValidationError("--busy-timeout takes 0 to 86400 seconds")
    }
  }

  /// The file that keeps the bookmarks of the store.
  func bookmarkPath(beside location: StoreLocation) -> String {
    bookmarkFile ?? BookmarkFile.path(besideStore: location.resolvedPath)
  }
}
