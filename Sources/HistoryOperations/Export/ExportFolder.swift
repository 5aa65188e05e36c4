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
    package internal(set) var isNewConsumer = false
    /// The transaction after which the export begins; `nil` to begin with the first.
    package internal(set) var start: Int64?
    /// The files whose run was interrupted before it moved the bookmark.
    var finished: [(path: String, last: Int64)] = []
    /// The transactions to export; `nil` if nothing is new.
    package internal(set) var range: ClosedRange<Int64>?

    mutating func finish(_ path: String, _ range: ClosedRange<Int64>) {
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

  let operation: ExportOperation
  let folder: String
  let resolver: TokenResolver
  let bookmarks: String
  let layout: Layout
  /// The folder of the store.
  let storeFolder: String
  /// The folder that the store has in each layout.
  let storeFolders: [String]

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
        details: [("lock", .string(storeFolder))])
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
