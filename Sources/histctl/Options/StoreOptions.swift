import ArgumentParser
import PersistentHistory
import StoreFormat

/// Which store a command is about, and how to open it.
struct StoreOptions: CheckedOptions {
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

  func check() throws {
    try Self.validate(busyTimeout: busyTimeout)
  }

  /// How long one may be willing to wait, in seconds.
  static let busyTimeouts = 0.0...86_400

  /// Checks a time to wait, for whichever options name one.
  static func validate(busyTimeout: Double) throws {
    guard busyTimeouts.contains(busyTimeout) else {
      throw ValidationError("--busy-timeout takes 0 to 86400 seconds")
    }
  }

  /// The file that keeps the bookmarks of the store.
  func bookmarkPath(beside location: StoreLocation) -> String {
    bookmarkFile ?? BookmarkFile.path(besideStore: location.resolvedPath)
  }
}
