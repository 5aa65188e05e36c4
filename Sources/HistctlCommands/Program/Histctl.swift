import ArgumentParser
import CBuild

/// The root of all commands.
struct Histctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "histctl",
    abstract: "Show the change history inside SwiftData and Core Data stores.",
    discussion: """
      SwiftData and Core Data record every save of an app into the app's own SQLite file: one \
      transaction per save, one change per object, a token to bookmark the place. histctl reads \
      that history from the file itself, with every name. Reading never changes a byte of it.

      Examples:
        histctl demo demo
        histctl info default.store
        histctl log default.store -n 20
        histctl log default.store --author widget --after 2d --json
        histctl show default.store last
        histctl diff default.store yesterday
      """,
    version: Version.withCommit,
    subcommands: [
      Info.self, Log.self, Show.self, Diff.self, Object.self, Blame.self, Export.self, Stats.self,
      Report.self, Find.self, MCP.self,
      ArchiveHistory.self, Forget.self, Prune.self, Restore.self,
      Compact.self, Maintain.self, Check.self, Verify.self, Token.self, Bookmarks.self,
      Rehearse.self, Snapshot.self, Recover.self, Scrub.self, Record.self, Demo.self,
      CompletionScript.self,
      DumpExitStatuses.self,
    ],
    helpNames: .shortAndLong)
}

/// The version of this program.
enum Version {
  static let text = "1.0.0"

  /// The version, and the commit if it was built from a checkout that is no release.
  static var withCommit: String {
    let commit = String(cString: cbuild_commit())
    return commit.isEmpty ? text : "\(text) (\(commit))"
  }
}
