import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// One export of one snapshot of a history.
package struct ExportOperation {
  let timeline: HistoryTimeline
  /// Threads that read the store as well; `nil` without a store.
  let helpers: SnapshotHelpers?
  package let schema: HistorySchema
  package let format: ExportFormat
  /// Writes the format.
  package let encoder: any HistoryEncoder
  package var export: HistoryExport
  package var observer: OperationObserver

  package init(
    timeline: HistoryTimeline, helpers: SnapshotHelpers?, schema: HistorySchema,
    format: ExportFormat, encoder: any HistoryEncoder, export: HistoryExport,
    observer: @escaping OperationObserver
  ) {
    self.timeline = timeline
    self.helpers = helpers
    self.schema = schema
    self.format = format
    self.encoder = encoder
    self.export = export
    self.observer = observer
  }

  /// Exports to an output, piece by piece; one call at a time, on any thread.
  package func write(
    _ output: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportSummary { try write(to: nil, output) }

  /// Exports into a file, which appears when it is complete and safe on the disk.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - overwrites: Whether to replace an existing file.
  ///   - existsHint: The hint if the file exists.
  ///   - beforeNaming: Called with the complete draft when it is on the disk, before it gets its name.
  ///     The descriptor that it returns is closed afterwards.
  /// - Throws: ``OperationError``, and what reading throws.
  package func writeFile(
    _ path: String, overwrites: Bool,
    existsHint: String = "name another file, or replace it with --overwrite",
    beforeNaming: (DraftFile) throws -> FileDescriptor? = { _ in nil }
  ) throws -> ExportSummary {
    try timeline.checkIsNotReplaced(by: path)
    return try OutputFile.write(
      path, permissions: timeline.filePermissions, overwrites: overwrites, existsHint: existsHint,
      wayAround: MissingFolders.isFolder(path)
        ? "name a file in that folder, or export into it with --output-dir"
        : "name a file; without --output the export goes to standard output"
    ) { draft in
      let summary = try write(into: draft, path)
      try draft.synchronize()
      try timeline.snapshot?.location.synchronizeLog()
      let lock = try beforeNaming(draft)
      defer { try? lock?.close() }
      try draft.commit()
      return summary
    }
  }

  /// Returns the export of the transactions after one number up to and including another.
  func part(after: Int64?, until: Int64) -> ExportOperation {
    var part = self
    part.export.query.after = after
    part.export.query.until = until
    return part
  }

  private func write(into draft: DraftFile, _ path: String) throws -> ExportSummary {
    // Each is used by one call at a time.
    guard format.content == .database else {
      nonisolated(unsafe) let file = draft
      return try write(to: path) { try file.write($0) }
    }
    nonisolated(unsafe) let tables = try HistoryTables(
      filling: draft.temporaryPath, for: path, from: timeline.path)
    let summary = try write(to: path) { try tables.write($0) }
    try tables.finish()
    return summary
  }

  /// Returns whether a file holds what this export would write now, with or without values of the log.
  ///
  /// - Throws: `ArchiveError` if the file cannot be read or unpacked.
  func isWritten(in path: String) throws -> Bool {
    guard format.content != .database else {
      // The same rows in the same order make the same file.
      return try OutputFile.write(
        path, permissions: timeline.filePermissions, overwrites: true, wayAround: "move it away"
      ) { draft in
        var operation = self
        operation.observer = { _ in }
        _ = try operation.write(into: draft, path)
        return try FileDigest(ofFileAt: draft.temporaryPath) == FileDigest(ofFileAt: path)
      }
    }
    var hasher = SHA256Hasher()
    let text = try ExportedText(path: path)
    while let piece = try text.next() { hasher.update(piece) }
    let digest = hasher.digest
    if try textDigest() == digest { return true }
    guard let values = export.query.recordedValues, values.readsLog else { return false }
    // The log may have lost the values since, and some formats never had them.
    var operation = self
    operation.export.query.recordedValues = values.file.map { RecordedValues($0, readsLog: false) }
    return try operation.textDigest() == digest
  }

  /// Returns the digest of the text, which is the same in each run, unlike its compressed form.
  private func textDigest() throws -> [UInt8] {
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) var hasher = SHA256Hasher()
    var operation = self
    operation.observer = { _ in }
    operation.export.compression = .none
    _ = try operation.write { hasher.update($0) }
    return hasher.digest
  }

  private func write(
    to file: String?, _ output: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportSummary {
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) let observer = observer
    let store = timeline.path
    nonisolated(unsafe) var reached: Int64?
    observer(.exporting(ExportSummary(), store: store, file: file))
    do {
      let summary = try export.write(timeline, helpers, encoder, schema: schema) { bytes, summary in
        try output(bytes)
        reached = summary.last?.number
        observer(.exporting(summary, store: store, file: file))
      }
      observer(.finished)
      return summary
    } catch {
      throw timeline.explaining(error, around: reached, of: export.query, schema: schema)
    }
  }
}

extension HistoryTimeline {
  /// The permissions of files made from the history: those of the store; for an archive, the owner's only.
  var filePermissions: FilePermissions {
    snapshot?.location.filePermissions() ?? .ownerReadWrite
  }
}
