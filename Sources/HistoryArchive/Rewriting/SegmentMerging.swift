import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Makes one segment of parts of others: the same lines in new frames.
struct SegmentMerging {
  /// The text of a change at which a piece of a long line is packed, in bytes.
  private static let pieceSize = 4 << 20

  let archive: Archive
  let store: String
  let permissions: FilePermissions

  /// Writes the segment, compares it with the lines that it was made of, and names it and its manifest.
  ///
  /// Sources are opened one after the other, because there may be thousands.
  ///
  /// - Parameter parts: Consecutive parts of segments with one schema. Only the first part may omit the
  ///   beginning of its segment.
  /// - Returns: The manifest and the digest of its file; `nil` without parts.
  func merge(_ parts: [ArchivedStore.Part]) throws -> (SegmentManifest, ArchiveDigest)? {
    guard let first = parts.first, let last = parts.last else { return nil }
    let writer = try SegmentWriter(
      archive: archive, store: store, near: first.range.lowerBound, permissions: permissions)
    do {
      let tally = try write(parts, to: writer)
      let newest = try archive.manifest(of: last.entry)
      guard
        let manifest = try writer.finish(
          store: store, after: try predecessor(of: first), next: newest.next,
          counts: tally.counts(newest.schema), schema: newest.schema)
      else {
        throw ArchiveError.damaged(
          path: archive.segmentPath(first.entry), place: "its lines",
          detail: "it has no transaction from \(first.range.lowerBound) on")
      }
      try compare(writer.draftPlace, manifest, parts)
      return (manifest, try writer.commit(manifest, in: archive))
    } catch {
      writer.discard()
      throw error
    }
  }

  /// Returns the number of the transaction before those of a part, if it is known.
  private func predecessor(of part: ArchivedStore.Part) throws -> Int64? {
    let entry = part.entry
    guard part.range.lowerBound > entry.first else { return entry.after }
    let before = entry.first...part.range.lowerBound - 1
    return try archive.segment(entry).transactions(in: before, order: .descending)
      .nextTransaction()?.number
  }

  private func write(
    _ parts: [ArchivedStore.Part], to writer: SegmentWriter
  ) throws -> ChangeTally {
    var packer = try FramePacker(storePath: archive.path)
    packer.begin(HistoryWindow(index: 0, transactions: 1...Int64.max))
    var tally = ChangeTally()
    func write(_ frames: [PackedFrame]) throws {
      for frame in frames {
        try writer.write(frame)
        tally.add(frame.tally)
      }
    }
    for part in parts {
      let source = try archive.segment(part.entry)
      // Damage must not get a valid digest.
      try source.checkDigest()
      let cursor = source.transactions(in: part.range)
      while let transaction = try cursor.nextTransaction() {
        packer.encoder.begin(transaction)
        while let change = try cursor.nextChange() {
          packer.encoder.append(change)
          if packer.byteCount >= Self.pieceSize {
            try write(packer.takePiece(in: transaction.position))
          }
        }
        packer.encoder.end()
        try packer.end(transaction.position)
        try write(packer.takeFrames())
      }
    }
    try write(packer.finish())
    return tally
  }

  /// Compares what is on the disk with the text of the sources, byte for byte.
  private func compare(
    _ draft: FilePlace, _ manifest: SegmentManifest, _ parts: [ArchivedStore.Part]
  ) throws {
    func differs(_ place: String) -> ArchiveError {
      .readBackDiffers(path: draft.path, place: place)
    }
    let file = try ArchiveFile(draft)
    // The bytes should come from the disk, not from memory.
    file.forgetCachedPages()
    guard try file.digest() == manifest.digest else { throw differs("its SHA-256") }
    let merged = try SegmentReader(draft, manifest: manifest)
    var frame = 0
    var comparison = LineComparison(skipsValues: false) {
      guard frame < manifest.frames.count else { return nil }
      defer { frame += 1 }
      return try merged.text(ofFrame: frame)
    }
    var skipped = -manifest.textByteCount
    for part in parts { skipped += try archive.manifest(of: part.entry).textByteCount }
    let isCut = parts.first.map { $0.range.lowerBound > $0.entry.first } ?? false
    guard isCut ? skipped > 0 : skipped == 0 else { throw differs("the size of its text") }
    for part in parts {
      let source = try archive.segment(part.entry)
      for index in source.manifest.frames.indices {
        let text = try source.text(ofFrame: index)
        let start = Int(min(skipped, Int64(text.count)))
        skipped -= Int64(start)
        let isSame = try text.withUnsafeBytes {
          try comparison.matches(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        guard isSame else { throw differs("frame \(max(1, frame))") }
      }
    }
    guard try comparison.isFinished() else { throw differs("its end") }
  }
}
