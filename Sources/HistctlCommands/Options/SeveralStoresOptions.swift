import ArgumentParser

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
