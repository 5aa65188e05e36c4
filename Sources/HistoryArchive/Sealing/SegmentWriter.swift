import DurableFiles
import PersistentHistory
import StoreFormat
import SystemPackage

/// A frame that is packed and not yet in a file.
struct PackedFrame: Sendable {
  /// The first transaction whose line begins in it; in a piece of a long line, the transaction of that
  /// line.
  let first: TransactionPosition
  /// The last transaction whose line begins in it.
  let last: TransactionPosition
  /// The earliest and the latest time of the transactions that begin in it.
  let times: ClosedRange<StoreTimestamp>?
  /// The number of transactions that begin in it; 0 in one that only continues a long line.
  let transactionCount: Int
  /// The changes in it; those of a long line may be counted in an earlier frame.
  let tally: ChangeTally
  let textByteCount: Int
  let bytes: [UInt8]
}

/// Writes one segment: its frames, and the seek table after them.
///
/// Until it is committed, the segment is a draft under another name. The next run removes a draft that
/// was left behind.
final class SegmentWriter {
  private let folder: OpenFolder
  private let draft: DraftFile
  private let permissions: FilePermissions
  private var hasher = ArchiveHasher()
  private var frames: [SegmentFrame] = []
  private var first: TransactionPosition?
  /// The last transaction that was written.
  private(set) var last: TransactionPosition?
  private var times: ClosedRange<StoreTimestamp>?
  private var transactionCount: Int64 = 0
  private var textByteCount: Int64 = 0
  private var byteCount: Int64 = 0

  /// - Parameter start: The approximate number of the first transaction; the name of the file is not
  ///   known until all is written.
  init(
    archive: Archive, store: String, near start: Int64, permissions: FilePermissions
  ) throws(ArchiveError) {
    guard let folder = try archive.storeFolder(store) else {
      throw .unwritable(path: archive.storePath(store), reason: "\(Errno.noSuchFileOrDirectory)")
    }
    self.folder = folder
    self.permissions = permissions
    draft = try Self.draft(
      SegmentName.padded(start) + SegmentName.segmentSuffix, in: folder, permissions)
  }

  private static func draft(
    _ name: String, in folder: OpenFolder, _ permissions: FilePermissions
  ) throws(ArchiveError) -> DraftFile {
    do {
      return try DraftFile(path: name, in: folder, permissions: permissions, overwrites: true)
    } catch {
      throw .writing(FilePlace(name, in: folder), error)
    }
  }

  /// The file before it is committed.
  var draftPlace: FilePlace { draft.temporaryPlace }

  func write(_ frame: PackedFrame) throws(ArchiveError) {
    frames.append(
      SegmentFrame(
        transaction: frame.first.number, timestamp: frame.first.timestamp,
        latest: frame.times?.upperBound, transactionCount: frame.transactionCount,
        offset: byteCount, byteCount: frame.bytes.count, textByteCount: frame.textByteCount))
    try write(frame.bytes)
    textByteCount += Int64(frame.textByteCount)
    transactionCount += Int64(frame.transactionCount)
    if first == nil { first = frame.first }
    last = frame.last
    times.extend(by: frame.times)
  }

  private func write(_ bytes: [UInt8]) throws(ArchiveError) {
    do {
      bytes.withUnsafeBytes { hasher.update($0) }
      try bytes.withUnsafeBytes { try draft.write($0) }
    } catch {
      throw .unwritable(path: draft.temporaryPath, reason: ArchiveFile.reason(error))
    }
    byteCount += Int64(bytes.count)
  }

  /// Writes the seek table and waits until the draft is on the disk.
  ///
  /// - Parameters:
  ///   - after: The transaction right before the first, if it is known.
  ///   - next: The transaction right after the last, if there is one.
  /// - Returns: The manifest, or `nil` if no frame was written.
  func finish(
    store: String, after: Int64?, next: TransactionPosition? = nil, counts: [SegmentCount],
    schema: SegmentSchema
  ) throws(ArchiveError) -> SegmentManifest? {
    guard let first, let last else { return nil }
    try write(SeekTable(frames).bytes)
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

  /// Names the manifest, and then the segment: a named segment always has a manifest.
  ///
  /// - Returns: The digest of the manifest's file.
  func commit(
    _ manifest: SegmentManifest, in archive: Archive
  ) throws(ArchiveError) -> ArchiveDigest {
    let bytes = manifest.bytes
    func unsealable(_ reason: String) -> ArchiveError {
      .unsealable(path: archive.path, transaction: manifest.first.number, reason: reason)
    }
    guard bytes.count <= ArchiveFormat.manifestLimit,
      manifest.frames.count <= ArchiveFormat.maxFrames
    else {
      throw unsealable("the segment has too many frames for a manifest; use smaller segments")
    }
    guard manifest.schema.propertyCount <= ArchiveFormat.maxProperties else {
      throw unsealable("the model has more than \(ArchiveFormat.maxProperties) properties")
    }
    let name = SegmentName.text(manifest.range)
    let manifestDraft = try Self.draft(name + SegmentName.manifestSuffix, in: folder, permissions)
    do {
      try bytes.withUnsafeBytes { try manifestDraft.write($0) }
      try manifestDraft.commit()
    } catch {
      throw .unwritable(path: manifestDraft.path, reason: ArchiveFile.reason(error))
    }
    do {
      try draft.commit(as: name + SegmentName.segmentSuffix)
    } catch {
      throw .unwritable(path: draft.path, reason: error.description)
    }
    return ArchiveDigest(of: bytes)
  }

  func discard() { draft.discard() }
}

extension Optional where Wrapped == ClosedRange<StoreTimestamp> {
  /// Extends the range to contain another one.
  mutating func extend(by range: ClosedRange<StoreTimestamp>?) {
    guard let range else { return }
    self =
      map { min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound) } ?? range
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
