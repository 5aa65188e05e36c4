import DurableFiles
import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

@Suite(.bounded) struct SegmentReaderTests {
  /// A store in which one transaction takes several frames, between small ones.
  private static func longHistory(in folder: TemporaryFolder) throws -> StoreHistory {
    try StoreHistory(
      path: LongHistory.write(
        to: folder.file("long.store"), transactions: 900, changesEach: 12,
        sizes: [400: 16_000, 401: 4000, 900: 14_000]))
  }

  private static func archive(
    _ history: StoreHistory, in folder: TemporaryFolder
  ) throws -> (Archive, CatalogEntry) {
    var made = try HandmadeArchive(in: folder.file("archive"))
    let entry = try made.add(
      history.transactions, store: history.identifier, schema: history.schema)
    return (made.archive, entry)
  }

  @Test
  func `a segment returns transactions in both orders with all their changes`() throws {
    let folder = try TemporaryFolder()
    for history in [
      try Self.longHistory(in: folder),
      try StoreHistory(path: SampleStore.write(to: folder.file("sample.store"))),
    ] {
      let place = try TemporaryFolder()
      let (archive, entry) = try Self.archive(history, in: place)
      let reader = try archive.segment(entry)
      for order in [HistoryQuery.Order.ascending, .descending] {
        let cursor = reader.transactions(order: order)
        var found: [HistoryTransaction] = []
        while let transaction = try cursor.next() { found.append(transaction) }
        #expect(
          found == (order == .ascending ? history.transactions : history.transactions.reversed()))
      }
    }
  }

  @Test
  func `a canceled reading ends at the next frame`() throws {
    let folder = try TemporaryFolder()
    let (archive, entry) = try Self.archive(Self.longHistory(in: folder), in: folder)
    let cancellation = Cancellation()
    let reader = try Cancellation.$current.withValue(cancellation) { try archive.segment(entry) }
    let cursor = reader.transactions()
    #expect(try cursor.next() != nil)
    cancellation.cancel()
    #expect(throws: ArchiveError.cancelled(path: reader.path)) {
      while try cursor.next() != nil {}
    }
    #expect(try archive.segment(entry).transactions().next() != nil)
  }

  @Test
  func `a segment returns any range without changes`() throws {
    let folder = try TemporaryFolder()
    let history = try Self.longHistory(in: folder)
    let (archive, entry) = try Self.archive(history, in: folder)
    let reader = try archive.segment(entry)
    for range: ClosedRange<Int64> in [
      1...1, 1...900, 399...402, 400...400, 401...401, 900...900, 0...3, 899...5000, 901...902,
    ] {
      let wanted = history.transactions.map(\.number).filter(range.contains)
      for order in [HistoryQuery.Order.ascending, .descending] {
        let cursor = reader.transactions(in: range, order: order)
        var numbers: [Int64] = []
        while let transaction = try cursor.nextTransaction() {
          numbers.append(transaction.number)
          #expect(transaction.changes.isEmpty)
        }
        #expect(numbers == (order == .ascending ? wanted : wanted.reversed()))
      }
    }
    for number: Int64 in [1, 256, 400, 401, 900] {
      #expect(try reader.transaction(number) == history.transactions[Int(number) - 1])
    }
    #expect(try reader.transaction(901) == nil)
    // Some changes of a transaction, and then the next transaction.
    let cursor = reader.transactions(in: 400...401)
    _ = try cursor.nextTransaction()
    #expect(try cursor.nextChange() == history.transactions[399].changes[0])
    #expect(try cursor.nextTransaction()?.number == 401)
    #expect(try cursor.nextChange() == history.transactions[400].changes[0])
  }

  @Test(.enabled(if: Tool("zstd") != nil))
  func `zstd unpacks a segment to its lines`() async throws {
    let folder = try TemporaryFolder()
    let history = try Self.longHistory(in: folder)
    let (archive, entry) = try Self.archive(history, in: folder)
    let path = archive.segmentPath(entry)
    let zstd = try #require(Tool("zstd"))
    #expect(try await zstd.run(["--decompress", "--stdout", path]).output == history.lines)
    let manifest = try archive.manifest(of: entry)
    #expect(manifest.frames.contains { $0.isContinuation })
    #expect(manifest.frames.allSatisfy { $0.textByteCount <= ArchiveFormat.frameLimit })
    #expect(manifest.textByteCount == Int64(history.lines.count))
    #expect(try ArchiveFile(FilePlace(path)).digest() == manifest.digest)
  }

  @Test
  func `a flipped bit in a segment is an error or changes nothing`() throws {
    let folder = try TemporaryFolder()
    let history = try StoreHistory(path: SampleStore.write(to: folder.file("sample.store")))
    let (archive, entry) = try Self.archive(history, in: folder)
    let path = archive.segmentPath(entry)
    let manifest = try archive.manifest(of: entry)
    let bytes = try FileBytes.read(path)
    for place in bytes.indices {
      var flipped = bytes
      flipped[place] ^= 1 << UInt8(place % 8)
      try FileBytes.write(flipped, to: path)
      var found: [HistoryTransaction] = []
      do {
        let reader = try SegmentReader(FilePlace(path), manifest: manifest)
        #expect(throws: ArchiveError.self) { try reader.checkDigest() }
        let cursor = reader.transactions()
        while let transaction = try cursor.next() { found.append(transaction) }
        #expect(found == history.transactions, "the bit in byte \(place)")
      } catch {
        #expect(error.message.contains(path))
      }
    }
    for length in stride(from: 0, to: bytes.count, by: 7) {
      try FileBytes.write(Array(bytes[..<length]), to: path)
      #expect(throws: ArchiveError.self) { try archive.segment(entry) }
    }
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: ArchiveError.missing(path: path)) { try archive.segment(entry) }
  }

  @Test
  func `every flipped bit of a manifest is an error`() throws {
    let folder = try TemporaryFolder()
    let history = try StoreHistory(path: SampleStore.write(to: folder.file("sample.store")))
    let (archive, entry) = try Self.archive(history, in: folder)
    let path = archive.manifestPath(entry)
    let bytes = try FileBytes.read(path)
    #expect(try SegmentManifest(bytes, path: path).bytes == bytes)
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var flipped = bytes
      flipped[place] ^= 1 << UInt8(place % 8)
      try FileBytes.write(flipped, to: path)
      #expect(throws: ArchiveError.self) { try archive.manifest(of: entry) }
      // Without the catalog's digest it may pass, but nothing may crash.
      _ = try? SegmentManifest(flipped, path: path)
    }
  }
}
