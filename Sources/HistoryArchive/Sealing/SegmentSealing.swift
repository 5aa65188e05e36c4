import DurableFiles
import HistoryCoding
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// Makes one segment: writes it, compares it with the store, and names it and its manifest.
struct SegmentSealing {
  typealias Progress = @Sendable (ArchiveSealer.Step, Int64) -> Void

  /// The text of a window in bytes.
  private static let windowSizes: ClosedRange<Int64> = 1 << 16...4 << 20

  let archive: Archive
  let store: String
  let permissions: FilePermissions
  let segmentSize: Int64
  let schema: SegmentSchema
  let recordedValues: RecordedValues?

  /// Seals the next segment.
  ///
  /// - Parameters:
  ///   - start: Only transactions with a higher number.
  ///   - until: Only transactions with this number or a lower one.
  ///   - after: The transaction right before the first, if it is known.
  /// - Returns: The manifest and the digest of its file, or `nil` if there are no transactions.
  func seal(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, after start: Int64, until: Int64,
    following after: Int64?, progress: @escaping Progress
  ) throws -> (SegmentManifest, ArchiveDigest)? {
    let writer = try SegmentWriter(
      archive: archive, store: store, near: start + 1, permissions: permissions)
    do {
      let tally = try write(
        snapshot, helpers, query(after: start, until: until), to: writer, progress)
      let next = try writer.last.flatMap { try snapshot.firstTransaction(after: $0.number) }
      guard
        let manifest = try writer.finish(
          store: store, after: after, next: next, counts: tally.counts(schema), schema: schema)
      else {
        writer.discard()
        return nil
      }
      try compare(writer.draftPlace, manifest, snapshot, helpers, progress)
      return (manifest, try writer.commit(manifest, in: archive))
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
    to writer: SegmentWriter, _ progress: @escaping Progress
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
    _ helpers: SnapshotHelpers, _ progress: @escaping Progress
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
    // The first reading follows the order of the rows.
    query.looksUpChanges = true
    let summary = try WindowedReading(query: query, dealer: windows).run(
      snapshot, helpers,
      packer: { try FrameComparer(draft, manifest: manifest, groups: groups) },
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
}

/// Compares the frames of a segment, byte for byte apart from old and new values, with the text of a second reading
/// of the store.
///
/// A window is a run of frames.
struct FrameComparer: WindowPacker {
  /// The approximate text of a window in bytes.
  static let windowSize = 1 << 20

  var encoder = TransactionLineEncoder()
  private(set) var takenByteCount = 0
  var byteCount: Int { encoder.byteCount }
  private let reader: SegmentReader
  private let groups: [Range<Int>]
  /// The frames of the window.
  private var frames: Frames

  /// The comparison with the frames of a window.
  private final class Frames {
    private let reader: SegmentReader
    /// The frames that were not reached yet.
    private var rest: Range<Int>
    private lazy var comparison = LineComparison(skipping: .values) { [unowned self] in
      guard let next = rest.first else { return nil }
      rest = rest.dropFirst()
      return try reader.text(ofFrame: next)
    }

    init(_ reader: SegmentReader, rest: Range<Int>) {
      self.reader = reader
      self.rest = rest
    }

    private var differs: ArchiveError {
      .readBackDiffers(path: reader.path, place: "frame \(max(1, rest.lowerBound))")
    }

    /// Compares the next text of the store.
    func compare(_ bytes: UnsafeRawBufferPointer) throws {
      guard try comparison.matches(bytes) else { throw differs }
    }

    /// Checks that the frames have no more text.
    func finish() throws {
      guard try comparison.isFinished() else { throw differs }
    }
  }

  /// - Parameter groups: The frames of each window; see ``SegmentManifest/runs(ofAbout:)``.
  init(
    _ place: FilePlace, manifest: SegmentManifest, groups: [Range<Int>]
  ) throws(ArchiveError) {
    reader = try SegmentReader(place, manifest: manifest)
    self.groups = groups
    frames = Frames(reader, rest: 0..<0)
  }

  /// The transactions of each window.
  static func transactions(
    of groups: [Range<Int>], _ manifest: SegmentManifest
  ) -> [ClosedRange<Int64>] {
    groups.map { group in
      let first = manifest.frames[group.lowerBound].transaction
      let last =
        group.upperBound < manifest.frames.count
        ? manifest.frames[group.upperBound].transaction - 1 : manifest.last.number
      return first...max(first, last)
    }
  }

  mutating func begin(_ window: HistoryWindow) {
    encoder.removeAll()
    takenByteCount = 0
    frames = Frames(reader, rest: groups[window.index])
  }

  func drain(passingOn passOn: @escaping (()) throws -> Void) -> TextDrain? {
    let frames = frames
    return TextDrain { try frames.compare($0) }
  }

  mutating func end(_ position: TransactionPosition) throws {
    if encoder.byteCount >= ArchiveFormat.frameTarget { try compare() }
  }

  mutating func takePiece(in position: TransactionPosition?) throws { try compare() }

  mutating func finish() throws {
    try compare()
    try frames.finish()
  }

  private mutating func compare() throws {
    takenByteCount += encoder.byteCount
    try encoder.withUnsafeBytes { try frames.compare($0) }
    encoder.removeAll()
  }
}

extension ChangeTally {
  /// The counts by number, with the names that a schema gives the numbers.
  func counts(_ schema: SegmentSchema) -> [SegmentCount] {
    let names = Dictionary(keepingFirst: schema.entities.map { ($0.number, $0.name) })
    return entries.sorted { ($0.number ?? .min) < ($1.number ?? .min) }.map { entry in
      SegmentCount(
        entity: entry.number.flatMap { names[$0] ?? nil }, number: entry.number,
        counts: entry.counts)
    }
  }
}
