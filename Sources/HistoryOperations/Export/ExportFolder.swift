import DurableFiles
import HistoryArchive
import HistoryCoding
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// Exports into a folder, one file a run, named by the transactions that the run looked at.
///
/// A run for a consumer writes each transaction to exactly one file, whatever interrupts it. When a file is complete
/// and on the disk under its draft's name, the run
///
/// 1. records it in the consumer's bookmark: name, range, length and SHA-256,
/// 2. gives it its name,
/// 3. moves the bookmark to its end, which removes the record in the same step.
///
/// Each step is on the disk before the next one begins. The next run finds one of these states:
///
/// | the record is of | the run was interrupted | and the next one |
/// |---|---|---|
/// | no file | before 1, or after 3 | exports what is after the bookmark |
/// | a missing file | before 2 | exports the same transactions again |
/// | a file with this content | before 3 | moves the bookmark to the end of the file, and exports what is after it |
/// | a file with other content | and someone changed the file | fails |
///
/// A file that begins after the bookmark and is in no record is from an earlier version, which kept none, or was
/// written for a bookmark that is lost. Such a file is taken for the consumer's own if exporting its range now gives the
/// same text; otherwise the run fails, because another copy of the store uses the same names. A run that is divided
/// by month takes the three steps for each file.
package struct ExportFolder {
  /// What a run would do.
  package struct Plan {
    /// The consumer's bookmark; `nil` for an export without one.
    package let consumer: String?
    /// Whether the consumer has no bookmark yet.
    package fileprivate(set) var isNewConsumer = false
    /// The transaction after which the export begins; `nil` to begin with the first.
    package fileprivate(set) var start: Int64?
    /// The files whose run was interrupted before it moved the bookmark.
    fileprivate var finished: [(path: String, last: Int64)] = []
    /// The transactions to export; `nil` if nothing is new.
    package fileprivate(set) var range: ClosedRange<Int64>?

    fileprivate mutating func finish(_ path: String, _ range: ClosedRange<Int64>) {
      finished.append((path, range.upperBound))
      start = range.upperBound
    }
  }

  /// A file of a run.
  package struct File: Sendable {
    package let path: String
    package let summary: ExportSummary

    package init(path: String, summary: ExportSummary) {
      self.path = path
      self.summary = summary
    }
  }

  /// How files are arranged in the folder.
  package enum Layout: String, CaseIterable, Sendable {
    /// A folder for each store, named by its identifier.
    case plain
    /// A partition for each store, as Hive names them: `store=IDENTIFIER`.
    case store
    /// A partition for each store, and in it one for each month in UTC: `month=2026-11`.
    case storeAndMonth = "store,month"
  }

  /// Seconds to wait for another run that is naming its file.
  private static let timeout = 30.0

  /// The maximum number of files of a run: each time that jumps to another month begins a file.
  private static let maxFiles = 10_000

  /// The hint where transactions are in another file of the folder already.
  private static let wayAroundOthers =
    "export into another folder, leave those out with --after and --until, or let --bookmark go on "
    + "where the last export ended"

  private let operation: ExportOperation
  private let folder: String
  private let resolver: TokenResolver
  private let bookmarks: String
  private let layout: Layout
  /// The folder of the store.
  private let storeFolder: String
  /// The folder that the store has in each layout.
  private let storeFolders: [String]

  /// - Parameter bookmarkPath: The file that keeps the bookmarks; `nil` for the one beside the store.
  /// - Throws: ``OperationError``.
  package init(
    _ operation: ExportOperation, to folder: String, layout: Layout = .plain,
    resolver: TokenResolver, bookmarkPath: String?
  ) throws {
    let timeline = operation.timeline
    guard let store = timeline.storeIdentifier,
      store.utf8.allSatisfy({
        $0 == UInt8(ascii: "-") || Unicode.Scalar($0).properties.isASCIIHexDigit
      })
    else {
      throw OperationError(
        .unnamedStore, "\(timeline.path) has no identifier to name a folder by",
        hint: "export it to a file with --output")
    }
    guard !Archive.isArchive(folder) else {
      throw OperationError(
        .usage, "\(folder) is an archive, whose segments only archive writes",
        hint: "export into another folder")
    }
    self.operation = operation
    self.folder = folder
    self.resolver = resolver
    bookmarks =
      bookmarkPath
      ?? BookmarkFile.path(besideStore: timeline.snapshot?.location.resolvedPath ?? timeline.path)
    self.layout = layout
    let names = [store, "store=" + store]
    storeFolders = names.map { OutputFolder.path(of: $0, in: folder) }
    storeFolder = storeFolders[layout == .plain ? 0 : 1]
  }

  // MARK: - Planning

  /// Plans an export: the transactions that the query selects or, for a consumer, those after its
  /// bookmark. Nothing is changed.
  package func plan(consumer: String?) throws -> Plan {
    var query = operation.export.query
    var plan = Plan(consumer: consumer)
    if let consumer {
      guard Bookmark.isName(consumer) else { throw HistoryError.malformedBookmarkName(consumer) }
      let bookmark = try BookmarkFile(path: bookmarks).bookmarks.first { $0.name == consumer }
      plan.isNewConsumer = bookmark == nil
      if bookmark != nil { plan.start = try resolver.resolveUsable("@" + consumer).number }
      if let pending = bookmark?.pending {
        let path = OutputFolder.path(of: pending.name, in: folder)
        if try isFinished(pending, path) { plan.finish(path, pending.range) }
      }
      while let range = try unrecordedRun(after: plan.start) {
        let path = try path(of: range)
        try check(path, range, finishedBefore: plan)
        plan.finish(path, range)
      }
      query.after = plan.start
    }
    plan.range = try range(of: query)
    return plan
  }

  /// The range of transactions that a query looks at; `nil` if there are none.
  private func range(of query: HistoryQuery) throws -> ClosedRange<Int64>? {
    let timeline = operation.timeline
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

  /// Whether the recorded file of an interrupted run has got its name.
  private func isFinished(_ pending: PendingFile, _ path: String) throws -> Bool {
    let found: FileDigest?
    do {
      found = try FileDigest(ofFileAt: path)
    } catch {
      throw OperationError(
        .unreadable, "cannot read \(path), the file of an interrupted export: \(error)",
        hint: "make it readable, or move it away to have its transactions exported again")
    }
    guard let found else { return false }
    guard found == pending.content else {
      throw OperationError(
        .divergedFolder,
        "\(path) has other contents than the interrupted export that wrote it recorded",
        hint:
          "something changed or replaced it; move it away to have its transactions exported again")
    }
    guard
      let last = try operation.timeline.position(ofTransaction: pending.range.upperBound),
      pending.endsWith(last)
    else { throw otherCopy(has: pending.range.upperBound, in: path) }
    return true
  }

  private func otherCopy(has last: Int64, in path: String) -> OperationError {
    OperationError(
      .divergedFolder,
      "\(path) is a file up to transaction \(last), which is not in \(operation.timeline.path)",
      hint: "the file comes from another copy of the store; export this one elsewhere")
  }

  /// The range of a file that begins after a position and is in no record.
  private func unrecordedRun(after position: Int64?) throws -> ClosedRange<Int64>? {
    guard let first = try range(of: HistoryQuery(after: position))?.lowerBound else { return nil }
    let start = SegmentName.padded(first) + "-"
    var last: Int64?
    let directory = try directory(of: first)
    for name in FolderNames.read(directory, containing: start)
    where name.hasPrefix(start) && name.hasSuffix(suffix) {
      guard let number = Int64(name.dropFirst(start.count).dropLast(suffix.count)),
        name == self.name(of: first...max(first, number))
      else { continue }
      last = max(last ?? number, number)
    }
    return last.map { first...max(first, $0) }
  }

  /// Checks that an unrecorded file is this consumer's, and holds what this export would write.
  private func check(
    _ path: String, _ range: ClosedRange<Int64>, finishedBefore plan: Plan
  ) throws {
    if plan.isNewConsumer { try checkHasNoOtherConsumer(range, than: plan.consumer ?? "") }
    guard try operation.timeline.position(ofTransaction: range.upperBound) != nil else {
      throw otherCopy(has: range.upperBound, in: path)
    }
    guard try operation.part(after: plan.start, until: range.upperBound).isWritten(in: path) else {
      throw OperationError(
        .divergedFolder,
        "\(path) already exists, with other contents than an export of \(operation.timeline.path) "
          + "would have",
        hint: "it comes from another copy of the store, or was exported with other options or "
          + "before values changed; export into another folder, or move that file away")
    }
  }

  /// Checks that a file does not belong to another bookmark. A new consumer would otherwise treat it as
  /// its own and receive nothing.
  private func checkHasNoOtherConsumer(
    _ range: ClosedRange<Int64>, than consumer: String
  ) throws {
    guard let store = operation.timeline.storeIdentifier,
      let other = try BookmarkFile(path: bookmarks).bookmarks.first(where: {
        $0.token.storeTokens[store] == range.upperBound
      })
    else { return }
    throw OperationError(
      .alreadyThere,
      "\(storeFolder) has the files of another bookmark, @\(other.name): transactions "
        + "\(range.lowerBound) to \(range.upperBound) are there already",
      hint: "export into another folder; or have \(consumer) begin after those files: histctl "
        + "bookmark set STORE \(consumer) \(range.upperBound)")
  }

  // MARK: - Writing

  /// Writes the files of a plan, and moves the consumer's bookmark after each.
  ///
  /// - Returns: The files, none if nothing was new.
  package func write(_ plan: Plan) throws -> [File] {
    // A killed run usually had another range, so its draft is removed here.
    let directories = directories
    for (directory, names) in directories where names.contains(where: AbandonedDrafts.isDraft) {
      AbandonedDrafts.remove(in: directory, of: Self.isName)
    }
    if let consumer = plan.consumer {
      try checkBookmarksAreWritable()
      for path in plan.finished.map(\.path) {
        // The interrupted run may not have synced the name of the file.
        try DraftFile.synchronizeFolder(of: path)
      }
      if let last = plan.finished.last?.last { try move(consumer, to: last) }
    }
    guard let range = plan.range else { return [] }
    let parts = try parts(of: range)
    // Only now: an export that fails must not leave a folder behind.
    let permissions = MissingFolders.permissions(forFiles: operation.timeline.filePermissions)
    try OutputFolder.make(folder, permissions: permissions)
    try OutputFolder.make(part: storeFolder, permissions: permissions)
    try check(range, isInNone: directories)
    // A new bookmark is set before all history, so that nothing is pruned until the consumer has a
    // file.
    if let consumer = plan.consumer, plan.isNewConsumer, plan.finished.isEmpty {
      try move(consumer, to: 0)
    }
    var after = plan.consumer != nil ? plan.start : operation.export.query.after
    var files: [File] = []
    for part in parts {
      var operation = operation.part(after: after, until: part.upperBound)
      if !files.isEmpty { operation.export.missingBeginning = nil }
      try OutputFolder.make(part: directory(of: part.lowerBound), permissions: permissions)
      let path = try path(of: part)
      let summary = try operation.writeFile(
        path, overwrites: false, existsHint: Self.wayAroundOthers
      ) { draft in
        let pending = try plan.consumer == nil ? nil : pendingFile(draft, path, part)
        return try lockFolder(for: part) {
          if let consumer = plan.consumer { try move(consumer, to: after ?? 0, pending) }
        }
      }
      files.append(File(path: path, summary: summary))
      if let consumer = plan.consumer { try move(consumer, to: part.upperBound) }
      after = part.upperBound
    }
    return files
  }

  /// Divides a range into the parts that get a file each: consecutive transactions of one month.
  private func parts(of range: ClosedRange<Int64>) throws -> [ClosedRange<Int64>] {
    guard layout == .storeAndMonth else { return [range] }
    let timeline = operation.timeline
    var parts: [ClosedRange<Int64>] = []
    var month: String?
    var next = try timeline.position(ofTransaction: range.lowerBound)
    while let transaction = next, transaction.number <= range.upperBound {
      let name = Self.monthFolder(transaction)
      if let last = parts.last, name == month {
        parts[parts.count - 1] = last.lowerBound...transaction.number
      } else {
        parts.append(transaction.number...transaction.number)
        month = name
      }
      guard parts.count <= Self.maxFiles else {
        throw OperationError(
          .usage,
          "the times of \(timeline.path) jump between months more than "
            + "\(Self.maxFiles) times, and each jump would begin a file",
          hint: "export it with --partition store")
      }
      next = try timeline.firstTransaction(after: transaction.number)
    }
    return parts
  }

  /// Checks that no other file has any of the transactions, in any layout and any format: a reader of the whole
  /// folder would get them twice.
  private func check(
    _ range: ClosedRange<Int64>, isInNone directories: [(path: String, names: [String])]
  ) throws {
    let own = try path(of: range)
    for (directory, names) in directories {
      for name in names.sorted() where Self.isName(name) {
        let digits = name.prefix { $0 != "." }
        let path = OutputFolder.path(of: name, in: directory)
        guard let other = SegmentName.range(of: digits), other.overlaps(range), path != own,
          Self.endings.contains(String(name.dropFirst(digits.count)))
        else { continue }
        let common = other.clamped(to: range)
        throw OperationError(
          .alreadyThere,
          "\(path) has transactions \(common.lowerBound) to \(common.upperBound) already, which "
            + "would be in two files",
          hint: Self.wayAroundOthers)
      }
    }
  }

  /// Describes a complete draft by the name that it will have.
  private func pendingFile(
    _ draft: DraftFile, _ path: String, _ range: ClosedRange<Int64>
  ) throws -> PendingFile? {
    try FileDigest(ofFileAt: draft.temporaryPath).map {
      PendingFile(
        name: String(path.dropFirst(OutputFolder.path(of: "", in: folder).count)), range: range,
        timestamp: try operation.timeline.position(ofTransaction: range.upperBound)?.timestamp,
        content: $0)
    }
  }

  /// Keeps other runs from giving files their names in the folder until the descriptor is closed.
  ///
  /// - Parameter body: Called when no other file has the transactions.
  private func lockFolder(
    for range: ClosedRange<Int64>, _ body: () throws -> Void
  ) throws -> FileDescriptor? {
    let lock: FileDescriptor?
    do {
      lock = try FolderLock.take(storeFolder, timeout: Self.timeout)
    } catch {
      guard error == .resourceTemporarilyUnavailable else { throw error }
      throw OperationError(
        .locked, "another export holds the folder \(storeFolder)",
        hint: "let it finish, or find out why it hangs, and run the command again",
        details: [("lock", storeFolder)])
    }
    do {
      // Another run may have finished meanwhile.
      try check(range, isInNone: directories)
      try body()
      return lock
    } catch {
      try? lock?.close()
      throw error
    }
  }

  // MARK: - Names

  /// The folders that have files of the store, in any layout, with the names in each.
  private var directories: [(path: String, names: [String])] {
    storeFolders.flatMap { folder in
      let names = FolderNames.read(folder)
      let months = names.filter { $0.hasPrefix(Self.monthPrefix) }.sorted()
        .map { OutputFolder.path(of: $0, in: folder) }
      return [(folder, names)] + months.map { ($0, FolderNames.read($0)) }
    }
  }

  /// Returns the folder of the file that begins with a transaction.
  private func directory(of first: Int64) throws -> String {
    guard layout == .storeAndMonth,
      let position = try operation.timeline.position(ofTransaction: first)
    else { return storeFolder }
    return OutputFolder.path(of: Self.monthFolder(position), in: storeFolder)
  }

  private static let monthPrefix = "month="

  /// Returns the name of a month's folder; Hive's name for no value if there is no time.
  private static func monthFolder(_ position: TransactionPosition) -> String {
    let month = position.timestamp.flatMap {
      PeriodClock.universal.period(.month, containing: $0)
    }
    return monthPrefix + (month?.name ?? "__HIVE_DEFAULT_PARTITION__")
  }

  private func path(of range: ClosedRange<Int64>) throws -> String {
    OutputFolder.path(of: name(of: range), in: try directory(of: range.lowerBound))
  }

  private func name(of range: ClosedRange<Int64>) -> String { SegmentName.text(range) + suffix }

  private var suffix: String { Self.ending(operation.format, operation.export.compression) }

  private static func ending(_ format: ExportFormat, _ compression: ExportCompression) -> String {
    let packed = compression.fileExtension
    return "." + format.fileExtension + (packed.isEmpty ? "" : "." + packed)
  }

  /// The endings of the names of all files that a run may write.
  private static let endings = Set(
    ExportFormat.allCases.flatMap { format in
      ExportCompression.allCases.map { ending(format, $0) }
    })

  /// Whether a file may be one of a run, in any format.
  private static func isName(_ name: String) -> Bool {
    let numbers = name.prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { $0.utf8.count >= 12 && Int64($0) != nil }
  }

  // MARK: - The bookmark

  private func checkBookmarksAreWritable() throws {
    let place = FilePath(FileStatus.resolvedPlace(bookmarks)).folder.string
    guard access(place, W_OK | X_OK) != 0 else { return }
    throw HistoryError.unwritableBookmarks(
      path: bookmarks, reason: Errno(rawValue: errno).description)
  }

  /// Moves the bookmark, or records a file that comes after it.
  private func move(
    _ consumer: String, to number: Int64, _ pending: PendingFile? = nil
  ) throws {
    let timeline = operation.timeline
    guard let store = timeline.storeIdentifier else { return }
    try BookmarkFile.set(
      Bookmark(
        name: consumer, token: HistoryToken(storeIdentifier: store, transaction: number),
        timestamp: number == 0 ? nil : try timeline.position(ofTransaction: number)?.timestamp,
        pending: pending),
      in: bookmarks, permissions: timeline.filePermissions, onlyForward: true,
      // The next run finds the record, and moves the bookmark again.
      isRepeatable: number > 0 && pending == nil)
  }
}
