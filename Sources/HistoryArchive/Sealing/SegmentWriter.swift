import DurableFiles
import StoreFormat
import SystemPackage

/// Writes one segment: frames in order, and the table behind them.
///
/// Until it is put in its place it is a draft under another name, which the next run removes where
/// this one does not come to it.
final class SegmentWriter {
  private let draft: DraftFile
  private var hasher = ArchiveHasher()
  private var frames: [SegmentFrame] = []
  private var first: TransactionPosition?
  /// The last transaction that was written; nil before the first.
  private(set) var last: TransactionPosition?
  private var times: ClosedRange<StoreTimestamp>?
  private var transactionCount: Int64 = 0
  private(set) var textByteCount: Int64 = 0
  private var byteCount: Int64 = 0

  /// Begins a segment.
  ///
  /// - Parameters:
  ///   - path: A path in its folder that nothing else has; the real name depends on what comes.
  ///   - permissions: Who may read and write it.
  init(path: String, permissions: FilePermissions) throws(ArchiveError) {
    do {
      draft = try DraftFile(path: path, permissions: permissions, overwrites: true)
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Where the draft is.
  var temporaryPath: String { draft.temporaryPath }

  /// Writes a frame.
  func write(_ frame: PackedFrame) throws(ArchiveError) {
    try write(frame.bytes)
    frames.append(frame.frame(at: byteCount))
    byteCount += Int64(frame.bytes.count)
    textByteCount += Int64(frame.textByteCount)
    transactionCount += Int64(frame.transactionCount)
    if first == nil { first = frame.first }
    last = frame.last
    if let range = frame.times {
      times =
        times.map {
          min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
        } ?? range
    }
  }

  private func write(_ bytes: [UInt8]) throws(ArchiveError) {
    do {
      bytes.withUnsafeBytes { hasher.update($0) }
      try bytes.withUnsafeBytes { try draft.write($0) }
    } catch {
      throw .unwritable(path: draft.temporaryPath, reason: ArchiveFile.reason(error))
    }
  }

  /// Writes the table and makes all of it safe on the disk; it is still a draft.
  ///
  /// - Parameters:
  ///   - store: The identifier of the store.
  ///   - after: The transaction right before the first, where it is known.
  ///   - next: The transaction right behind the last, where there is one.
  ///   - counts: How many changes there are.
  ///   - schema: The model and the tables of the store.
  /// - Returns: The manifest; nil where no frame was written.
  func finish(
    store: String, after: Int64?, next: TransactionPosition? = nil, counts: [SegmentCount],
    schema: SegmentSchema
  ) throws(ArchiveError) -> SegmentManifest? {
    guard let first, let last else { return nil }
    let table = SeekTable(frames).bytes
    try write(table)
    byteCount += Int64(table.count)
    do {
      try draft.synchronize()
    } catch {
      throw .unwritable(path: draft.temporaryPath, reason: error.description)
    }
    return SegmentManifest(
      store: store, first: first, last: last, after: after, next: next, earliest: times?.lowerBound,
      latest: times?.upperBound, transactionCount: transactionCount, counts: counts,
      textByteCount: textByteCount, byteCount: byteCount, digest: hasher.digest, frames: frames,
      schema: schema)
  }

  /// Gives the file its name.
  func commit(as path: String) throws(ArchiveError) {
    do {
      try draft.commit(as: path)
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Removes the draft.
  func discard() { draft.discard() }
}
