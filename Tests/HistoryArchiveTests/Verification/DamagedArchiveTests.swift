import Dispatch
import Foundation
import PersistentHistory
import StoreFormat
import Synchronization
import TestSupport
import Testing

@testable import HistoryArchive

/// Whatever becomes of a byte of an archive is found, and the file is named.
@Suite(.bounded, .needsOptimization) struct DamagedArchiveTests {
  /// Whether every bit of every file is flipped, which takes a minute; otherwise those of the second
  /// segment's files are left out, and of the first manifest's bytes one bit each is taken.
  private static let flipsAll = ProcessInfo.processInfo.environment["HISTCTL_ALL_BITS"] != nil

  @Test
  func `every flipped bit is a finding with its file`() throws {
    let original = try TinyArchive()
    #expect(try original.verify().counts == [:])
    var random = SeededGenerator(seed: 8)
    var flips: [(file: Int, byte: Int, bits: [Int])] = []
    for file in original.paths.indices.prefix(Self.flipsAll ? .max : 3) {
      for byte in try FileBytes.read(original.paths[file]).indices {
        let isManifest = original.paths[file].hasSuffix(SegmentName.manifestSuffix)
        let bits =
          isManifest && !Self.flipsAll ? [Int.random(in: 0..<8, using: &random)] : Array(0..<8)
        flips.append((file, byte, bits))
      }
    }
    #expect(flips.count > 2000)
    // A copy for each thread.
    let threads = 2
    let archives = try (0..<threads).map { _ in try TinyArchive() }
    let missed = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: threads) { [flips] thread in
      let archive = archives[thread]
      var contents: [[UInt8]] = []
      for path in archive.paths { contents.append((try? FileBytes.read(path)) ?? []) }
      for flip in flips.indices.filter({ $0 % threads == thread }).map({ flips[$0] }) {
        let path = archive.paths[flip.file]
        var bytes = contents[flip.file]
        for bit in flip.bits {
          bytes[flip.byte] ^= 1 << bit
          try? FileBytes.write(bytes, to: path)
          let isNamed = (try? archive.verify().names(path)) ?? false
          if !isNamed {
            missed.withLock { $0.append("\(path), byte \(flip.byte), bit \(bit)") }
          }
          bytes[flip.byte] ^= 1 << bit
        }
        // The next flip may be in another file.
        try? FileBytes.write(bytes, to: path)
      }
    }
    #expect(missed.withLock { $0 } == [])
  }

  @Test
  func `a file truncated at any byte is a finding with its name`() throws {
    let archive = try TinyArchive()
    let anchor = try archive.archive.catalog().head
    for path in archive.paths {
      let bytes = try FileBytes.read(path)
      for count in bytes.indices {
        try FileBytes.write(Array(bytes[..<count]), to: path)
        let found = try archive.verify()
        let lineEnds = count == 0 || bytes[count - 1] == UInt8(ascii: "\n")
        if path == archive.archive.catalogPath, lineEnds {
          // What is left is a catalog; its segments are in no line of it any more.
          #expect(found.findings.count(of: .unlistedSegment) > 0, "\(count)")
          #expect(try archive.verify { $0.anchor = anchor }.counts[.otherAnchor] == 1)
        } else {
          #expect(found.names(path), "\(path) \(count)")
        }
      }
      try FileBytes.write(bytes, to: path)
    }
    #expect(try archive.verify { $0.anchor = anchor }.counts == [:])
  }

  @Test
  func `a removed end of the archive is found with an anchor only`() throws {
    let archive = try TinyArchive([1...1, 2...3, 4...4])
    let catalog = try archive.archive.catalog()
    let last = try #require(archive.entries.last)
    for path in [archive.archive.manifestPath(last), archive.archive.segmentPath(last)] {
      try FileManager.default.removeItem(atPath: path)
    }
    try FileBytes.write(
      archive.entries.dropLast().flatMap(\.line), to: archive.archive.catalogPath)
    #expect(try archive.verify().counts == [:])
    #expect(try archive.verify { $0.anchor = catalog.head }.counts == [.otherAnchor: 1])
    // An earlier anchor still holds.
    let earlier = ArchiveAnchor(count: 2, digest: catalog.entries[1].digest)
    #expect(try archive.verify { $0.anchor = earlier }.counts == [:])
    #expect(try archive.verify { $0.anchor = ArchiveAnchor(count: 0, digest: .none) }.counts == [:])
    let wrong = ArchiveAnchor(count: 1, digest: earlier.digest)
    #expect(try archive.verify { $0.anchor = wrong }.counts == [.otherAnchor: 1])
  }

  /// What is done to a sound archive of three segments.
  enum Change: String, CaseIterable, Sendable {
    case swapSegments, swapManifests, swapBoth, dropSegment, dropManifest, dropLine, repeatLine
    case swapLines, emptySegment, segmentIsFolder, extraFile, draft, draftAtTop, draftFolder
    case extraSegment, everybody
    case dropFolder, unreadableCatalogSize
  }

  private static func apply(_ change: Change, to tiny: TinyArchive) throws {
    let archive = tiny.archive
    let files = FileManager.default
    func swap(_ path: (CatalogEntry) -> String) throws {
      let (first, second) = (path(tiny.entries[0]), path(tiny.entries[1]))
      let bytes = try FileBytes.read(first)
      try FileBytes.write(try FileBytes.read(second), to: first)
      try FileBytes.write(bytes, to: second)
    }
    let lines = tiny.entries.map(\.line)
    let segment = archive.segmentPath(tiny.entries[1])
    switch change {
    case .swapSegments: try swap(archive.segmentPath)
    case .swapManifests: try swap(archive.manifestPath)
    case .swapBoth:
      try swap(archive.segmentPath)
      try swap(archive.manifestPath)
    case .dropSegment: try files.removeItem(atPath: segment)
    case .dropManifest: try files.removeItem(atPath: archive.manifestPath(tiny.entries[1]))
    case .dropLine: try FileBytes.write(lines[0] + lines[2], to: archive.catalogPath)
    case .repeatLine:
      try FileBytes.write(lines[0] + lines[1] + lines[1] + lines[2], to: archive.catalogPath)
    case .swapLines:
      try FileBytes.write(lines[1] + lines[0] + lines[2], to: archive.catalogPath)
    case .emptySegment: try FileBytes.write([], to: segment)
    case .segmentIsFolder:
      try files.removeItem(atPath: segment)
      try files.createDirectory(atPath: segment, withIntermediateDirectories: false)
    case .extraFile: try FileBytes.write([1], to: archive.storePath(tiny.history.identifier) + "/x")
    case .draft: try FileBytes.write([1], to: segment + ".partial-abc")
    case .draftAtTop: try FileBytes.write([1], to: archive.catalogPath + ".partial-abc")
    case .draftFolder:
      try files.createDirectory(
        atPath: segment + ".partial-abc", withIntermediateDirectories: false)
    case .extraSegment:
      try files.copyItem(
        atPath: segment,
        toPath: archive.storePath(tiny.history.identifier)
          + "/000000000007-000000000009.jsonl.zst")
    case .everybody:
      try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: segment)
    case .dropFolder: try files.removeItem(atPath: archive.storePath(tiny.history.identifier))
    case .unreadableCatalogSize:
      try FileBytes.write(
        Array(repeating: UInt8(ascii: "a"), count: 100_000) + [0x0A], to: archive.catalogPath)
    }
  }

  @Test(arguments: [
    (Change.swapSegments, [ArchiveFindingKind.damagedSegment: Int64(2)]),
    (.swapManifests, [.damagedManifest: 2]),
    (.swapBoth, [.damagedManifest: 2]),
    (.dropSegment, [.missingSegment: 1]),
    (.dropManifest, [.missingManifest: 1]),
    // Line 2 does not follow line 1, the files of the dropped one are in no line, and there is a gap.
    (.dropLine, [.damagedCatalog: 1, .unlistedSegment: 2, .archiveGap: 1]),
    (.repeatLine, [.damagedCatalog: 1]),
    (.swapLines, [.damagedCatalog: 3]),
    (.emptySegment, [.damagedSegment: 1]),
    (.segmentIsFolder, [.unreadableFile: 1]),
    (.extraFile, [.strayFile: 1]),
    (.draft, [.abandonedDraft: 1]),
    // No archive command removes these.
    (.draftAtTop, [.strayFile: 1]),
    (.draftFolder, [.strayFile: 1]),
    (.extraSegment, [.unlistedSegment: 1]),
    (.everybody, [.widePermissions: 1]),
    (.dropFolder, [.missingManifest: 3, .missingSegment: 3]),
    (.unreadableCatalogSize, [.damagedCatalog: 1, .unlistedSegment: 6]),
  ])
  func `exchanged, dropped, repeated and added parts are findings`(
    _ change: Change, _ found: [ArchiveFindingKind: Int64]
  ) throws {
    let archive = try TinyArchive([1...1, 2...3, 4...4])
    try Self.apply(change, to: archive)
    #expect(try archive.verify().counts == found)
  }

  @Test
  func `exchanged frames are findings with their segment`() throws {
    let folder = try TemporaryFolder()
    let history = try StoreHistory(
      path: LongHistory.write(
        to: folder.file("long.store"), transactions: 9000, changesEach: 2,
        sizes: [400: 16_000]))
    var made = try HandmadeArchive(in: folder.file("archive"))
    let entry = try made.add(
      history.transactions, store: history.identifier, schema: history.schema)
    let path = made.archive.segmentPath(entry)
    var options = ArchiveVerification.Options()
    options.decodesLines = true
    let sound = try ArchiveVerification(path: made.archive.path, options: options)
    #expect(sound.counts == [:])
    #expect(sound.facts.transactionCount == 9000)
    #expect(sound.facts.changeCount == 9000 * 2 - 2 + 16_000)
    #expect(sound.facts.textByteCount == Int64(history.lines.count))
    let frames = try made.archive.manifest(of: entry).frames
    try #require(frames.count > 4)
    // One of the frames goes on with a long line.
    #expect(frames.contains { $0.isContinuation })
    let bytes = try FileBytes.read(path)
    let (first, second) = (frames[frames.count - 2], frames[frames.count - 1])
    let middle = Int(second.offset)
    let end = middle + second.byteCount
    try FileBytes.write(
      Array(bytes[..<Int(first.offset)]) + bytes[middle..<end] + bytes[Int(first.offset)..<middle]
        + bytes[end...], to: path)
    for decodesLines in [false, true] {
      options.decodesLines = decodesLines
      let found = try ArchiveVerification(path: made.archive.path, options: options)
      #expect(found.names(path))
      #expect(found.findings.count(of: .damagedSegment) == 1)
      #expect(found.findings.count(of: .damagedFrame) >= 1)
    }
  }
}
