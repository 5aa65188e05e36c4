import Foundation
import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Merging and forgetting, below the command.
@Suite(.bounded) struct ArchiveRewriterTests {
  private static func text(_ archive: Archive) throws -> [UInt8] {
    var text: [UInt8] = []
    for store in try archive.stores() {
      for entry in store.entries {
        let reader = try archive.segment(entry)
        for index in reader.manifest.frames.indices { text += try reader.text(ofFrame: index) }
      }
    }
    return text
  }

  /// Holds the archive only as long as the closure runs: verifying it waits for nobody.
  private static func rewriting<Result>(
    _ path: String, _ body: (ArchiveRewriter) throws -> Result
  ) throws -> Result {
    try body(ArchiveRewriter(archivePath: path, lockWait: 30))
  }

  private static func verify(_ path: String) throws -> FindingLog<ArchiveFindingKind> {
    var options = ArchiveVerification.Options()
    options.decodesLines = true
    options.lockWait = 30
    return try ArchiveVerification(path: path, options: options).findings
  }

  @Test(
    .needsRealStores,
    arguments: RealStores.paths)
  func `merged and cut segments of Apple's frameworks have the same lines`(store: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    guard let history = try? StoreHistory(path: path), history.transactions.count > 2 else {
      return
    }
    let numbers = history.transactions.map(\.number)
    let place = folder.file("archive")
    let step = max(1, numbers.count / 12)
    for index in stride(from: step, to: numbers.count, by: step) {
      try ArchiveSealerTests.seal(path, in: place, before: HistoryCut(before: numbers[index]))
    }
    try ArchiveSealerTests.seal(path, in: place, before: .end)
    let archive = try Archive(path: place)
    let before = try archive.catalog()
    let merged = try Self.rewriting(place) { try $0.merge(history.identifier) }
    #expect(
      try archive.catalog().entries.count
        == before.entries.count - merged.segmentCount + merged.groups.count)
    #expect(try Self.text(archive) == history.lines)
    #expect(try Self.verify(place).isEmpty)
    let cut = numbers[numbers.count / 2]
    let forgotten = try Self.rewriting(place) { rewriter in
      defer { try? rewriter.removeRemains(of: history.identifier) }
      return try rewriter.forget(before: cut, ofStore: history.identifier)
    }
    #expect(forgotten == numbers[0]...cut - 1)
    let kept = history.lines.split(separator: 0x0A).dropFirst(numbers.count / 2)
    #expect(try Self.text(archive) == kept.flatMap { $0 + [0x0A] })
    #expect(try Self.verify(place).isEmpty)
    // The segment that was cut may be small enough for its neighbour now; then all is merged.
    _ = try Self.rewriting(place) { try $0.merge(history.identifier) }
    #expect(try Self.text(archive) == kept.flatMap { $0 + [0x0A] })
    let again = try Self.rewriting(place) { try $0.merge(history.identifier) }
    #expect(again.groups.isEmpty)
  }

  @Test
  func `segments grow with age, and each is rewritten a few times only`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 64, changesEach: 3)
    let history = try StoreHistory(path: path)
    let place = folder.file("archive")
    var written = 0
    for number in history.transactions.map(\.number).dropFirst() {
      try ArchiveSealerTests.seal(path, in: place, before: HistoryCut(before: number))
      let merged = try ArchiveRewriter(archivePath: place, lockWait: 30).merge(history.identifier)
      written += merged.groups.joined().reduce(0) { $0 + $1.range.count }
    }
    let store = try Archive(path: place).store()
    #expect(store.entries.count <= 6, "\(store.entries.map(\.range))")
    // Each of 63 transactions six times, as the logarithm says.
    #expect(written <= 63 * 6, "\(written)")
    #expect(store.runs.count == 1 && store.overlapping.isEmpty)
    #expect(
      try Self.text(Archive(path: place))
        == Array(history.lines.dropLast(history.lines.split(separator: 0x0A).last!.count + 1)))
    #expect(try Self.verify(place).isEmpty)
  }

  @Test
  func `concurrent readers get an error for removed segments, and verify finds nothing`() throws {
    let tiny = try TinyArchive([1...1, 2...2, 3...3, 4...4])
    let path = tiny.archive.path
    let reader = try ArchiveReader(path: path)
    let query = try reader.transactions(HistoryQuery())
    #expect(try query.nextTransaction()?.number == 1)
    let store = tiny.history.identifier
    let merging = try Self.rewriting(path) { try $0.merge(store) }
    #expect(merging.groups.map(\.count) == [4])
    #expect(throws: ArchiveError.changed(path: path)) {
      while try query.nextTransaction() != nil {}
    }
    // A file that is open stays readable, and the next reader sees the merged segment.
    let merged = try ArchiveReader(path: path)
    #expect(merged.store.entries.map(\.range) == [1...4])
    let tail = try merged.transactions(HistoryQuery())
    #expect(try tail.nextTransaction()?.number == 1)
    let catalogSize = try FileBytes.read(tiny.archive.catalogPath).count
    let forgotten = try Self.rewriting(path) { rewriter in
      defer { try? rewriter.removeRemains(of: store) }
      return try rewriter.forget(before: 3, ofStore: store)
    }
    #expect(forgotten == 1...2)
    #expect(try tail.nextTransaction()?.number == 2)
    let inspection = SegmentInspection(
      tiny.archive, merged.store.entries[0], catalogByteCount: Int64(catalogSize),
      readsContent: true, .init()
    ) { _ in }
    #expect(inspection.findings.isEmpty)
    // One that is listed and missing is damage.
    try FileManager.default.removeItem(
      atPath: tiny.archive.path(of: Archive.segmentName(3...4, ofStore: store)))
    #expect(throws: ArchiveError.self) { try Self.text(tiny.archive) }
    #expect(try Self.verify(path).count(of: .missingSegment) == 1)
  }

  @Test(arguments: [(2, 2), (3, 3), (4, 4), (99, 4)] as [(Int64, Int64)])
  func `the newest transaction is never forgotten, and the catalog gets one line`(
    _ cut: Int64, _ first: Int64
  ) throws {
    let tiny = try TinyArchive([1...1, 2...2, 3...3, 4...4])
    let store = tiny.history.identifier
    try Self.rewriting(tiny.archive.path) { rewriter in
      #expect(try rewriter.forget(before: cut, ofStore: store) == 1...(first - 1))
      #expect(try rewriter.forget(before: cut, ofStore: store) == nil)
      #expect(rewriter.head.count == 5)
      try rewriter.removeRemains(of: store)
    }
    #expect(try tiny.archive.store().entries.map(\.first) == Array(first...4))
  }

  @Test
  func `each overlapping segment is cut`() throws {
    let tiny = try TinyArchive([1...3, 2...4])
    let store = tiny.history.identifier
    let forgotten = try Self.rewriting(tiny.archive.path) { rewriter in
      defer { try? rewriter.removeRemains(of: store) }
      return try rewriter.forget(before: 3, ofStore: store)
    }
    #expect(forgotten == 1...2)
    #expect(try Archive(path: tiny.archive.path).store().entries.map(\.range) == [3...3, 4...4])
    let again = try Self.rewriting(tiny.archive.path) { try $0.forget(before: 3, ofStore: store) }
    #expect(again == nil)
    #expect(try Self.verify(tiny.archive.path).isEmpty)
  }

  @Test
  func `a segment with the only copy stays if the end of the catalog is lost`() throws {
    let tiny = try TinyArchive([1...1, 2...2, 3...4])
    let lines = try FileBytes.read(tiny.archive.catalogPath)
    let store = tiny.history.identifier
    _ = try ArchiveRewriter(archivePath: tiny.archive.path, lockWait: 30).merge(store)
    try FileBytes.write(lines, to: tiny.archive.catalogPath)
    try ArchiveRewriter(archivePath: tiny.archive.path, lockWait: 30).removeRemains(of: store)
    let merged = tiny.archive.path(of: Archive.segmentName(1...4, ofStore: store))
    #expect(FileManager.default.fileExists(atPath: merged))
    let found = try Self.verify(tiny.archive.path)
    #expect(found.count(of: .missingSegment) == 3)
  }

  @Test
  func `damaged segments are not merged, and segments around a gap stay`() throws {
    let tiny = try TinyArchive([1...1, 2...2, 4...4])
    let store = tiny.history.identifier
    let path = tiny.archive.segmentPath(tiny.entries[1])
    let sound = try FileBytes.read(path)
    var damaged = sound
    damaged[damaged.count / 2] ^= 1
    try FileBytes.write(damaged, to: path)
    let rewriter = try ArchiveRewriter(archivePath: tiny.archive.path)
    #expect(throws: ArchiveError.self) { try rewriter.merge(store) }
    #expect(try tiny.archive.catalog().entries == tiny.entries)
    try FileBytes.write(sound, to: path)
    _ = try rewriter.merge(store)
    // The sealed segment 4 says that it follows 3, which is missing.
    #expect(try tiny.archive.catalog().entries.map(\.range) == [4...4, 1...2])
    #expect(throws: ArchiveError.busy(path: tiny.archive.path, seconds: 0)) {
      try ArchiveRewriter(archivePath: tiny.archive.path)
    }
  }
}
