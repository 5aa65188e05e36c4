import Foundation
import TestSupport
import Testing

@testable import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What is not a store is told, and never read as one.
@Suite(.bounded) struct FileKindTests {
  private static func reason(_ bytes: [UInt8]) throws -> NotAStoreReason? {
    let folder = try TemporaryFolder()
    let path = folder.file("file")
    try FileBytes.write(bytes, to: path)
    do {
      try ReadRows.everything(of: path)
    } catch StoreError.notAStore(let named, let reason) {
      #expect(named == path)
      return reason
    }
    return nil
  }

  @Test
  func `a file other than a store is recognized by its first bytes`() throws {
    var generator = SeededGenerator(seed: 4)
    let random = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(try Self.reason([]) == .empty)
    #expect(try Self.reason([0]) == .notSQLite)
    #expect(try Self.reason(Array("A text, and not a short one.\n".utf8)) == .notSQLite)
    #expect(try Self.reason(Array("SQLite format 3\0".utf8)) == .notSQLite)
    #expect(
      try Self.reason(Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 83))
        == .notSQLite)
    #expect(try Self.reason(random) == .notSQLite)
    #expect(try Self.reason(Array("sqlite format 3\0".utf8) + random) == .notSQLite)
  }

  @Test
  func `a directory or a pipe is refused`() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(throws: StoreError.notAStore(path: pipe, reason: .notAFile(kind: "pipe"))) {
      try StoreFile(path: pipe)
    }
    #expect(
      throws: StoreError.notAStore(path: folder.path, reason: .notAFile(kind: "directory"))
    ) {
      try StoreFile(path: folder.path)
    }
    #expect(throws: StoreError.notAStore(path: "/dev/null", reason: .notAFile(kind: "device"))) {
      try StoreFile(path: "/dev/null")
    }
    // SQLite would wait for a program that writes into the pipe.
    let store = try SampleStore.write(to: folder.file("trips.store"))
    try #require(mkfifo(store + "-journal", 0o600) == 0)
    #expect(
      throws: StoreError.obstructed(path: store, file: "\(store)-journal", kind: "pipe")
    ) {
      try StoreFile(path: store)
    }
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `another SQLite database is refused`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("other.db")
    let sqlite = try #require(Tool("sqlite3"))
    let run = try await sqlite.run([path, "CREATE TABLE ATRANSACTION (Z_PK); VACUUM"])
    #expect(run.status == 0)
    #expect(throws: StoreError.notAStore(path: path, reason: .withoutCoreDataTables)) {
      try ReadRows.everything(of: path)
    }
  }

  /// Reads bytes as a store; what comes must be an answer or a `StoreError`.
  private static func survives(_ bytes: [UInt8], in folder: TemporaryFolder, _ what: String) throws
  {
    let path = folder.file("store")
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    try FileBytes.write(bytes, to: path)
    do {
      try ReadRows.everything(of: path, busyTimeout: 0)
    } catch let error as StoreError {
      #expect(error.path == path, "\(what)")
      #expect(!error.message.isEmpty && !error.remedy.isEmpty)
    } catch {
      Issue.record("\(what): \(type(of: error)): \(error)")
    }
    // Whatever it was, it is as it was.
    #expect(try FileBytes.read(path) == bytes, "\(what)")
  }

  private static func sample() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    return try FileBytes.read(SampleStore.write(to: folder.file("trips.store"), shape: shape))
  }

  @Test
  func `a store truncated at any position is an error or read`() throws {
    let bytes = try Self.sample()
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 11)
    var lengths = [1, 15, 16, 99, 100, 101, 511, 512, 1024, 4095, 4096, 4097, bytes.count - 1]
    lengths += stride(from: 8192, to: bytes.count, by: 4096)
    lengths += (0..<40).map { _ in Int.random(in: 100..<bytes.count, using: &generator) }
    for length in lengths {
      try Self.survives(Array(bytes.prefix(length)), in: folder, "cut to \(length)")
    }
  }

  @Test(arguments: 0..<4)
  func `a store with any changed byte in its header is an error or read`(quarter: Int) throws {
    let bytes = try Self.sample()
    let folder = try TemporaryFolder()
    for offset in quarter * 25..<quarter * 25 + 25 {
      for change: UInt8 in [0x03, 0xff] {
        var damaged = bytes
        damaged[offset] ^= change
        try Self.survives(damaged, in: folder, "header byte \(offset) ^ \(change)")
      }
    }
  }

  @Test(arguments: 0..<4)
  func `a store with changed bytes in its pages is an error or read`(part: Int) throws {
    let bytes = try Self.sample()
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: UInt64(100 + part))
    for round in 0..<24 {
      var damaged = bytes
      // The schema's page is hit often: it steers everything else.
      let range = round % 3 == 0 ? 100..<4096 : 100..<bytes.count
      for _ in 0..<Int.random(in: 1...24, using: &generator) {
        damaged[Int.random(in: range, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      try Self.survives(damaged, in: folder, "round \(round) of part \(part)")
    }
  }

  @Test
  func `a store with a truncated or changed log is an error or read`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let store = try FileBytes.read(path)
    let log = try FileBytes.read(path + "-wal")
    var generator = SeededGenerator(seed: 21)
    for round in 0..<40 {
      var damaged = log
      if round % 2 == 0 {
        damaged.removeLast(Int.random(in: 1...log.count, using: &generator))
      } else {
        damaged[Int.random(in: 0..<(round % 4 == 1 ? 32 : log.count), using: &generator)] ^= 0x55
      }
      unlink(path + "-shm")
      try FileBytes.write(damaged, to: path + "-wal")
      do {
        // SQLite goes by the commits that are whole, so there may be fewer transactions, never more.
        #expect(try ReadRows.everything(of: path, busyTimeout: 0) <= 12)
      } catch is StoreError {}
      #expect(try FileBytes.read(path) == store)
      #expect(try FileBytes.read(path + "-wal") == damaged)
    }
  }
}
