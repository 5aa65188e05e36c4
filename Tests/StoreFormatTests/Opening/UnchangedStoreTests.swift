import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// Reading leaves the store and its log as they are.
@Suite(.bounded) struct UnchangedStoreTests {
  @Test
  func `reading keeps every byte of a store and its log`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    #expect(try folder.names() == ["trips.store", "trips.store-wal"])
    let store = try FileBytes.read(path)
    let log = try FileBytes.read(path + "-wal")
    #expect(try ReadRows.everything(of: path) == 12)
    #expect(try FileBytes.read(path) == store)
    #expect(try FileBytes.read(path + "-wal") == log)
    #expect(try folder.names() == ["trips.store", "trips.store-shm", "trips.store-wal"])
  }

  @Test
  func `reading creates at most an empty log and its index`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    #expect(try folder.names() == ["trips.store"])
    let store = try FileBytes.read(path)
    #expect(try ReadRows.everything(of: path) == 12)
    #expect(try FileBytes.read(path) == store)
    let allowed: Set = ["trips.store", "trips.store-shm", "trips.store-wal"]
    #expect(try allowed.isSuperset(of: folder.names()))
    if FileManager.default.fileExists(atPath: path + "-wal") {
      #expect(try FileBytes.read(path + "-wal").isEmpty)
    }
  }

  @Test
  func `reading creates no file beside a store with a rollback journal`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let store = try FileBytes.read(path)
    #expect(try ReadRows.everything(of: path) == 12)
    #expect(try FileBytes.read(path) == store)
    #expect(try folder.names() == ["trips.store"])
  }

  @Test
  func `a history that is only in the log is read`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    var shape = StoreWriter.Shape()
    try StoreWriter(path: path, shape: shape).close()
    let emptyStore = try FileBytes.read(path)
    shape.keepsLog = true
    let other = try TemporaryFolder()
    let full = try SampleStore.write(to: other.file("trips.store"), shape: shape)
    #expect(try ReadRows.everything(of: path) == 0)
    #expect(try ReadRows.everything(of: full) == 12)
    // Without its log, that store is not even one.
    try FileManager.default.removeItem(atPath: full + "-wal")
    #expect(throws: StoreError.self) { try ReadRows.everything(of: full) }
    #expect(try FileBytes.read(path) == emptyStore)
  }

  @Test(arguments: [0, 1, 32_768, 40_000])
  func `a store with a stale log index is read correctly`(length: Int) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    var generator = SeededGenerator(seed: UInt64(length))
    let index = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try FileBytes.write(index, to: path + "-shm")
    let log = try FileBytes.read(path + "-wal")
    #expect(try ReadRows.everything(of: path) == 12)
    #expect(try FileBytes.read(path + "-wal") == log)
  }

  @Test(.needsRealStores)
  func `reading keeps every byte of a real store`() throws {
    for source in RealStores.paths {
      let folder = try TemporaryFolder()
      let path = try folder.copy(store: source)
      let before = try folder.names()
      let store = try FileBytes.read(path)
      let log = before.count == 2 ? try FileBytes.read(path + "-wal") : []
      try ReadRows.everything(of: path)
      #expect(try FileBytes.read(path) == store, "\(path)")
      let after = try folder.names()
      if after.contains(where: { $0.hasSuffix("-wal") }) {
        #expect(try FileBytes.read(path + "-wal") == log, "\(path)")
      }
      #expect(after.count <= 3 && !after.contains { $0.hasSuffix("-journal") }, "\(path)")
    }
  }

  @Test(.enabled(if: RealStores.path("swiftdata-rm-1wal.store") != nil))
  func `the history in the log of a real store is read`() throws {
    let folder = try TemporaryFolder()
    let source = try #require(RealStores.path("swiftdata-rm-1wal.store"))
    let path = try folder.copy(store: source)
    #expect(try ReadRows.everything(of: path) == 13)
    let alone = folder.file("alone.store")
    try FileBytes.write(try FileBytes.read(source), to: alone)
    #expect(try ReadRows.everything(of: alone) == 0)
  }
}
