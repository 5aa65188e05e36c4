import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// Others may have the store open, or have left it in the middle of a save.
@Suite(.bounded, .enabled(if: HeldProcess.isPossible))
struct BusyStoreTests {
  private static func rollbackStore(in folder: TemporaryFolder) throws -> String {
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    return try SampleStore.write(to: folder.file("trips.store"), shape: shape)
  }

  @Test
  func `reading does not roll back the save of a killed writer`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path, shape: shape)
    try SampleStore.fill(writer)
    try writer.sql("CREATE TABLE ZFILLER (X BLOB)")
    for _ in 0..<200 { try writer.sql("INSERT INTO ZFILLER VALUES (zeroblob(3000))") }
    try writer.close()
    let saved = try FileBytes.read(path)
    let status = try HeldProcess.run(
      python: """
        database = sqlite3.connect(path, isolation_level=None)
        database.execute('PRAGMA cache_size = 1')
        database.execute('BEGIN IMMEDIATE')
        database.execute('UPDATE ZFILLER SET X = randomblob(3000)')
        os.kill(os.getpid(), signal.SIGKILL)
        """, store: path)
    #expect(status == 128 + 9)
    let store = try FileBytes.read(path)
    let journal = try FileBytes.read(path + "-journal")
    // The save was half way, or this would prove nothing.
    #expect(store != saved)
    #expect(!journal.isEmpty)
    #expect(throws: StoreError.unfinishedSave(path: path, journal: path + "-journal")) {
      try ReadRows.everything(of: path)
    }
    #expect(try FileBytes.read(path) == store)
    #expect(try FileBytes.read(path + "-journal") == journal)
    #expect(try folder.names() == ["trips.store", "trips.store-journal"])
  }

  @Test(arguments: [0, 512, 2000])
  func `a store with a journal that is not hot is read`(length: Int) throws {
    let folder = try TemporaryFolder()
    let path = try Self.rollbackStore(in: folder)
    try FileBytes.write([UInt8](repeating: 0, count: length), to: path + "-journal")
    #expect(try ReadRows.everything(of: path) == 12)
    #expect(try FileBytes.read(path + "-journal").count == length)
  }

  @Test
  func `a store is busy while another process locks it exclusively, in both journal modes`() throws
  {
    let folder = try TemporaryFolder()
    let rollback = try Self.rollbackStore(in: folder)
    let logged = try SampleStore.write(to: folder.file("logged.store"))
    for path in [rollback, logged] {
      let holder = try #require(
        try HeldProcess(
          python: """
            database = sqlite3.connect(path, isolation_level=None)
            database.execute('PRAGMA locking_mode = EXCLUSIVE')
            database.execute('BEGIN EXCLUSIVE')
            database.execute('DELETE FROM ACHANGE')
            ready(); wait()
            database.execute('ROLLBACK')
            """, store: path))
      #expect(throws: StoreError.busy(path: path, seconds: 0.125)) {
        try ReadRows.everything(of: path, busyTimeout: 0.125)
      }
      #expect(throws: StoreError.busy(path: path, seconds: 0)) {
        try ReadRows.everything(of: path, busyTimeout: 0)
      }
      #expect(holder.finish() == 0)
      #expect(try ReadRows.everything(of: path) == 12)
    }
  }

  @Test(arguments: [60, 1e300, Double.infinity])
  func `reading waits for a busy store up to the timeout`(timeout: Double) async throws {
    let folder = try TemporaryFolder()
    let path = try Self.rollbackStore(in: folder)
    let holder = try #require(
      try HeldProcess(
        python: """
          database = sqlite3.connect(path, isolation_level=None)
          database.execute('BEGIN EXCLUSIVE')
          ready(); wait()
          """, store: path))
    let reader = Task.detached { try ReadRows.everything(of: path, busyTimeout: timeout) }
    #expect(holder.finish() == 0)
    #expect(try await reader.value == 12)
  }

  @Test(arguments: [-1, Double.nan, -Double.infinity])
  func `a store that is not locked is read with a timeout of zero`(timeout: Double) throws {
    let folder = try TemporaryFolder()
    let path = try Self.rollbackStore(in: folder)
    #expect(try ReadRows.everything(of: path, busyTimeout: timeout) == 12)
  }

  @Test
  func `a snapshot stays the same while others save, and does not block them`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let save = """
      database = sqlite3.connect(path, timeout=0, isolation_level=None)
      database.execute('BEGIN IMMEDIATE')
      database.execute('INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (13, 16002, 1.5)')
      database.execute('DELETE FROM ATRANSACTION WHERE Z_PK = 12')
      database.execute('DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (11, 12)')
      database.execute('COMMIT')
      """
    let store = try StoreFile(path: path)
    #expect(store.accessMode == .shared)
    try store.read { snapshot in
      let selection = TransactionSelection()
      let rows = try snapshot.transactions(selection)
      let changes = try snapshot.changes(selection)
      #expect(try rows.next())
      let before = try ReadRows.transactions(of: snapshot)
      #expect(try HeldProcess.run(python: save, store: path) == 0)
      #expect(try ReadRows.transactions(of: snapshot) == before)
      #expect(try snapshot.newestTransaction()?.number == 12)
      var counts: [Int] = []
      repeat {
        try changes.start(transaction: rows.number)
        var count = 0
        while try changes.next() { count += 1 }
        counts.append(count)
      } while try rows.next()
      #expect(counts == [3, 2, 1, 3, 3, 2, 1, 3, 3, 2, 1, 3])
    }
    let after = try store.read { try ReadRows.transactions(of: $0) }
    #expect(after.map(\.number) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13])
    #expect(after.first { $0.number == 11 }?.changes.isEmpty == true)
  }

  @Test
  func `a writer that had the store open before can save during a snapshot`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let writer = try #require(
      try HeldProcess(
        python: """
          database = sqlite3.connect(path, timeout=0, isolation_level=None)
          database.execute('BEGIN IMMEDIATE')
          database.execute("INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (13, 16002, 0)")
          ready(); wait()
          database.execute('COMMIT')
          """, store: path))
    #expect(try ReadRows.everything(of: path, busyTimeout: 0) == 12)
    #expect(writer.finish() == 0)
    #expect(try ReadRows.everything(of: path) == 13)
  }
}
