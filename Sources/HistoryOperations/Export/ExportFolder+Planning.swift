import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat

/// Which files an interrupted run has left, and which transactions come next.
extension ExportFolder {
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
}

/// The names of an export's files and folders.
extension ExportFolder {
  /// The folders that have files of the store, in any layout, with the names in each.
  var directories: [(path: String, names: [String])] {
    storeFolders.flatMap { folder in
      let names = FolderNames.read(folder)
      let months = names.filter { $0.hasPrefix(Self.monthPrefix) }.sorted()
        .map { OutputFolder.path(of: $0, in: folder) }
      return [(folder, names)] + months.map { ($0, FolderNames.read($0)) }
    }
  }

  /// Returns the folder of the file that begins with a transaction.
  func directory(of first: Int64) throws -> String {
    guard layout == .storeAndMonth,
      let position = try operation.timeline.position(ofTransaction: first)
    else { return storeFolder }
    return OutputFolder.path(of: Self.monthFolder(position), in: storeFolder)
  }

  private static let monthPrefix = "month="

  /// Returns the name of a month's folder; Hive's name for no value if there is no time.
  static func monthFolder(_ position: TransactionPosition) -> String {
    let month = position.timestamp.flatMap {
      PeriodClock.universal.period(.month, containing: $0)
    }
    return monthPrefix + (month?.name ?? "__HIVE_DEFAULT_PARTITION__")
  }

  func path(of range: ClosedRange<Int64>) throws -> String {
    OutputFolder.path(of: name(of: range), in: try directory(of: range.lowerBound))
  }

  func name(of range: ClosedRange<Int64>) -> String { SegmentName.text(range) + suffix }

  var suffix: String { Self.ending(operation.format, operation.export.compression) }

  private static func ending(_ format: ExportFormat, _ compression: ExportCompression) -> String {
    let packed = compression.fileExtension
    return "." + format.fileExtension + (packed.isEmpty ? "" : "." + packed)
  }

  /// The endings of the names of all files that a run may write.
  static let endings = Set(
    ExportFormat.allCases.flatMap { format in
      ExportCompression.allCases.map { ending(format, $0) }
    })

  /// Whether a file may be one of a run, in any format.
  static func isName(_ name: String) -> Bool {
    let numbers = name.prefix { $0 != "." }.split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { $0.utf8.count >= 12 && Int64($0) != nil }
  }
}
