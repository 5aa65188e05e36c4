import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

@Suite("How far a store is sealed and verified")
struct VerifiedReachTests {
  private static func reach(_ path: String, _ archive: String) throws -> Int64? {
    try StoreFile(path: path).read { snapshot in
      try Archive(path: archive).verifiedReach(of: snapshot)?.number
    }
  }

  @Test("It ends before a gap, and is nothing if the store begins in one")
  func gaps() throws {
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

  @Test("It is an error if a segment is damaged or of another copy")
  func damage() throws {
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
    try StoreQuery(path: path).run("UPDATE ATRANSACTION SET ZTIMESTAMP = 5.5 WHERE Z_PK = 1")
    #expect(throws: ArchiveError.diverged(path: path, archive: archive, transaction: 1)) {
      try Self.reach(path, archive)
    }
  }

  @Test("Segments of what the store no longer has are not read")
  func earlierSegments() throws {
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
}
