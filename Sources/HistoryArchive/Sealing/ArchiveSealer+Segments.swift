import DurableFiles
import HistoryCoding
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

// One segment: written, compared with the store, and named with its manifest.
extension ArchiveSealer {
  typealias SegmentProgress = @Sendable (Step, Int64) -> Void

  /// The text of a window in bytes.
  private static let windowSizes: ClosedRange<Int64> = 1 << 16...4 << 20

  /// Seals the next segment.
  ///
  /// - Parameters:
  ///   - query: The transactions from which to take as many as a segment holds.
  ///   - store: The identifier by which the segment is filed.
  ///   - after: The transaction right before the first, if it is known.
  /// - Returns: The manifest and the digest of its file, or `nil` if there are no transactions.
  func sealSegment(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ query: HistoryQuery,
    of store: String, schema: SegmentSchema, following after: Int64?,
    progress: @escaping SegmentProgress
  ) throws -> (SegmentManifest, ArchiveDigest)? {
    let writer = try SegmentWriter(
      archive: folder.archive, store: store, near: (query.after ?? 0) + 1, permissions: permissions)
    do {
      let tally = try write(snapshot, helpers, query, to: writer, progress)
      let next = try writer.last.flatMap { try snapshot.firstTransaction(after: $0.number) }
      guard
        let manifest = try writer.finish(
          store: store, after: after, next: next, counts: tally.counts(schema), schema: schema)
      else {
        writer.discard()
        return nil
      }
      try compare(writer.draftPlace, manifest, snapshot, helpers, progress)
      return (manifest, try writer.commit(manifest, in: folder.archive))
    } catch {
      writer.discard()
      throw error
    }
  }

  /// Reads the history on all threads and writes its frames.
  private func write(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ query: HistoryQuery,
    to writer: SegmentWriter, _ progress: @escaping SegmentProgress
  ) throws -> ChangeTally {
    var sizes = WindowPlan.Sizes()
    sizes.total = segmentSize
    sizes.window = min(
      max(segmentSize / 8, Self.windowSizes.lowerBound), Self.windowSizes.upperBound)
    // A safe number until the size of a transaction's text is known.
    sizes.firstSpan = min(max(segmentSize >> 13, 1), 512)
    let plan = WindowPlan(
      query: query, newest: try snapshot.newestTransaction()?.number, sizes: sizes)
    let path = snapshot.location.path
    // Output is called by one thread at a time.
    nonisolated(unsafe) var tally = ChangeTally()
    nonisolated(unsafe) let writer = writer
    let summary = try WindowedReading(query: query, dealer: plan).run(
      snapshot, helpers, packer: { try FramePacker(storePath: path) },
      output: { frames, summary in
        for frame in frames {
          try writer.write(frame)
          tally.add(frame.tally)
        }
        progress(.packing, Int64(summary.transactions))
      })
    if let after = query.after, let last = summary.last?.number {
      try snapshot.checkChangeCount(summary.storedChanges, ofTransactions: after + 1...last)
    }
    return tally
  }

  /// Compares what is on the disk with a second reading of the store, which looks up changes in their
  /// index, and the counts with those of the indexes.
  private func compare(
    _ draft: FilePlace, _ manifest: SegmentManifest, _ snapshot: StoreSnapshot,
    _ helpers: SnapshotHelpers, _ progress: @escaping SegmentProgress
  ) throws {
    let path = draft.path
    let file = try ArchiveFile(draft)
    // The bytes should come from the disk, not from memory.
    file.forgetCachedPages()
    guard try file.digest() == manifest.digest else {
      throw ArchiveError.readBackDiffers(path: path, place: "its SHA-256")
    }
    let groups = manifest.runs(ofAbout: FrameComparer.windowSize)
    let windows = ListedWindows(FrameComparer.transactions(of: groups, manifest))
    // Without values, because the log may no longer hold those that the first reading found.
    var query = HistoryQuery(after: manifest.first.number - 1, until: manifest.last.number)
    // The first reading follows the order of the rows, so that an index that lists others shows in the lines.
    query.looksUpChanges = true
    query.checksCompleteness = false
    let range = manifest.first.number...manifest.last.number
    let summary: ExportSummary
    do {
      summary = try WindowedReading(query: query, dealer: windows).run(
        snapshot, helpers,
        packer: { try FrameComparer(draft, manifest: manifest, groups: groups) },
        output: { progress(.comparing, Int64($1.transactions)) })
    } catch let error as ArchiveError {
      // The store is to blame if its index and its table differ.
      try snapshot.checkChanges(ofTransactions: range)
      throw error
    }
    guard Int64(summary.transactions) == manifest.transactionCount else {
      throw ArchiveError.readBackDiffers(path: path, place: "the number of transactions")
    }
    let listed = try snapshot.indexedTransactionCount(in: range)
    guard listed == manifest.transactionCount else {
      throw StoreError.damaged(
        path: snapshot.location.path, place: "ATRANSACTION",
        detail: "\(manifest.transactionCount) transactions from \(range.lowerBound) to "
          + "\(range.upperBound) can be read; its indexes list \(listed)")
    }
  }
}
