import DurableFiles
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import SystemPackage

/// One export of one snapshot of a history.
package struct ExportOperation {
  package let timeline: HistoryTimeline
  /// Threads that read the store as well; `nil` without a store.
  package let helpers: SnapshotHelpers?
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
  ///   - beforeNaming: Called when everything is on the disk, before the file gets its name. The
  ///     descriptor that it returns is closed afterwards.
  /// - Throws: ``OperationError``, and what reading throws.
  package func writeFile(
    _ path: String, overwrites: Bool,
    existsHint: String = "name another file, or replace it with --overwrite",
    beforeNaming: () throws -> FileDescriptor? = { nil }
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
      let lock = try beforeNaming()
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

  /// Returns whether a file holds what this export would write into it, apart from what differs from run to
  /// run: the present state of objects, and values that the log no longer holds.
  ///
  /// - Throws: `ArchiveError` if the file cannot be read or unpacked.
  func isWritten(in path: String) throws -> Bool {
    struct Difference: Error {}
    var export = export
    var extras: LineComparison.Extras = []
    if export.query.readsPresentObjects { extras.insert(.presentObjects) }
    if !export.query.omitsRecordedValues {
      extras.insert(.values)
      export.query.recordedValues = nil
      export.query.omitsRecordedValues = true
    }
    export.query.readsPresentObjects = false
    export.compression = .none
    guard format.content != .database else {
      do {
        nonisolated(unsafe) let tables = try HistoryTables(comparing: path)
        _ = try export.write(timeline, helpers, encoder, schema: schema) { bytes, _ in
          try tables.write(bytes)
        }
        return try tables.hasNoOtherRows(omitsValues: extras.contains(.values))
      } catch is HistoryTables.Difference {
        return false
      }
    }
    let text = try ExportedText(path: path)
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) var comparison = LineComparison(skipping: extras) { try text.next() }
    do {
      _ = try export.write(timeline, helpers, encoder, schema: schema) { bytes, _ in
        guard try comparison.matches(bytes) else { throw Difference() }
      }
      return try comparison.isFinished()
    } catch is Difference {
      return false
    }
  }

  private func write(
    to file: String?, _ output: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportSummary {
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) let observer = observer
    let store = timeline.path
    observer(.exporting(ExportSummary(), store: store, file: file))
    let summary = try export.write(timeline, helpers, encoder, schema: schema) { bytes, summary in
      try output(bytes)
      observer(.exporting(summary, store: store, file: file))
    }
    observer(.finished)
    return summary
  }
}

extension HistoryTimeline {
  /// The permissions of files made from the history: those of the store; for an archive, the owner's only.
  var filePermissions: FilePermissions {
    snapshot?.location.filePermissions() ?? .ownerReadWrite
  }
}
