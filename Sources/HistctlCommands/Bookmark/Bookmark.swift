import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl bookmark`: keeps tokens under the names of their consumers.
struct Bookmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookmark",
    abstract: "Keep tokens under names, and show how far behind their consumers are.",
    subcommands: [
      BookmarkSet.self, BookmarkList.self, BookmarkCheck.self, BookmarkRemove.self,
    ])
}

/// `histctl bookmark set`: keeps a token under a name.
struct BookmarkSet: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Keep a token under the name of its consumer.",
    discussion: """
      The bookmark also stores the transaction's time, so that another copy of the store is \
      detected. The token must work. A bookmark only moves forward unless --force is given: a \
      consumer that is moved back sees changes a second time. The file is replaced atomically, \
      and programs that change it at the same time wait for each other.

      Examples:
        histctl bookmark set default.store widget 10
        histctl bookmark set default.store widget
        histctl bookmark set default.store nightly @./saved-token.json --force
      """)

  @OptionGroup var store: StoreOptions

  @Argument(value: .bookmark, help: "The name.")
  var name: String

  @Argument(value: .token, help: "The token.")
  var token = "last"

  @Flag(help: "Move it back, or replace a bookmark of another store.")
  var force = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func remedy(for token: UnusableToken) -> String { token.remedy }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    try session.read(store, usesPager: false) { snapshot, resolver in
      _ = try snapshot.historyTables()
      // Check the name before the token.
      guard Bookmark.isName(name) else { throw HistoryError.malformedBookmarkName(name) }
      let usable = try resolver.resolveUsable(token)
      let bookmark = try Bookmark(name: name, at: usable, inStoreAt: snapshot.location.path)
      try BookmarkFile.set(
        bookmark, in: store.bookmarkPath(beside: snapshot.location),
        permissions: snapshot.location.filePermissions(), onlyForward: !force
      ) {
        // History that the snapshot shows may have been deleted since.
        guard usable.state == .valid else { return }
        try checkNotExpired(bookmark, snapshot.location)
      }
      let statuses = try BookmarkStatus.statuses(
        of: [bookmark], in: snapshot, now: session.now)
      try BookmarkReport(
        session: session, storeIdentifier: snapshot.metadata.storeIdentifier
      ).writeSet(statuses)
    }
  }

  private func checkNotExpired(_ bookmark: Bookmark, _ location: StoreLocation) throws {
    let file: StoreFile
    do {
      file = try StoreFile(
        location: location, busyTimeout: store.busyTimeout, allowsPrivateCopy: false)
    } catch StoreError.unreadable {
      // The store can only be read from a copy, which is too expensive for this check.
      return
    }
    try file.read { try bookmark.checkNotExpired(in: $0) }
  }
}

/// `histctl bookmark list`: lists the bookmarks of a store.
struct BookmarkList: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the bookmarks of a store, and how far behind their consumers are.",
    discussion: """
      Shows for each bookmark its state, as in histctl token check; how many transactions and \
      changes its consumer has not read; and the time of the oldest of them. With --keep-within \
      or --keep-last it also shows when that retention would expire the bookmark, if its consumer \
      read nothing more and saves continued at the rate of the last 30 days.

      Examples:
        histctl bookmark list default.store
        histctl bookmark list default.store --keep-within 30d
        histctl bookmark list default.store --json | jq .transactionsBehind
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup(title: "Limits") var bookmarkLimits: BookmarkLimitOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ session: Session) throws {
    try session.read(store, usesPager: false) { snapshot, resolver in
      let file = try BookmarkFile(named: store.bookmarkFile, beside: snapshot.location)
      let statuses = try bookmarkLimits.statuses(of: file.bookmarks, snapshot, now: session.now)
      try BookmarkReport(
        session: session, storeIdentifier: snapshot.metadata.storeIdentifier,
        retention: bookmarkLimits.retention
      ).write(statuses)
      if statuses.isEmpty { session.noteAbsence(of: file) }
    }
  }
}

/// `histctl bookmark check`: reports whether bookmarks work and their consumers keep up.
struct BookmarkCheck: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check whether bookmarks work and their consumers keep up.",
    discussion: """
      Prints what histctl bookmark list prints, for the named bookmarks or for all. Ends with 1 \
      if one of them does not work, would expire at once with the retention of --keep-within or \
      --keep-last, or if its consumer has more left to read than --max-behind allows.

      Examples:
        histctl bookmark check default.store
        histctl bookmark check default.store widget --max-behind 7d
        histctl bookmark check default.store --max-behind 1000 --keep-within 30d -q
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(value: .bookmark, help: "The names (default: all bookmarks).")
  var names: [String] = []

  @OptionGroup(title: "Limits") var bookmarkLimits: BookmarkLimitOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ session: Session) throws {
    try session.read(store, usesPager: false) { snapshot, resolver in
      let file = try BookmarkFile(named: store.bookmarkFile, beside: snapshot.location)
      var failures: [Failure] = []
      let bookmarks =
        names.isEmpty
        ? file.bookmarks
        : names.compactMap { name in
          do {
            return try file.bookmark(named: name)
          } catch {
            failures.append(Failure(error))
            return nil
          }
        }
      if bookmarks.isEmpty, names.count == 1, let failure = failures.first { throw failure }
      failures.forEach(session.fail)
      let statuses = try bookmarkLimits.statuses(of: bookmarks, snapshot, now: session.now)
      let report = BookmarkReport(
        session: session, storeIdentifier: snapshot.metadata.storeIdentifier,
        retention: bookmarkLimits.retention)
      try report.write(statuses)
      if bookmarks.isEmpty, names.isEmpty { session.noteAbsence(of: file) }
      for status in statuses where !status.isWell {
        session.end(with: .answerIsNo)
        report.explain(status, limit: bookmarkLimits.maxBehind)
      }
    }
  }
}

/// `histctl bookmark remove`: removes bookmarks.
struct BookmarkRemove: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove bookmarks.",
    discussion: """
      If one of the names does not exist, nothing is removed.

      Examples:
        histctl bookmark remove default.store widget
        histctl bookmark remove default.store widget nightly --json
      """)

  @OptionGroup var store: StoreOptions

  @Argument(value: .bookmark, help: "The names.")
  var names: [String]

  @OptionGroup(title: "Output") var output: OutputOptions

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    let location = try StoreLocation(path: store.store)
    try BookmarkFile.remove(names, from: store.bookmarkPath(beside: location))
    guard output.json else { return }
    try session.write(usesPager: false) { writer in
      for name in names {
        try writer.writeLine(.record("bookmark", ["name": name, "removed": true]))
      }
    }
  }
}

/// Limits that bookmarks are checked against.
struct BookmarkLimitOptions: ParsableArguments {
  @Option(
    value: "limit",
    help:
      "Report bookmarks whose consumers have more left to read: a duration, such as 30d, or a number of "
      + "transactions.")
  var maxBehind: BookmarkAllowance?

  @Option(help: "Show when bookmarks would expire if history were kept for this duration.")
  var keepWithin: HistoryDuration?

  @Option(value: "count", help: "Show when bookmarks would expire if COUNT transactions were kept.")
  var keepLast: Int64?

  func validate() throws {
    if let keepLast, keepLast < 1 { throw ValidationError("--keep-last must be 1 or more") }
  }

  /// The retention that bookmarks must survive.
  var retention: BookmarkRetention? {
    BookmarkRetention(keepWithin: keepWithin, keepLast: keepLast)
  }

  func statuses(
    of bookmarks: [Bookmark], _ snapshot: StoreSnapshot, now: StoreTimestamp
  ) throws -> [BookmarkStatus] {
    try BookmarkStatus.statuses(
      of: bookmarks, in: snapshot, limit: maxBehind, retention: retention, now: now)
  }
}

extension Session {
  /// Notes on a terminal that there is no bookmark.
  fileprivate func noteAbsence(of file: BookmarkFile) {
    if environment.isErrorTerminal { diagnostics.note("no bookmarks in \(file.path)") }
  }
}
