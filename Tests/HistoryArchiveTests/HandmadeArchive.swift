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
    var packer = try FramePacker(storePath: "handmade")
    for transaction in transactions {
      packer.encoder.begin(transaction)
      for change in transaction.changes { packer.encoder.append(change) }
      packer.encoder.end()
      try packer.end(
        TransactionPosition(number: transaction.number, timestamp: transaction.timestamp))
    }
    let writer = try SegmentWriter(
      archive: archive, store: store, near: 1, permissions: .ownerReadWrite)
    var tally = ChangeTally()
    for frame in try packer.finish() {
      try writer.write(frame)
      tally.add(frame.tally)
    }
    let manifest = try #require(
      try writer.finish(store: store, after: after, counts: tally.counts(schema), schema: schema))
    let entry = CatalogEntry(
      store: store, first: manifest.first.number, last: manifest.last.number, after: after,
      manifestDigest: try writer.commit(manifest, in: archive),
      previousDigest: entries.last?.digest ?? .none)
    entries.append(entry)
    try FileBytes.write(entries.flatMap(\.line), to: archive.catalogPath)
    return entry
  }
}
