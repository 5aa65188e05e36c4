import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

@Suite(.bounded) struct VerifiedReachTests {
  private static func reach(_ path: String, _ archive: String) throws -> Int64? {
    try StoreFile(path: path).read { snapshot in
      try Archive(path: archive).verifiedReach(of: snapshot)?.number
    }
  }

  @Test
  func `the verified reach ends before a gap`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    _ = try ArchiveSealer(archivePath: archive, store: StoreLocation(path: path))
    #expect(try Self.reach(path, archive) == nil)
    try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 4))
    #expect(try Self.reach(path, archive) == 3)
    let copy = folder.file("copy.store")
    try FileBytes.write(FileBytes.read(path), to: copy)
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 6; DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    #expect(try Self.reach(path, archive) == nil)
    try ArchiveSealerTests.seal(path, in: archive, allowsGap: true)
    #expect(try Self.reach(path, archive) == 11)
    // The copy still has what the archive lacks.
    #expect(try Self.reach(copy, archive) == 3)
  }

  @Test
  func `a damaged segment or one of another copy is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    let sealed = try ArchiveSealerTests.seal(path, in: archive)
    let segment = try Archive(path: archive).segmentPath(sealed.segments[0].entry)
    let bytes = try FileBytes.read(segment)
    for place in stride(from: 0, to: bytes.count, by: 11) {
      var damaged = bytes
      damaged[place] ^= 0x10
      try FileBytes.write(damaged, to: segment)
      #expect(throws: ArchiveError.self) { try Self.reach(path, archive) }
    }
    try FileBytes.write(bytes, to: segment)
    #expect(try Self.reach(path, archive) == 11)
    // The first and the last of a segment show which copy it is of.
    for number: Int64 in [11, 1] {
      try StoreQuery(path: path).run(
        "UPDATE ATRANSACTION SET ZTIMESTAMP = 5.5 WHERE Z_PK = \(number)")
      #expect(throws: ArchiveError.diverged(path: path, archive: archive, transaction: number)) {
        try Self.reach(path, archive)
      }
    }
  }

  @Test
  func `segments of history before the store's first transaction are not read`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    let first = try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 4))
    try ArchiveSealerTests.seal(path, in: archive)
    try FileBytes.write([], to: Archive(path: archive).segmentPath(first.segments[0].entry))
    #expect(throws: ArchiveError.self) { try Self.reach(path, archive) }
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 4; DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    #expect(try Self.reach(path, archive) == 11)
  }

  @Test(arguments: [2, 8, 10, 11, 20, 29])
  func `a store may begin at any position in a segment`(_ first: Int64) throws {
    let folder = try TemporaryFolder()
    // The lines of the tenth and the twentieth transaction are longer than a frame.
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 30, changesEach: 2, sizes: [10: 20_000, 20: 20_000])
    let archive = folder.file("archive")
    let sealed = try ArchiveSealerTests.seal(path, in: archive)
    #expect(
      sealed.segments.map(\.manifest).contains { $0.frames.contains(where: \.isContinuation) })
    try StoreQuery(path: path).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(first);
      DELETE FROM ATRANSACTION WHERE Z_PK < \(first)
      """)
    #expect(try Self.reach(path, archive) == 29)
  }

  @Test(arguments: [[1...4, 2...3], [1...3, 2...4]] as [[ClosedRange<Int64>]])
  func `the reach of overlapping segments is their last transaction`(
    _ ranges: [ClosedRange<Int64>]
  ) throws {
    let tiny = try TinyArchive(ranges)
    #expect(try Self.reach(tiny.storePath, tiny.archive.path) == 4)
  }
}
