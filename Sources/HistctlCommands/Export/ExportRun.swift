import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import SystemPackage
import Terminal

/// One export of one snapshot: to standard output or into a file.
struct ExportRun {
  let session: Session
  let timeline: HistoryTimeline
  /// Threads that read the store as well; nil where there is no store.
  let helpers: SnapshotHelpers?
  let schema: HistorySchema
  let encoder: any HistoryEncoder
  var export: HistoryExport

  /// Writes to standard output.
  ///
  /// On a terminal the records themselves show how far it is, and a line drawn for that would stand
  /// in the midst of them.
  func write(to writer: OutputWriter) throws {
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) let writer = writer
    _ = try write(to: nil, showsProgress: !session.environment.isOutputTerminal) {
      try writer.write($0)
    }
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - overwrites: Whether a file that is there is replaced.
  ///   - wayOut: What to do where it is there already.
  ///   - entry: What is to be seen to when all of it is on the disk, before the file gets its name.
  func writeFile(
    _ path: String, overwrites: Bool,
    wayOut: String = "name another file, or replace it with --overwrite",
    entry: ExportFolder.Entry? = nil
  ) throws -> ExportReport {
    try checkTakesNoPlace(path)
    do {
      let draft = try DraftFile(
        path: path, permissions: timeline.filePermissions, overwrites: overwrites,
        followsLink: true)
      // The threads that wrote into it may hold it a moment longer than this.
      defer { draft.discard() }
      nonisolated(unsafe) let file = draft
      let summary = try write(to: path, showsProgress: true) { try file.write($0) }
      try draft.synchronize()
      try timeline.snapshot?.location.synchronizeLog()
      let lock = try entry?.lock()
      defer { try? lock?.close() }
      try draft.commit()
      return ExportReport(path: path, summary: summary)
    } catch Errno.fileExists where MissingFolders.isFolder(path) {
      throw Self.notAFile(path)
    } catch Errno.fileExists {
      throw Failure(
        status: .cannotReadOrWrite, kind: "alreadyThere", message: "\(path) is there already",
        hint: wayOut)
    } catch Errno.notSupported {
      throw Self.notAFile(path)
    } catch let error as Errno {
      throw Failure(
        status: .cannotReadOrWrite, kind: "unwritable", message: "cannot write \(path): \(error)",
        hint: error == .noSuchFileOrDirectory
          ? "create its folder first, or name a file in a folder that exists"
          : "name a place where a file can be made and that has room for it")
    }
  }

  private static func notAFile(_ path: String) -> Failure {
    Failure(
      status: .cannotReadOrWrite, kind: "unwritable",
      message: "cannot write \(path): it is there and is not a file",
      hint: MissingFolders.isFolder(path)
        ? "name a file in that folder, or export into it with --output-dir"
        : "name a file; without --output the export goes to standard output")
  }

  /// Checks that the file would not take the place of what is exported, nor of what belongs to it.
  private func checkTakesNoPlace(_ path: String) throws {
    let place = FileStatus.resolvedPlace(path)
    let source = timeline.archive.map { FileStatus.resolvedPlace($0.path) }
    guard
      timeline.snapshot?.location.owns(path) ?? false
        || source.map({ place == $0 || place.hasPrefix($0 + "/") }) ?? false
    else { return }
    throw Failure(
      status: .usage, kind: "ontoItself",
      message:
        "a file at \(path) would take the place of \(timeline.path), or of what belongs to it",
      hint: "name another file")
  }

  /// Whether a file holds what this run would write into it.
  ///
  /// - Throws: `ArchiveError` where the file cannot be read or unpacked.
  func isWritten(in path: String) throws -> Bool {
    var export = export
    let ignoresPresentObjects = export.query.readsPresentObjects
    export.query.readsPresentObjects = false
    export.compression = .none
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) let comparison = try ExportComparison(
      path: path, ignoresPresentObjects: ignoresPresentObjects)
    do {
      _ = try export.write(timeline, helpers, encoder, schema: schema) { bytes, _ in
        try comparison.compare(bytes)
      }
      try comparison.finish()
      return true
    } catch is ExportComparison.Difference {
      return false
    }
  }

  /// Notes how far it is; a file that is not complete does not stay.
  private func note(_ summary: ExportSummary, to file: String?) {
    let count = file == nil ? summary.transactions : 0
    let words =
      file.map { "nothing was exported: \($0) was not made" }
      ?? "\(count.grouped) transactions of \(timeline.path)"
      + (summary.last.map { ", up to \($0.number)," } ?? "") + " were written to standard output"
    session.console.workDone.note(
      words,
      [("path", .string(timeline.path)), ("exportedTransactions", .integer(Int64(count)))],
      isBegun: count > 0, in: session)
  }

  /// - Parameter file: The file that gets its name when all is written; nil for standard output.
  private func write(
    to file: String?, showsProgress: Bool,
    _ output: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportSummary {
    let words = showsProgress ? session.diagnostics.wordWriter : nil
    nonisolated(unsafe) let progress = words.map {
      Progress(
        label: "exporting", unit: "transactions", environment: session.environment,
        diagnostics: $0)
    }
    defer { progress?.finish() }
    nonisolated(unsafe) let run = self
    run.note(ExportSummary(), to: file)
    let summary = try export.write(timeline, helpers, encoder, schema: schema) { bytes, summary in
      try output(bytes)
      progress?.update(Int64(summary.transactions))
      run.note(summary, to: file)
    }
    session.console.workDone.clear()
    GapReport(session: session, timeline: timeline).tell(summary.gaps)
    session.noteUnknownHierarchy(of: export.query, in: timeline)
    if summary.transactions == 0, !export.query.isUnconditional {
      try session.explainEmptyAnswer(to: export.query, of: timeline)
    }
    return summary
  }
}

extension HistoryTimeline {
  /// Who may read and write files that are made of it: those who may do so with the store, of an
  /// archive only its owner.
  var filePermissions: FilePermissions {
    snapshot?.location.filePermissions() ?? .ownerReadWrite
  }
}

/// What an export has written: one value for text and JSON.
struct ExportReport {
  let path: String?
  let summary: ExportSummary
  var bookmark: Bookmark?

  /// Tells it: as JSON on standard output, else in words where a person is looking.
  func write(_ session: Session, _ writer: OutputWriter) throws {
    if session.options.json {
      try writer.writeLine(json)
    } else if session.environment.isErrorTerminal {
      session.diagnostics.note(text)
    }
  }

  private var text: String {
    guard let path else { return "nothing new to export" }
    let transactions = Int64(summary.transactions).grouped
    guard let first = summary.first, let last = summary.last else {
      return "no transactions match; \(path) is empty"
    }
    return "exported \(transactions) transactions, \(first.number) to \(last.number), to \(path)"
  }

  private var json: JSONValue {
    var members = JSONMembers.start("export")
    if let path { members.append(("path", .string(path))) }
    members.append(("transactions", .integer(Int64(summary.transactions))))
    if let first = summary.first { members.append(("first", .integer(first.number))) }
    if let last = summary.last { members.append(("last", .integer(last.number))) }
    if let bookmark { members.append(("bookmark", .string(bookmark.token.description))) }
    return .object(JSONObject(members))
  }
}
