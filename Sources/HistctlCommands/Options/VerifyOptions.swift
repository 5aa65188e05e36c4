import ArgumentParser

/// What to verify, and how closely.
struct VerifyOptions: CheckedOptions {
  @Argument(help: "The store file, or the folder of an archive.", completion: .file())
  var path: String

  @Option(
    name: .customLong("bookmark-file"),
    help: ArgumentHelp(
      "Read a store's bookmarks from this file instead of STORE-bookmarks.json.",
      valueName: "file"),
    completion: .file())
  var bookmarkFile: String?

  @Option(
    help: ArgumentHelp("Seconds to wait for a locked store.", valueName: "seconds"))
  var busyTimeout: Double = 5

  func check() throws {
    try StoreOptions.validate(busyTimeout: busyTimeout)
  }
}
