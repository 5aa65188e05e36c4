import DurableFiles
import Foundation
import TestSupport
import Testing

@testable import StoreFormat

@Suite(.bounded) struct ClosedStoreTests {
  private static func open(_ path: String) throws -> StoreFile {
    try StoreFile(location: StoreLocation(path: path), manner: .withoutLock)
  }

  @Test(arguments: [true, false])
  func `a small closed store is read without leaving a file beside it`(usesLog: Bool) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let bytes = try FileBytes.read(path)
    let store = try Self.open(path)
    let rows = try store.readDatabase { database in
      try StatementRunner(database).rows("SELECT Z_PK || ' ' || ZTIMESTAMP FROM ATRANSACTION")
    }
    #expect(try folder.names() == ["trips.store"])
    #expect(try FileBytes.read(path) == bytes)
    #expect(store.accessMode == .privateCopy)
    #expect(
      try rows
        == StoreQuery(path: path).lines("SELECT Z_PK || ' ' || ZTIMESTAMP FROM ATRANSACTION")
        .map { [.text($0)] })
    #expect(try !store.isOutdated)
    try StoreQuery(path: path).run("CREATE TABLE ZMORE AS SELECT zeroblob(10000)")
    #expect(try store.isOutdated)
  }

  @Test
  func `a store with a log, a journal or more than a mebibyte is not a small closed store`() throws
  {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let location = try StoreLocation(path: path)
    func isRead() -> Bool { StoreConnection.openCopyInMemory(location) != nil }
    #expect(isRead())
    for ending in ["-wal", "-journal"] {
      try FileBytes.write([], to: path + ending)
      #expect(!isRead())
      try FileManager.default.removeItem(atPath: path + ending)
    }
    try StoreQuery(path: path).run("CREATE TABLE ZBIG AS SELECT zeroblob(1 << 20)")
    #expect(!isRead())
  }

  @Test(.enabled(if: HeldProcess.isPossible))
  func `a store is read in place while a program writes to it`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let writer = try #require(
      try HeldProcess(
        python: """
          connection = sqlite3.connect(path, isolation_level=None)
          connection.execute('BEGIN EXCLUSIVE')
          ready()
          wait()
          """, store: path))
    #expect(try StoreConnection.openCopyInMemory(StoreLocation(path: path)) == nil)
    #expect(writer.finish() == 0)
  }

  @Test(.enabled(if: HeldProcess.isPossible))
  func `a read is consistent while another program opens, saves and closes the store`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    // Each row has a page of its own, and each save changes all of them.
    let writer = try #require(
      try HeldProcess(
        python: """
          import threading, time
          connection = sqlite3.connect(path, isolation_level=None)
          connection.execute('CREATE TABLE ZPROBE (number, padding)')
          for row in range(100):
            connection.execute('INSERT INTO ZPROBE VALUES (0, randomblob(3000))')
          connection.close()
          ready()
          end = threading.Thread(target=wait)
          end.start()
          number = 0
          while end.is_alive():
            number += 1
            connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            connection.execute('BEGIN IMMEDIATE')
            connection.execute('UPDATE ZPROBE SET number = ?', (number,))
            connection.execute('COMMIT')
            connection.close()
            time.sleep(0.005)
          """, store: path))
    var copies = 0
    var numbers: Set<[StoredValue]> = []
    let start = ContinuousClock.now
    while copies < 50 || numbers.count < 10, start.secondsAgo < 20 {
      guard let store = try? Self.open(path) else { continue }
      let found = try store.readDatabase { database in
        let statement = StatementRunner(database)
        #expect(try statement.rows("PRAGMA quick_check") == [[.text("ok")]])
        return try statement.rows("SELECT DISTINCT number FROM ZPROBE")
      }
      #expect(found.count == 1)
      numbers.formUnion(found)
      if store.accessMode == .privateCopy { copies += 1 }
    }
    #expect(writer.finish() == 0)
    #expect(copies > 0 && numbers.count > 1)
  }

  @Test
  func `a store with an unusable log is copied, because SQLite would wait for its index`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = true
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let location = try StoreLocation(path: path)
    try FileBytes.write([], to: path + "-shm")
    try FileBytes.write([UInt8](repeating: 7, count: 10_000), to: path + "-wal")
    #expect(try AccessMode.leavingNothing(beside: location) == .privateCopy)
    #expect(try !location.hasUsableLog())
  }
}
