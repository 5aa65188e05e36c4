import ArgumentParser
import HistoryArchive
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
    help: ArgumentHelp("Seconds to wait for a locked store.", valueName: "seconds"))
  var busyTimeout: Double = 5

  func check() throws {
    try Self.validate(busyTimeout: busyTimeout)
    try Self.check(bookmarkFile, isNotOf: [store])
  }

  /// Checks that a file of bookmarks is not a store's own.
  static func check(_ bookmarkFile: String?, isNotOf stores: [String]) throws {
    guard let bookmarkFile else { return }
    for store in stores where store != ExportedText.standardInput {
      guard BookmarkFile.isFile(bookmarkFile, ofStoreAt: store) else { continue }
      throw ValidationError(
        "--bookmark-file names \(store) itself, or a file that belongs to it; name another file")
    }
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

/// Which stores a command is about, and how to open them.
struct SeveralStoresOptions: CheckedOptions {
  @Argument(
    help: ArgumentHelp("The store files.", valueName: "store"), completion: .file())
  var stores: [String]

  @Option(
    name: .customLong("bookmark-file"),
    help: ArgumentHelp(
      "Read bookmarks from this file instead of STORE-bookmarks.json.", valueName: "file"),
    completion: .file())
  var bookmarkFile: String?

  @Option(
    help: ArgumentHelp("Seconds to wait for a locked store.", valueName: "seconds"))
  var busyTimeout: Double = 5

  func check() throws {
    try StoreOptions.validate(busyTimeout: busyTimeout)
    try StoreOptions.check(bookmarkFile, isNotOf: stores)
  }
}

/// Where history is that the store has pruned, and which store's it is.
struct ArchiveOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read what the store does not keep any more from this archive.", valueName: "dir"),
    completion: .directory)
  var archive: String?

  @Option(
    help: ArgumentHelp(
      "The store that is meant, where an archive of several takes its place.",
      valueName: "identifier"))
  var storeIdentifier: String?
}
