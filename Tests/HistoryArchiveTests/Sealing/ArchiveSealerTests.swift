import Foundation
import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

@Suite(.bounded) struct ArchiveSealerTests {
  /// Seals, with a helper thread.
  @discardableResult
  static func seal(
    _ path: String, in archive: String, before cut: HistoryCut? = nil, segmentSize: Int64? = nil,
    allowsGap: Bool = false
  ) throws -> SealedSegments {
    let file = try StoreFile(path: path)
    let sealer = try ArchiveSealer(archivePath: archive, store: file.location, lockWait: 30)
    if let segmentSize { sealer.segmentSize = segmentSize }
    sealer.allowsGap = allowsGap
    return try file.read(withHelpers: 1) { try sealer.seal($0, $1, before: cut) }
  }

  /// All transactions in an archive, and its text.
  private static func contents(
    of path: String
  ) throws -> (transactions: [HistoryTransaction], text: [UInt8]) {
    let archive = try Archive(path: path)
    var transactions: [HistoryTransaction] = []
    var text: [UInt8] = []
    for entry in try archive.catalog().entries {
      let reader = try archive.segment(entry)
      try reader.checkDigest()
      for index in reader.manifest.frames.indices { text += try reader.text(ofFrame: index) }
      let cursor = reader.transactions()
      var changes: Int64 = 0
      while let transaction = try cursor.next() {
        transactions.append(transaction)
        changes += Int64(transaction.changes.count)
      }
      #expect(changes == reader.manifest.changeCount)
    }
    return (transactions, text)
  }

  @Test(
    .needsRealStores,
    arguments: RealStores.paths)
  func `sealing a real store produces the lines of an export`(store: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    guard let history = try? StoreHistory(path: path), !history.transactions.isEmpty else { return }
    let archive = folder.file("archive")
    let sealed = try Self.seal(path, in: archive, before: .end, segmentSize: 1 << 16)
    let contents = try Self.contents(of: archive)
    #expect(contents.text == history.lines)
    #expect(contents.transactions == history.transactions)
    #expect(sealed.last?.number == history.transactions.last?.number)
    let catalog = try Archive(path: archive).catalog()
    #expect(catalog.stores.map(\.runs.count) == [1])
    #expect(sealed.head == catalog.head)
  }

  @Test
  func `long lines are sealed in segments of the requested size`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("long.store"), transactions: 1500, changesEach: 20, sizes: [700: 30_000])
    let history = try StoreHistory(path: path)
    let sealed = try Self.seal(
      path, in: folder.file("archive"), before: .end, segmentSize: 512 << 10)
    let contents = try Self.contents(of: folder.file("archive"))
    #expect(contents.text == history.lines)
    #expect(contents.transactions == history.transactions)
    #expect(sealed.segments.count > 3)
    #expect(sealed.segments.allSatisfy { $0.manifest.textByteCount < 5 << 20 })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("archive")).count == 2)
  }

  @Test
  func `a run continues where the last one ended and leaves the newest transaction`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("deep/in/archive")
    #expect(try Self.seal(path, in: archive, before: HistoryCut(before: 5)).last?.number == 4)
    #expect(try Self.seal(path, in: archive).last?.number == 11)
    let again = try Self.seal(path, in: archive)
    #expect(again.segments.isEmpty && again.last?.number == 11)
    let last = try Self.seal(path, in: archive, before: .end)
    #expect(last.transactionCount == 1 && last.head.count == 3)
    let store = try Archive(path: archive).store()
    #expect(store.entries.map(\.range) == [1...4, 5...11, 12...12])
    #expect(store.entries.map(\.after) == [nil, 4, 11])
    #expect(
      try Self.contents(of: archive).transactions == StoreHistory(path: path).transactions)
  }

  @Test
  func `a run after a prune continues without a gap or reports it`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    try Self.seal(path, in: archive, before: HistoryCut(before: 5))
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 5; DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    #expect(try Self.seal(path, in: archive, before: HistoryCut(before: 7)).last?.number == 6)
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 9; DELETE FROM ATRANSACTION WHERE Z_PK < 9")
    #expect(
      throws: ArchiveError.gap(path: path, archive: archive, after: 6, oldest: 9)
    ) { try Self.seal(path, in: archive) }
    try Self.seal(path, in: archive, allowsGap: true)
    let store = try Archive(path: archive).store()
    #expect(store.runs.map { $0.first...$0.last } == [1...6, 9...11])
    // Numbers that were never given out are no gap.
    try StoreQuery(path: path).run(
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (20, 16002, 743999999.5);
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (25, 16002, 743999999.5)
      """)
    try Self.seal(path, in: archive, before: .end)
    #expect(try Archive(path: archive).store().runs.map(\.last) == [6, 25])
  }

  @Test
  func `a diverged copy of the store is refused`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    try Self.seal(path, in: archive)
    let before = try FileBytes.read(archive + "/catalog.jsonl")
    let other = folder.file("other.store")
    try FileBytes.write(FileBytes.read(path), to: other)
    try StoreQuery(path: other).run(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK >= 10")
    #expect(throws: ArchiveError.diverged(path: other, archive: archive, transaction: 10)) {
      try Self.seal(other, in: archive)
    }
    // One that has not come as far tells by what both have.
    try StoreQuery(path: other).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID > 10; DELETE FROM ATRANSACTION WHERE Z_PK > 10;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 10 WHERE Z_ENT = 16002
      """)
    #expect(throws: ArchiveError.diverged(path: other, archive: archive, transaction: 10)) {
      try Self.seal(other, in: archive)
    }
    let older = folder.file("older.store")
    try FileBytes.write(FileBytes.read(path), to: older)
    try StoreQuery(path: older).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID > 8; DELETE FROM ATRANSACTION WHERE Z_PK > 8;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 8 WHERE Z_ENT = 16002
      """)
    #expect(
      throws: ArchiveError.olderCopy(path: older, archive: archive, sealed: 11, newest: 8)
    ) { try Self.seal(older, in: archive) }
    #expect(try FileBytes.read(archive + "/catalog.jsonl") == before)
    // History is pruned from its beginning, so no copy of this one lacks a transaction in its midst.
    try FileBytes.write(FileBytes.read(path), to: other)
    try StoreQuery(path: other).run("DELETE FROM ATRANSACTION WHERE Z_PK = 11")
    #expect(throws: ArchiveError.diverged(path: other, archive: archive, transaction: 11)) {
      try Self.seal(other, in: archive)
    }
    // An emptied history is no other copy, whether or not its last transaction was sealed.
    for cut in [HistoryCut(before: 12), .end] {
      try Self.seal(path, in: archive, before: cut)
      try FileBytes.write(FileBytes.read(path), to: other)
      try StoreQuery(path: other).run("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
      #expect(try Self.seal(other, in: archive).segments.isEmpty)
    }
  }

  @Test
  func `a copy that ends within a gap of the archive is an older one`() throws {
    let folder = try TemporaryFolder()
    let copy = try ArchivedCopy(
      of: SampleStore.write(to: folder.file("sample.store")), prunedBefore: nil, in: folder,
      segments: [4, 8], leavingOut: 1)
    try StoreQuery(path: copy.pruned).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID > 6; DELETE FROM ATRANSACTION WHERE Z_PK > 6;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 6 WHERE Z_ENT = 16002
      """)
    let archive = copy.archive.path
    #expect(
      throws: ArchiveError.olderCopy(path: copy.pruned, archive: archive, sealed: 12, newest: 6)
    ) { try Self.seal(copy.pruned, in: archive) }
  }

  @Test
  func `several stores are kept apart in one archive`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    var shape = StoreWriter.Shape()
    shape.identifier = "2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
    let other = try SampleStore.write(to: folder.file("other.store"), shape: shape)
    let archive = folder.file("archive")
    try Self.seal(path, in: archive, before: HistoryCut(before: 6))
    try Self.seal(other, in: archive)
    try Self.seal(path, in: archive)
    let catalog = try Archive(path: archive).catalog()
    #expect(catalog.entries.count == 3)
    #expect(catalog.stores.map(\.last) == [11, 11])
    #expect(throws: ArchiveError.self) { try Archive(path: archive).store() }
    #expect(try Archive(path: archive).store(shape.identifier).entries.count == 1)
  }

  @Test
  func `segments left by a crash after an allowed gap are adopted`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    try Self.seal(path, in: archive, before: HistoryCut(before: 5))
    let catalog = try FileBytes.read(archive + "/catalog.jsonl")
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 9; DELETE FROM ATRANSACTION WHERE Z_PK < 9")
    try Self.seal(path, in: archive, allowsGap: true)
    try FileBytes.write(catalog, to: archive + "/catalog.jsonl")
    #expect(throws: ArchiveError.gap(path: path, archive: archive, after: 4, oldest: 9)) {
      try Self.seal(path, in: archive)
    }
    let sealed = try Self.seal(path, in: archive, before: .end, allowsGap: true)
    #expect(sealed.segments.map(\.isAdopted) == [true, false])
    let store = try Archive(path: archive).store()
    #expect(store.entries.map(\.range) == [1...4, 9...11, 12...12])
    #expect(store.entries.map(\.after) == [nil, nil, 11])
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: archive + "/" + StoreWriter.identifier
      ).count == 6)
  }

  @Test
  func `recorded values of one moment are sealed while another program erases some`() throws {
    let trips = try RecordedTrips()
    let archive = trips.folder.file("archive")
    let file = try StoreFile(path: trips.path)
    let sealer = try ArchiveSealer(archivePath: archive, store: file.location, lockWait: 30)
    let values = trips.valuesPath
    let lines = try file.read(withHelpers: 1) { snapshot, helpers in
      sealer.recordedValues = try RecordedValues(beside: snapshot)
      var query = HistoryQuery()
      query.recordedValues = sealer.recordedValues
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var transactions: [HistoryTransaction] = []
      while let transaction = try reader.next() { transactions.append(transaction) }
      _ = try sealer.seal(snapshot, helpers, before: .end) { step, _, _ in
        guard step == .packing else { return }
        do {
          try StoreQuery(path: values).run("DELETE FROM recorded_value")
        } catch {
          Issue.record(error)
        }
      }
      return transactions
    }
    #expect(try Self.contents(of: archive).transactions == lines)
    #expect(lines.flatMap(\.changes).contains { !$0.values.isEmpty })
    #expect(try trips.rows() == [])
  }

  @Test
  func `segments left by a crash are adopted, and other remains are removed`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    try Self.seal(path, in: archive, before: HistoryCut(before: 5))
    let first = try FileBytes.read(archive + "/catalog.jsonl")
    try Self.seal(path, in: archive, before: HistoryCut(before: 9))
    let both = try FileBytes.read(archive + "/catalog.jsonl")
    let store = archive + "/" + StoreWriter.identifier
    // Everything but the line, or a part of it, which the store may have lost since.
    try StoreQuery(path: path).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 9; DELETE FROM ATRANSACTION WHERE Z_PK < 9")
    for length in [first.count, first.count + 1, both.count - 1] {
      try FileBytes.write(Array(both[..<length]), to: archive + "/catalog.jsonl")
      try FileBytes.write([1, 2, 3], to: store + "/000000000009.jsonl.zst.partial-abc")
      let sealed = try Self.seal(path, in: archive, before: HistoryCut(before: 9))
      #expect(sealed.segments.map(\.isAdopted) == [true])
      #expect(try FileBytes.read(archive + "/catalog.jsonl") == both)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: store).count == 4)
    }
    // Another segment of that name is no reason to trust it.
    try FileBytes.write(first, to: archive + "/catalog.jsonl")
    let segment = store + "/000000000005-000000000008.jsonl.zst"
    var bytes = try FileBytes.read(segment)
    bytes[20] ^= 1
    try FileBytes.write(bytes, to: segment)
    #expect(throws: ArchiveError.gap(path: path, archive: archive, after: 4, oldest: 9)) {
      try Self.seal(path, in: archive)
    }
  }

  @Test
  func `sealing locks the archive`() throws {
    let folder = try TemporaryFolder()
    let file = try StoreFile(path: SampleStore.write(to: folder.file("sample.store")))
    let archive = folder.file("archive")
    let sealer = try ArchiveSealer(archivePath: archive, store: file.location, lockWait: 30)
    #expect(throws: ArchiveError.busy(path: archive, seconds: 0.1)) {
      try ArchiveSealer(archivePath: archive, store: file.location, lockWait: 0.1)
    }
    // Nobody keeps readers out.
    #expect(try Archive(path: archive).stores().isEmpty)
    withExtendedLifetime(sealer) {}
  }

  @Test
  func `sealed files are not more widely readable than the store`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let archive = folder.file("archive")
    for mode: mode_t in [0o644, 0o600] {
      chmod(path, mode)
      try Self.seal(path, in: archive, before: HistoryCut(before: mode == 0o600 ? 9 : 5))
    }
    func mode(_ path: String) throws -> mode_t {
      var status = stat()
      #expect(stat(path, &status) == 0)
      return status.st_mode & 0o777
    }
    #expect(try mode(archive + "/catalog.jsonl") == 0o600)
    let segments = archive + "/" + StoreWriter.identifier
    for name in try FileManager.default.contentsOfDirectory(atPath: segments)
    where name.hasPrefix("000000000005") {
      #expect(try mode(segments + "/" + name) == 0o600)
    }
    chmod(path, 0o600)
    try Self.seal(path, in: folder.file("private"))
    #expect(try mode(folder.file("private")) == 0o700)
    #expect(try mode(folder.file("private") + "/" + StoreWriter.identifier) == 0o700)
  }

  @Test
  func `a folder with other files is refused`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    #expect(throws: ArchiveError.notAnArchive(path: folder.path, reason: .notEmpty)) {
      try Self.seal(path, in: folder.path)
    }
    #expect(throws: ArchiveError.self) { try Self.seal(path, in: path) }
    #expect(throws: ArchiveError.self) { try Self.seal(path, in: path + "/archive") }
    #expect(throws: ArchiveError.self) { try Self.seal(path, in: "") }
    try StoreQuery(path: path).run("UPDATE Z_METADATA SET Z_UUID = '../../elsewhere'")
    #expect(throws: ArchiveError.unnamedStore(path: path)) {
      try Self.seal(path, in: folder.file("archive"))
    }
  }

  @Test
  func `links in the archive are not followed`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 60, changesEach: 2)
    let archive = folder.file("archive")
    let sealed = try Self.seal(path, in: archive, before: HistoryCut(before: 20))
    let precious = folder.file("precious")
    try FileBytes.write([1, 2, 3], to: precious)
    let place = archive + "/" + sealed.store + "/" + SegmentName.text(20...59)
    // With it the manifest is not taken for what is left of a segment.
    try FileBytes.write([1], to: place + SegmentName.segmentSuffix)
    try FileManager.default.createSymbolicLink(
      atPath: place + SegmentName.manifestSuffix, withDestinationPath: precious)
    #expect(throws: ArchiveError.linked(path: place + SegmentName.manifestSuffix)) {
      try Self.seal(path, in: archive)
    }
    #expect(try FileBytes.read(precious) == [1, 2, 3])
    let kind = try FileManager.default.attributesOfItem(
      atPath: place + SegmentName.manifestSuffix)[.type]
    #expect(kind as? FileAttributeType == .typeSymbolicLink)
    #expect(try Archive(path: archive).catalog().entries.map(\.last) == [19])
    for suffix in [SegmentName.manifestSuffix, SegmentName.segmentSuffix] {
      try? FileManager.default.removeItem(atPath: place + suffix)
    }
    #expect(try Self.seal(path, in: archive).last?.number == 59)
  }

  @Test
  func `sealing stops before the catalog is too long, and the archive stays intact`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 1500, changesEach: 20)
    let folderPath = folder.file("archive")
    let limit = Int64(ArchiveFormat.catalogLineLimit + 1000)
    let file = try StoreFile(path: path)
    for _ in 0..<2 {
      let sealer = try ArchiveSealer(archivePath: folderPath, store: file.location)
      sealer.segmentSize = 1 << 16
      sealer.folder.catalogLimit = limit
      #expect(
        throws: ArchiveError.fullCatalog(path: folderPath + "/catalog.jsonl", limit: limit)
      ) {
        try file.read(withHelpers: 1) { try sealer.seal($0, $1) }
      }
    }
    let catalog = try Archive(path: folderPath).catalog()
    #expect(catalog.entries.count == 3 && catalog.byteCount < limit)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folderPath + "/" + catalog.entries[0].store)
    #expect(names.count == 6)
    // With more room it goes on.
    #expect(try Self.seal(path, in: folderPath).last?.number == 1499)
    #expect(try Archive(path: folderPath).catalog().stores.map(\.runs.count) == [1])
  }
}
