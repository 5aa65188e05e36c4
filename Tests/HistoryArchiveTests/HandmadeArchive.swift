import Foundation
import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// An archive that is put together piece by piece, without the sealing: what readers are tested on.
struct HandmadeArchive {
  let archive: Archive
  private(set) var entries: [CatalogEntry]

  init(in folder: String) throws {
    archive = Archive(unchecked: folder)
    entries = []
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileBytes.write([], to: archive.catalogPath)
  }

  /// Adds a segment of transactions.
  @discardableResult
  mutating func add(
    _ transactions: [HistoryTransaction], store: String, after: Int64? = nil,
    schema: SegmentSchema
  ) throws -> CatalogEntry {
    let folder = archive.storePath(store)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    var encoder = TransactionLineEncoder()
    var lines: [FrameCutter.Line] = []
    for transaction in transactions {
      encoder.encode(.transaction(transaction))
      lines.append(
        FrameCutter.Line(
          position: TransactionPosition(
            number: transaction.number, timestamp: transaction.timestamp),
          end: encoder.byteCount))
    }
    let cutter = try FrameCutter()
    let writer = try SegmentWriter(path: folder + "/segment", permissions: .ownerReadWrite)
    for frame in try encoder.withUnsafeBytes({ try cutter.pack($0, lines) }) {
      try writer.write(frame)
    }
    let manifest = try #require(
      try writer.finish(store: store, after: after, counts: [], schema: schema))
    let entry = CatalogEntry(
      store: store, first: manifest.first.number, last: manifest.last.number, after: after,
      manifestDigest: ArchiveDigest(of: manifest.bytes),
      previousDigest: entries.last?.digest ?? .none)
    try FileBytes.write(manifest.bytes, to: archive.manifestPath(entry))
    try writer.commit(as: archive.segmentPath(entry))
    entries.append(entry)
    try FileBytes.write(entries.flatMap(\.line), to: archive.catalogPath)
    return entry
  }
}
