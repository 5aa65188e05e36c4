import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage
import Terminal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Exports into a folder, a file for each run, named by the transactions that the run looked at.
///
/// A run ends in two steps: the file gets its name, then the bookmark moves. Where something comes
/// between them, the next run finds the file that begins where the bookmark stands and moves the
/// bookmark behind it before it goes on: no transaction is lost, none stands in two files. That the
/// file is its own, it sees from what is in it: another copy of the store gives its files the same
/// names.
struct ExportFolder {
  /// How long to wait for another run that is giving its file a name, in seconds.
  private static let patience = 30.0

  var run: ExportRun
  let folder: String
  let format: ExportFormat
  let resolver: TokenResolver
  let bookmarkPath: String?
  /// Whether a person is told that a bookmark is new.
  var announcesNewBookmarks = true

  /// Exports what the query selects or, for a consumer, what is new since its bookmark.
  func write(consumer: String?) throws -> ExportReport {
    let directory = OutputFolder.path(of: try storeIdentifier(), in: folder)
    guard !Archive.isArchive(folder) else {
      throw Failure(
        status: .usage, kind: "usage",
        message: "\(folder) is an archive, whose segments only archive writes",
        hint: "export into another folder")
    }
    // A run that was killed meant another range than this one, as a rule.
    AbandonedDrafts.remove(in: directory, of: Self.isName)
    var run = run
    if let consumer {
      try checkBookmarks()
      run.export.query.after = try start(of: consumer, in: directory) { try move(consumer, to: $0) }
    }
    guard let range = try range(of: run.export.query) else {
      return ExportReport(path: nil, summary: ExportSummary())
    }
    // Only now: what cannot be exported must not leave a folder behind.
    let permissions = MissingFolders.permissions(forFiles: run.timeline.filePermissions)
    try OutputFolder.make(folder, permissions: permissions)
    try OutputFolder.make(directory, permissions: permissions)
    run.export.query.until = range.upperBound
    try expectNothingTwice(range, in: directory)
    if let consumer { try begin(consumer) }
    let path = OutputFolder.path(of: name(of: range), in: directory)
    let report = try run.writeFile(
      path, overwrites: false, wayOut: Self.wayAroundOthers,
      entry: Entry(folder: self, directory: directory, range: range))
    if let consumer { try move(consumer, to: range.upperBound) }
    return report
  }

  /// The transactions that would be exported for a consumer; nil where nothing is new.
  func pending(consumer: String) throws -> ClosedRange<Int64>? {
    let directory = OutputFolder.path(of: try storeIdentifier(), in: folder)
    var query = run.export.query
    query.after = try start(of: consumer, in: directory) { _ in }
    return try range(of: query)
  }

  /// Where a consumer goes on: behind its bookmark, and behind files that were written and did not
  /// come to move it.
  private func start(
    of consumer: String, in directory: String, move: (Int64) throws -> Void
  ) throws -> Int64? {
    var start = try position(of: consumer)
    let isNew = try !bookmark(isThere: consumer)
    while let range = try finishedRun(after: start, in: directory) {
      if isNew { try expectNoOtherConsumer(of: range, in: directory, consumer) }
      guard try run.timeline.position(ofTransaction: range.upperBound) != nil else {
        throw Failure(
          status: .historyGap, kind: "divergedFolder",
          message: "\(directory) has a file up to transaction \(range.upperBound), which is not in "
            + run.timeline.path,
          hint: "the file comes from another copy of the store; export this one elsewhere")
      }
      try expectOwnFile(of: range, after: start, in: directory)
      try move(range.upperBound)
      start = range.upperBound
    }
    if isNew, announcesNewBookmarks {
      run.session.diagnostics.note(
        "the bookmark \(consumer) is new: exporting "
          + (start.map { "what was saved after \($0)" } ?? "all that there is"))
    }
    return start
  }

  /// Checks that a file in the folder is not that of another bookmark, which a new one would take for
  /// its own: it would be moved, and nothing be written for it.
  private func expectNoOtherConsumer(
    of range: ClosedRange<Int64>, in directory: String, _ consumer: String
  ) throws {
    guard let store = run.timeline.storeIdentifier,
      let other = try BookmarkFile(path: bookmarks).bookmarks.first(where: {
        $0.token.storeTokens[store] == range.upperBound
      })
    else { return }
    throw Failure(
      status: .cannotReadOrWrite, kind: "alreadyThere",
      message: "\(directory) has the files of another bookmark, @\(other.name): transactions "
        + "\(range.lowerBound) to \(range.upperBound) are there already",
      hint: "export into another folder; or have \(consumer) begin after those files: histctl "
        + "bookmark set \(ShellWord.quoted(run.timeline.path)) \(consumer) \(range.upperBound)")
  }

  /// Sees that the file of a range has in it what this run would write there.
  private func expectOwnFile(
    of range: ClosedRange<Int64>, after start: Int64?, in directory: String
  ) throws {
    let path = OutputFolder.path(of: name(of: range), in: directory)
    var run = run
    run.export.query.after = start
    run.export.query.until = range.upperBound
    guard try run.isWritten(in: path) else {
      throw Failure(
        status: .historyGap, kind: "divergedFolder",
        message: "\(path) is there already and holds something else than would be exported from "
          + "\(run.timeline.path)",
        hint: "it comes from another copy of the store, or was exported with other options; export "
          + "into another folder, or move that file away")
    }
  }

  /// Sees that no other file of the format has any of the transactions: whoever reads the folder would
  /// have them twice.
  private func expectNothingTwice(_ range: ClosedRange<Int64>, in directory: String) throws {
    for name in FolderNames.read(directory).sorted() where Self.isName(name) {
      let digits = name.prefix { $0 != "." }
      guard let other = SegmentName.range(of: digits), other.overlaps(range),
        name != self.name(of: range),
        ExportCompression.allCases.contains(where: { name == digits + suffix($0) })
      else { continue }
      let common = other.clamped(to: range)
      throw Failure(
        status: .cannotReadOrWrite, kind: "alreadyThere",
        message: "\(OutputFolder.path(of: name, in: directory)) has transactions "
          + "\(common.lowerBound) to \(common.upperBound) already, which would stand in two files",
        hint: Self.wayAroundOthers)
    }
  }

  /// What to do where transactions stand in a file of the folder already.
  private static let wayAroundOthers =
    "export into another folder, leave those out with --after and --until, or let --bookmark go on "
    + "where the last export ended"

  /// The moment in which a file gets its name.
  struct Entry {
    let folder: ExportFolder
    let directory: String
    let range: ClosedRange<Int64>

    /// Keeps other runs from giving files their names in the folder, until the descriptor is closed, and
    /// looks once more: another run may have come to its end meanwhile.
    func lock() throws -> FileDescriptor? {
      let lock = try take()
      do {
        try folder.expectNothingTwice(range, in: directory)
      } catch {
        try? lock?.close()
        throw error
      }
      return lock
    }

    private func take() throws -> FileDescriptor? {
      do {
        return try FolderLock.take(directory, patience: ExportFolder.patience)
      } catch {
        guard error == .resourceTemporarilyUnavailable else { throw error }
        throw Failure(
          status: .busy, kind: "locked", message: "another export holds the folder \(directory)",
          hint: "let it finish, or see why it stands still, and run the command again",
          details: [("lock", .string(directory))])
      }
    }
  }

  private func storeIdentifier() throws -> String {
    guard let store = run.timeline.storeIdentifier,
      store.utf8.allSatisfy({
        $0 == UInt8(ascii: "-") || Unicode.Scalar($0).properties.isASCIIHexDigit
      })
    else {
      throw Failure(
        status: .cannotReadOrWrite, kind: "unnamedStore",
        message: "\(run.timeline.path) has no identifier to name a folder by",
        hint: "export it to a file with --output")
    }
    return store
  }

  /// The transactions that the query looks at; nil where there are none.
  private func range(of query: HistoryQuery) throws -> ClosedRange<Int64>? {
    let timeline = run.timeline
    guard
      let first = try query.after.map({ try timeline.firstTransaction(after: $0) })
        ?? timeline.oldestTransaction(),
      let newest = try timeline.newestTransaction(),
      let last = try query.until.map({ until in
        until == .max ? newest : try timeline.lastTransaction(before: until + 1)
      }) ?? newest,
      first.number <= last.number
    else { return nil }
    return first.number...last.number
  }

  // MARK: - Names

  private func name(of range: ClosedRange<Int64>) -> String {
    SegmentName.text(range) + suffix
  }

  private var suffix: String { suffix(run.export.compression) }

  private func suffix(_ compression: ExportCompression) -> String {
    let packed = compression.fileExtension
    return "." + format.fileExtension + (packed.isEmpty ? "" : "." + packed)
  }

  /// Whether a file may be one of a run, in whatever format.
  private static func isName(_ name: String) -> Bool {
    let numbers = name.prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { $0.utf8.count >= 12 && Int64($0) != nil }
  }

  // MARK: - The bookmark

  private var bookmarks: String {
    bookmarkPath
      ?? BookmarkFile.path(
        besideStore: run.timeline.snapshot?.location.resolvedPath ?? run.timeline.path)
  }

  /// Sees that bookmarks can be changed before the file is written that they are to be moved behind.
  private func checkBookmarks() throws {
    let place = FilePath(FileStatus.resolvedPlace(bookmarks)).folder.string
    guard access(place, W_OK | X_OK) != 0 else { return }
    throw HistoryError.unwritableBookmarks(
      path: bookmarks, reason: Errno(rawValue: errno).description)
  }

  /// Where a consumer stands; nil for one that has not begun.
  private func position(of consumer: String) throws -> Int64? {
    guard Bookmark.isName(consumer) else { throw HistoryError.malformedBookmarkName(consumer) }
    guard try bookmark(isThere: consumer) else { return nil }
    return try resolver.resolveUsable("@" + consumer).number
  }

  /// The range of a run that wrote its file and did not come to move the bookmark.
  private func finishedRun(
    after position: Int64?, in directory: String
  ) throws -> ClosedRange<Int64>? {
    guard let first = try range(of: HistoryQuery(after: position))?.lowerBound else { return nil }
    let start = SegmentName.padded(first) + "-"
    var last: Int64?
    for name in FolderNames.read(directory) where name.hasPrefix(start) && name.hasSuffix(suffix) {
      let digits = name.dropFirst(start.count).dropLast(suffix.count)
      guard let number = Int64(digits), name == self.name(of: first...max(first, number)) else {
        continue
      }
      last = max(last ?? number, number)
    }
    return last.map { first...max(first, $0) }
  }

  /// Has a new consumer stand before everything, so that nothing is pruned until it has a file.
  private func begin(_ consumer: String) throws {
    if try !bookmark(isThere: consumer) { try move(consumer, to: 0) }
  }

  private func bookmark(isThere name: String) throws -> Bool {
    try BookmarkFile(path: bookmarks).bookmarks.contains { $0.name == name }
  }

  private func move(_ consumer: String, to number: Int64) throws {
    guard let store = run.timeline.storeIdentifier else { return }
    try BookmarkFile.set(
      Bookmark(
        name: consumer, token: HistoryToken(storeIdentifier: store, transaction: number),
        timestamp: number == 0
          ? nil : try run.timeline.position(ofTransaction: number)?.timestamp),
      in: bookmarks, permissions: run.timeline.filePermissions, onlyForward: true)
  }
}
