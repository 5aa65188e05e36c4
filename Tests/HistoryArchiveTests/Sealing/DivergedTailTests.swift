import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Another copy of a store whose history begins right behind what is sealed.
@Suite(.bounded) struct DivergedTailTests {
  private let folder: TemporaryFolder
  private let path: String
  private let archive: String

  /// Seals 49 transactions and deletes them.
  init() throws {
    folder = try TemporaryFolder()
    path = try LongHistory.write(to: folder.file("x.store"), transactions: 60, changesEach: 2)
    archive = folder.file("archive")
    try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 50))
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 50; DELETE FROM ATRANSACTION WHERE Z_PK < 50")
  }

  private func restorePlan() throws -> RestorePlan {
    let identifier = try HistoryRestorer(path: path).storeIdentifier()
    let sealed = try ArchiveReader(path: archive, storeIdentifier: identifier, check: .soundRows)
    return try HistoryRestorer(path: path).plan(RestoreRequest(), of: sealed)
  }

  private func continuity() throws -> StoreContinuity {
    try StoreFile(path: path).read {
      try StoreContinuity(of: $0, with: Archive(path: archive))
    }
  }

  private func isDiverged() throws -> Bool {
    try StoreFile(path: path).read { snapshot in
      let reader = try ArchiveReader(
        path: archive, storeIdentifier: snapshot.metadata.storeIdentifier)
      return try HistoryTimeline(snapshot, continuing: reader).divergence != nil
    }
  }

  @Test func `an undiverged copy is sealed, verified and restored`() throws {
    #expect(try restorePlan().transactionCount == 49)
    #expect(try continuity().findings.count(of: .divergedStore) == 0)
    #expect(try !isDiverged())
    #expect(try ArchiveSealerTests.seal(path, in: archive).last?.number == 59)
  }

  @Test func `a diverged copy is refused by sealing and restoring`() throws {
    try StoreQuery(path: path).run("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1")
    #expect(throws: ArchiveError.diverged(path: path, archive: archive, transaction: 50)) {
      try ArchiveSealerTests.seal(path, in: archive)
    }
    #expect(try Archive(path: archive).catalog().entries.count == 1)
    #expect {
      try restorePlan()
    } throws: {
      guard case RestoreObstacle.diverged(path, 50, _) = $0 else { return false }
      return true
    }
    #expect(try continuity().findings.count(of: .divergedStore) == 1)
    #expect(try isDiverged())
  }
}
