import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Flipped bits, cut files and logs: SQLite's own judgement is the truth.
@Suite(.bounded) struct DamagedFileTests {
  /// The number of transactions that SQLite shows, as whoever opens a copy sees it.
  private static func transactionCount(_ path: String) throws -> String {
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    return try StoreQuery(path: copy).lines("SELECT count(*) FROM ATRANSACTION").joined()
  }

  private static func storeInLog(_ folder: TemporaryFolder) throws -> (path: String, log: [UInt8]) {
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    return (path, try FileBytes.read(path + "-wal"))
  }

  private static let frame = 4096 + 24

  @Test
  func `a flipped bit in any frame of the log but the last ones is reported as damage`() throws {
    let folder = try TemporaryFolder()
    let (path, log) = try Self.storeInLog(folder)
    #expect(try StoreVerificationTests.counts(StoreVerificationTests.verify(path)) == [:])
    let frameCount = (log.count - 32) / Self.frame
    #expect(frameCount > 40)
    var random = SeededGenerator(seed: 11)
    // Each field of the header of a frame, then its page.
    let offsets = [0, 3, 5, 8, 13, 16, 21, 24, 1000]
    for frame in stride(from: 0, to: frameCount, by: 7) {
      for offset in offsets {
        var bytes = log
        bytes[32 + frame * Self.frame + offset] ^= 1 << UInt8.random(in: 0...7, using: &random)
        try FileBytes.write(bytes, to: path + "-wal")
        let found = try StoreFormatLog.condition(path)
        let isLast = frame == frameCount - 1
        if isLast {
          if case .unfinished = found { continue }
          #expect(found == .whole(frameCount: frame))
        } else {
          guard case .broken(let bad, let lostFrames, let lostSaves) = found else {
            Issue.record("frame \(frame) byte \(offset): \(found)")
            continue
          }
          #expect(bad == frame + 1 && lostFrames == frameCount - frame && lostSaves > 0)
        }
      }
    }
    // What SQLite then shows is less, and nothing but this says so.
    var bytes = log
    bytes[32 + frameCount * 3 / 4 * Self.frame + 100] ^= 1
    try FileBytes.write(bytes, to: path + "-wal")
    #expect(try Self.transactionCount(path) != "12")
    let counts = try StoreVerificationTests.counts(StoreVerificationTests.verify(path))
    #expect(counts[.damagedLog] == 1)
  }

  @Test
  func `a flipped bit in the header of the log makes it unusable`() throws {
    let folder = try TemporaryFolder()
    let (path, log) = try Self.storeInLog(folder)
    for byte in 0..<32 {
      for bit in 0..<8 {
        var bytes = log
        bytes[byte] ^= 1 << bit
        try FileBytes.write(bytes, to: path + "-wal")
        guard case .unusable = try StoreFormatLog.condition(path) else {
          Issue.record("byte \(byte), bit \(bit): \(try StoreFormatLog.condition(path))")
          continue
        }
      }
    }
  }

  @Test
  func `a log cut between saves looks complete, and one cut within a frame is reported`() throws {
    let folder = try TemporaryFolder()
    let (path, log) = try Self.storeInLog(folder)
    let frameCount = (log.count - 32) / Self.frame
    for frame in stride(from: 1, to: frameCount, by: 5) {
      try FileBytes.write(Array(log.prefix(32 + frame * Self.frame)), to: path + "-wal")
      // Only the last page of a save says how many pages the store has.
      let isEnd = log[32 + (frame - 1) * Self.frame + 4..<32 + (frame - 1) * Self.frame + 8]
        .contains { $0 != 0 }
      let found = try StoreFormatLog.condition(path)
      if isEnd {
        #expect(found == .whole(frameCount: frame))
      } else if case .unfinished(let first, .uncommitted(let count)) = found {
        #expect(first + count == frame + 1)
      } else {
        Issue.record("frame \(frame): \(found)")
      }
      try FileBytes.write(Array(log.prefix(32 + frame * Self.frame + 3000)), to: path + "-wal")
      #expect(try StoreFormatLog.condition(path) == .unfinished(frame: frame + 1, .cutFrame))
    }
    // As a full disk leaves it: there is nothing in it that could be lost.
    try FileBytes.write(Array(log.prefix(20)), to: path + "-wal")
    #expect(try StoreFormatLog.condition(path) == .unfinished(frame: 1, .cutFrame))
    try StoreLocation(path: path).checkLog()
  }

  @Test
  func `frames of an earlier log are ignored`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    let writer = try StoreQuery(path: path)
    try writer.run("PRAGMA wal_autocheckpoint = 0")
    for round in 0..<3 {
      for index in 0..<(30 - round * 10) {
        try writer.run("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + \(index) WHERE Z_ENT = 4")
      }
      // SQLite says how many frames there are.
      let truth = try writer.lines("PRAGMA wal_checkpoint(PASSIVE)")
      guard case .whole(let count) = try StoreFormatLog.condition(path) else {
        Issue.record("round \(round): \(try StoreFormatLog.condition(path))")
        continue
      }
      #expect(truth == ["0|\(count)|\(count)"] && count > 5, "\(round)")
      try writer.run("PRAGMA wal_checkpoint(RESTART)")
    }
  }

  @Test
  func `pages that SQLite's integrity check reports are damage, and every part is verified`() throws
  {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(SampleStore.write(to: folder.file("sample.store")))
    var random = SeededGenerator(seed: 5)
    var damaged = 0
    for index in 0..<150 {
      var bytes = original
      // The heads of pages and the cells behind, where SQLite's own structure is.
      let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[page + Int.random(in: 0..<64, using: &random)] ^= UInt8.random(
          in: 1...255, using: &random)
      }
      let path = folder.file("\(index).store")
      try FileBytes.write(bytes, to: path)
      let isDamaged: Bool
      do {
        let verification = try StoreVerificationTests.verify(path) { $0.checksAllTables = true }
        isDamaged = verification.findings.damageCount > 0
        if isDamaged { damaged += 1 }
      } catch let error as StoreError {
        // The first bytes are those of something else.
        if case .damaged = error { Issue.record("\(index): \(error)") }
        continue
      }
      let truth = (try? StoreQuery(path: path).lines("PRAGMA integrity_check")) ?? ["unreadable"]
      if truth != ["ok"] { #expect(isDamaged, "\(index): \(truth)") }
      #expect(try FileBytes.read(path) == bytes)
      for name in try folder.names() where name.hasPrefix("\(index).") { try folder.remove(name) }
    }
    #expect(damaged > 50)
  }

  @Test
  func `a store truncated at any position is damaged`() throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(SampleStore.write(to: folder.file("sample.store")))
    for count in stride(from: 4096, to: original.count, by: 4096 * 3 + 1000) {
      let path = folder.file("\(count).store")
      try FileBytes.write(Array(original.prefix(count)), to: path)
      #expect(try StoreVerificationTests.verify(path).findings.damageCount > 0, "\(count)")
    }
  }
}

/// The condition of a store's log.
enum StoreFormatLog {
  static func condition(_ path: String) throws -> LogCondition {
    try StoreLocation(path: path).logCondition()
  }
}
