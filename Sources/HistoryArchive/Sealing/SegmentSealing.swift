import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Makes one segment: writes it, compares it with the store, and gives it and its manifest their
/// names.
struct SegmentSealing {
  /// How much text one window makes, in bytes: a piece of a segment, and no more than this.
  private static let largestWindow: Int64 = 4 << 20
  private static let smallestWindow: Int64 = 1 << 16

  let archive: Archive
  let store: String
  let permissions: FilePermissions
  let segmentSize: Int64
  let schema: SegmentSchema
  let recordedValues: RecordedValues?

  /// Seals the next segment.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - helpers: Threads that read the same snapshot.
  ///   - start: Only transactions with a higher number.
  ///   - until: Only transactions with this number or a lower one.
  ///   - after: The transaction right before the first, where it is known.
  ///   - progress: Is told how many transactions are done.
  /// - Returns: The manifest; nil where there are no transactions.
  func seal(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, after start: Int64, until: Int64,
    goingOnBehind after: Int64?, progress: @escaping @Sendable (ArchiveSealer.Step, Int64) -> Void
  ) throws -> SegmentManifest? {
    let folder = archive.storePath(store)
    let writer = try SegmentWriter(
      path: folder + "/" + SegmentName.padded(start + 1) + SegmentName.segmentSuffix,
      permissions: permissions)
    do {
      let tally = try write(
        snapshot, helpers, query(after: start, until: until), to: writer, progress)
      let next = try writer.last.flatMap { try snapshot.firstTransaction(after: $0.number) }
      guard
        let manifest = try writer.finish(
          store: store, after: after, next: next, counts: tally.counts(schema),
          schema: schema)
      else {
        writer.discard()
        return nil
      }
      try compare(writer.temporaryPath, manifest, snapshot, helpers, progress)
      try commit(manifest, writer)
      return manifest
    } catch {
      writer.discard()
      throw error
    }
  }

  private func query(after: Int64, until: Int64) -> HistoryQuery {
    var query = HistoryQuery(after: after, until: until)
    query.recordedValues = recordedValues
    return query
  }

  /// Reads the history on all threads and writes its frames.
  private func write(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ query: HistoryQuery,
    to writer: SegmentWriter, _ progress: @escaping @Sendable (ArchiveSealer.Step, Int64) -> Void
  ) throws -> ChangeTally {
    var sizes = WindowPlan.Sizes()
    sizes.total = segmentSize
    sizes.window = min(max(segmentSize / 8, Self.smallestWindow), Self.largestWindow)
    // Until it is known how much text a transaction makes, as few as surely fit.
    sizes.firstSpan = min(max(segmentSize >> 13, 1), 512)
    let plan = WindowPlan(
      query: query, newest: try snapshot.newestTransaction()?.number, sizes: sizes)
    let path = snapshot.location.path
    // One call at a time, whichever thread it comes from.
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

  /// Compares what is on the disk with a second reading of the store, whose indexes count the transactions
  /// and changes.
  private func compare(
    _ path: String, _ manifest: SegmentManifest, _ snapshot: StoreSnapshot,
    _ helpers: SnapshotHelpers,
    _ progress: @escaping @Sendable (ArchiveSealer.Step, Int64) -> Void
  ) throws {
    let file = try ArchiveFile(path: path)
    // What is compared is to come from the disk where that can be asked for.
    file.forgetCachedPages()
    guard try file.digest() == manifest.digest else {
      throw ArchiveError.readBackDiffers(path: path, place: "its SHA-256")
    }
    let groups = manifest.runs(ofAbout: FrameComparer.windowSize)
    let windows = ListedWindows(FrameComparer.transactions(of: groups, manifest))
    let query = query(after: manifest.first.number - 1, until: manifest.last.number)
    let summary = try WindowedReading(query: query, dealer: windows).run(
      snapshot, helpers,
      packer: { try FrameComparer(path: path, manifest: manifest, groups: groups) },
      output: { progress(.comparing, Int64($1.transactions)) })
    guard Int64(summary.transactions) == manifest.transactionCount else {
      throw ArchiveError.readBackDiffers(path: path, place: "the number of transactions")
    }
    let range = manifest.first.number...manifest.last.number
    let listed = try snapshot.indexedTransactionCount(in: range)
    guard listed == manifest.transactionCount else {
      throw StoreError.damaged(
        path: snapshot.location.path, place: "ATRANSACTION",
        detail: "\(manifest.transactionCount) transactions from \(range.lowerBound) to "
          + "\(range.upperBound) can be read; its indexes list \(listed)")
    }
  }

  /// Gives the manifest its name, and then the segment: where a segment has its name, it has a
  /// manifest.
  private func commit(_ manifest: SegmentManifest, _ writer: SegmentWriter) throws {
    let entry = CatalogEntry(
      store: store, first: manifest.first.number, last: manifest.last.number,
      after: manifest.after, manifestDigest: .none, previousDigest: .none)
    let path = archive.manifestPath(entry)
    let bytes = manifest.bytes
    // Long before a segment has the most frames that a reader takes, their lines fill a manifest.
    guard bytes.count <= ArchiveFormat.manifestLimit else {
      throw ArchiveError.unsealable(
        path: archive.path, transaction: manifest.first.number,
        reason: "the segment has more frames than a manifest can name; make segments smaller")
    }
    do {
      let draft = try DraftFile(path: path, permissions: permissions, overwrites: true)
      try bytes.withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch {
      throw ArchiveError.unwritable(path: path, reason: ArchiveFile.reason(error))
    }
    try writer.commit(as: archive.segmentPath(entry))
  }
}
