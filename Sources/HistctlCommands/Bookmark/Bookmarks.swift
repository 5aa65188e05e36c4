import ArgumentParser

/// `histctl bookmark`: tokens that are kept under the names of their consumers.
struct Bookmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookmark",
    _superCommandName: "histctl",
    abstract: "Keep tokens under names, and say how far behind their consumers are.",
    subcommands: [
      BookmarkSet.self, BookmarkList.self, BookmarkCheck.self, BookmarkRemove.self,
    ])
}
