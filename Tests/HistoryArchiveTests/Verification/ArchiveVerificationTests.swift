import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Sound archives, parts of them, and the store that an archive is of.
@Suite(.bounded) struct ArchiveVerificationTests {
  /// Seals a store as the command does.
  private static func seal(
    _ path: String, in folder: TemporaryFolder, segmentSize: Int64? = nil
  ) throws -> SealedSegments {
    let store = try StoreFile(path: path)
    let sealer = try ArchiveSealer(
      archivePath: folder.file("archive"), store: store.location)
    if let segmentSize { sealer.segmentSize = segmentSize }
    return try store.read(withHelpers: 1) { try sealer.seal($0, $1) }
  }

  @Test
  func `an intact archive has no findings and is read completely`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("long.store"), transactions: 6000, changesEach: 3,
      sizes: [400: 20_000, 401: 4000, 5999: 14_000])
    let result = try Self.seal(path, in: folder, segmentSize: 1 << 20)
    try #require(result.segments.count > 2)
    for decodesLines in [false, true] {
      var options = ArchiveVerification.Options()
      options.decodesLines = decodesLines
      let verification = try ArchiveVerification(
        path: folder.file("archive"), options: options)
      #expect(verification.counts == [:])
      #expect(verification.facts.segmentCount == result.segments.count)
      #expect(verification.facts.readSegmentCount == result.segments.count)
      #expect(verification.facts.transactionCount == result.transactionCount)
      #expect(verification.facts.changeCount == result.changeCount)
      #expect(verification.facts.head == result.head)
    }
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `the archive of every real store is intact`(_ path: String) throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    do {
      _ = try Self.seal(store, in: folder, segmentSize: 1 << 16)
      var options = ArchiveVerification.Options()
      options.decodesLines = true
      let verification = try ArchiveVerification(
        path: folder.file("archive"), options: options)
      #expect(verification.counts == [:])
      guard verification.facts.segmentCount > 0 else { return }
      let continuity = try StoreFile(path: store).read {
        try StoreContinuity(of: $0, with: Archive(path: folder.file("archive")))
      }
      #expect(continuity.findings.isEmpty)
      #expect(continuity.comparedCount == verification.facts.transactionCount)
    } catch StoreError.withoutHistory {
      // Nothing to seal.
    } catch ArchiveError.unnamedStore {
      // Nor here.
    }
  }

  @Test
  func `a subset limits which segments are read, and everything else is checked`() throws {
    let archive = try TinyArchive([1...1, 2...2, 3...3, 4...4])
    var read = 0
    for part in 1...3 {
      let facts = try archive.verify { $0.subset = .part(part, of: 3) }.facts
      read += facts.readSegmentCount
      #expect(facts.segmentCount == 4)
    }
    #expect(read == 4)
    // A flipped bit in a frame is seen by whoever reads it.
    let path = archive.archive.segmentPath(archive.entries[2])
    var bytes = try FileBytes.read(path)
    bytes[40] ^= 4
    try FileBytes.write(bytes, to: path)
    #expect(try archive.verify { $0.subset = .part(1, of: 4) }.counts == [:])
    #expect(try archive.verify { $0.subset = .part(3, of: 4) }.names(path))
    // A missing byte by everybody.
    try FileBytes.write(bytes.dropLast(), to: path)
    #expect(try archive.verify { $0.subset = .part(1, of: 4) }.names(path))
  }

  @Test
  func `subsets have the requested size`() {
    var generator = SeededGenerator(seed: 3)
    let sizes = [Int64](repeating: 100, count: 40)
    func choose(_ subset: VerificationSubset) -> Int {
      subset.choose(among: sizes, using: &generator).count
    }
    #expect(choose(.percent(5)) == 2)
    #expect(choose(.percent(0.001)) == 1)
    #expect(choose(.percent(100)) == 40)
    #expect(choose(.bytes(1)) == 1)
    #expect(choose(.bytes(1000)) == 10)
    #expect(choose(.bytes(.max)) == 40)
    #expect(VerificationSubset.percent(50).choose(among: [], using: &generator) == [])
    let parts = (1...7).map {
      VerificationSubset.part($0, of: 7).choose(among: sizes, using: &generator)
    }
    #expect(parts.reduce(into: Set<Int>()) { $0.formUnion($1) }.count == 40)
    #expect(parts.map(\.count).reduce(0, +) == 40)
  }

  @Test(arguments: [
    ("DELETE FROM ATRANSACTION WHERE Z_PK < 3", [ArchiveFindingKind: Int64](), Int64(1)),
    ("SELECT 1", [:], 3),
    // As an interrupted prune leaves the oldest transaction.
    (
      """
      DELETE FROM ATRANSACTION WHERE Z_PK < 2; DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 2;
      DELETE FROM ACHANGE WHERE Z_PK = (SELECT min(Z_PK) FROM ACHANGE)
      """, [.partialTransaction: 1], 2
    ),
    (
      "UPDATE ACHANGE SET Z_PK = 99 WHERE Z_PK = 1",
      [.partialTransaction: 1, .alteredTransaction: 1], 3
    ),
    ("UPDATE ACHANGE SET ZENTITYPK = 9 WHERE Z_PK = 1", [.alteredTransaction: 1], 3),
    ("UPDATE ACHANGE SET ZCHANGETYPE = 0, ZCOLUMNS = NULL", [.alteredTransaction: 1], 3),
    ("DELETE FROM ACHANGE WHERE Z_PK = 3", [.alteredTransaction: 1], 3),
    ("UPDATE ATRANSACTION SET ZAUTHORTS = NULL WHERE Z_PK = 2", [.alteredTransaction: 1], 3),
    ("DELETE FROM ATRANSACTION WHERE Z_PK = 2", [.deletedTransaction: 1], 3),
    (
      "DELETE FROM ATRANSACTION WHERE Z_PK = 2; DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 2",
      [.deletedTransaction: 1], 3
    ),
    ("UPDATE ATRANSACTION SET ZTIMESTAMP = 5.0 WHERE Z_PK = 2", [.divergedStore: 1], 2),
    (
      """
      DELETE FROM ATRANSACTION; UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16002
      """, [.divergedStore: 1], 0
    ),
    ("DELETE FROM ATRANSACTION", [.storeGap: 1], 0),
    ("UPDATE ATRANSACTION SET Z_PK = Z_PK + 100", [.storeGap: 1], 0),
    // Another model: only numbers and times can be compared.
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL; UPDATE ACHANGE SET ZCOLUMNS = x'40'", [:], 3),
  ])
  func `a store and its archive are compared`(
    _ sql: String, _ found: [ArchiveFindingKind: Int64], _ compared: Int64
  ) throws {
    let archive = try TinyArchive([1...2, 3...3])
    try StoreQuery(path: archive.storePath).run(sql)
    for path in archive.paths + [archive.storePath] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    let continuity = try StoreFile(path: archive.storePath).read {
      try StoreContinuity(of: $0, with: archive.archive)
    }
    let kinds = continuity.findings.kinds
    #expect(
      Dictionary(uniqueKeysWithValues: kinds.map { ($0, continuity.findings.count(of: $0)) })
        == found)
    #expect(continuity.comparedCount == compared)
  }

  @Test
  func `verification waits for the lock of a concurrent run`() throws {
    let archive = try TinyArchive([1...2, 3...3])
    let path = archive.archive.path
    let lock = try ArchiveLock(writing: path, wait: 0)
    #expect(throws: ArchiveError.busy(path: path, seconds: 0)) {
      try ArchiveVerification(path: path)
    }
    lock.end()
    #expect(try ArchiveVerification(path: path).findings.isEmpty)
    // Whoever seals need not wait until all is read.
    _ = try ArchiveVerification(path: path) { _ in
      do {
        _ = try ArchiveLock(writing: path, wait: 0)
      } catch {
        Issue.record(error)
      }
    }
  }

  @Test
  func `files more widely readable than the store are findings`() throws {
    let archive = try TinyArchive()
    for path in archive.paths + [archive.storePath] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    let path = archive.archive.segmentPath(archive.entries[1])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let continuity = try StoreFile(path: archive.storePath).read {
      try StoreContinuity(of: $0, with: archive.archive)
    }
    #expect(continuity.findings.count == 1)
    #expect(continuity.findings.findings(of: .widePermissions).map(\.place) == [.file(path)])
  }

  @Test
  func `every kind has a meaning and a remedy`() {
    let meanings = ArchiveFindingKind.allCases.map(\.entry.meaning)
    #expect(!meanings.contains(""))
    #expect(!ArchiveFindingKind.allCases.map(\.entry.remedy).contains(""))
    // The names of both sets are one list for scripts.
    let names =
      ArchiveFindingKind.allCases.map(\.rawValue) + StoreFindingKind.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
  }
}
