import Foundation
import GRDB
import GRDBSQLite
import TestSupport
import Testing

@testable import StoreFormat

/// The states of a log are those that SQLite gives of copies whose log is cut.
@Suite(.bounded) struct LogStatesTests {
  private static let tables = ["ACHANGE", "ATRANSACTION", "x"]

  /// Writes a store whose log has many commits: rows come and go, and the file grows and shrinks.
  private static func write(
    pageSize: Int, seed: UInt64, commits: Int
  ) throws -> (folder: TemporaryFolder, path: String, writer: StoreQuery) {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.pageSize = pageSize
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 20, changesEach: 6, shape: shape)
    let writer = try StoreQuery(path: path)
    try writer.run(
      """
      PRAGMA wal_autocheckpoint = 0; CREATE TABLE x (i INTEGER PRIMARY KEY, v);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO x SELECT i, zeroblob(i * 11) FROM n; PRAGMA wal_checkpoint(TRUNCATE)
      """)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<commits { try save(writer, &generator) }
    return (folder, path, writer)
  }

  private static func save(_ writer: StoreQuery, _ generator: inout SeededGenerator) throws {
    let key = Int.random(in: 1...80, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: try writer.run("DELETE FROM x WHERE i % 17 = \(key % 17)")
    case 1: try writer.run("INSERT OR REPLACE INTO x VALUES (\(key), randomblob(\(key * 40)))")
    case 2: try writer.run("PRAGMA incremental_vacuum(3)")
    case 3:
      // A page that is written without being changed.
      try writer.run("UPDATE x SET v = v WHERE i = \(key)")
    default:
      try writer.run(
        """
        BEGIN; INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
          SELECT max(Z_PK) + 1, 16002, 700000000.0 FROM ATRANSACTION;
        UPDATE x SET v = \(key) WHERE i = \(key); COMMIT
        """)
    }
  }

  private static func rows(_ query: (String) throws -> [[StoredValue]]) rethrows -> [[StoredValue]]
  {
    try tables.flatMap { try query("SELECT * FROM \($0) ORDER BY 1") }
  }

  private static func truth(_ truth: LogTruth) throws -> [[[StoredValue]]] {
    let folder = try TemporaryFolder()
    return try (0..<truth.count).map { state in
      let copy = try truth.open(state, in: folder)
      return try rows(copy.rows)
    }
  }

  /// Reads all states; `nil` for one that is not known.
  private static func read(_ snapshot: StoreSnapshot) throws -> [[[StoredValue]]?] {
    let states = try snapshot.logStates()
    let state = try LogState(states, at: 0)
    var found: [[[StoredValue]]?] = []
    for number in 0..<states.count {
      state.move(to: number)
      found.append(try state.read { statement in try rows { try statement.rows($0) } })
    }
    return found
  }

  @Test
  func `a statement that outlives its state still reads the file`() throws {
    let (folder, path, writer) = try Self.write(pageSize: 512, seed: 5, commits: 20)
    try withExtendedLifetime((folder, writer)) {
      try StoreFile(path: path).read { snapshot in
        let states = try snapshot.logStates()
        var statement: OpaquePointer?
        var state: LogState? = try LogState(states, at: states.count - 1)
        let expected = try state?.read { try $0.rows("SELECT Z_PK FROM ATRANSACTION").count }
        _ = try state?.inDatabase {
          sqlite3_prepare_v2(
            $0.sqliteConnection, "SELECT * FROM ATRANSACTION", -1, &statement, nil)
        }
        state = nil
        var count = 0
        while sqlite3_step(statement) == SQLITE_ROW { count += 1 }
        #expect(count == expected)
        #expect(sqlite3_finalize(statement) == SQLITE_OK)
      }
    }
  }

  @Test(arguments: [512, 4096])
  func `every state is that of a cut log`(pageSize: Int) throws {
    let (folder, path, writer) = try Self.write(pageSize: pageSize, seed: 5, commits: 60)
    try withExtendedLifetime((folder, writer)) {
      let truth = try LogTruth(path: path)
      let expected = try Self.truth(truth)
      #expect(expected.count > 30)
      try StoreFile(path: path).read { snapshot in
        let states = try snapshot.logStates()
        #expect(states.count == truth.count)
        #expect(states.firstWholeState == 0)
        let found = try Self.read(snapshot)
        #expect(found == expected.map(Optional.some))
        // Moving to and fro makes no difference.
        let state = try LogState(states, at: truth.count - 1)
        for number in [3, 30, 0, 29, 1] {
          state.move(to: number)
          let rows = try state.read { statement in try Self.rows { try statement.rows($0) } }
          #expect(rows == expected[number])
        }
      }
      #expect(try FileBytes.read(path) == truth.store)
      #expect(try FileBytes.read(path + "-wal") == truth.log)
    }
  }

  @Test func `a private copy has the same states`() throws {
    let (folder, path, writer) = try Self.write(pageSize: 4096, seed: 6, commits: 20)
    try withExtendedLifetime((folder, writer)) {
      let expected = try Self.truth(LogTruth(path: path))
      let copy = try StoreConnection.open(
        StoreLocation(path: path), mode: .privateCopy, busyTimeout: 1)
      let file = StoreFile(
        location: try StoreLocation(path: path), queue: copy, busyTimeout: 1)
      let found = try file.read { try Self.read($0) }
      #expect(found == expected.map(Optional.some))
    }
  }

  /// A checkpoint that a crash ended, or that a reader limited, writes pages in ascending order; whatever it has
  /// overwritten is not known, and nothing is wrong.
  @Test(arguments: [UInt64(1), 2, 3])
  func `an unfinished checkpoint adds no rows to a state`(seed: UInt64) throws {
    let (folder, path, writer) = try Self.write(pageSize: 1024, seed: seed, commits: 16)
    let truth = try withExtendedLifetime((folder, writer)) { try LogTruth(path: path) }
    let expected = try Self.truth(truth)
    let pages = truth.pages
    var generator = SeededGenerator(seed: seed)
    var knownCount = 0
    for _ in 0..<40 {
      // The log had `count` frames, and a reader stood on the commit `end`.
      let last = Int.random(in: 1..<truth.count, using: &generator)
      let end = Int.random(in: 1...last, using: &generator)
      var written: [UInt32: Int] = [:]
      for frame in 0..<truth.frameCount(of: last) { written[pages[frame]] = frame }
      let order = written.filter { $0.value < truth.frameCount(of: end) }.keys.sorted()
      let done = Int.random(in: 0...order.count, using: &generator)
      var store = truth.store
      for page in order.prefix(done) {
        guard let frame = written[page] else { continue }
        let start = Int(page - 1) * truth.pageSize
        if store.count < start + truth.pageSize {
          store += [UInt8](repeating: 0, count: start + truth.pageSize - store.count)
        }
        store.replaceSubrange(start..<start + truth.pageSize, with: truth.content(ofFrame: frame))
      }
      let inner = try TemporaryFolder()
      let copy = inner.file("y.store")
      try FileBytes.write(store, to: copy)
      try FileBytes.write(truth.log, to: copy + "-wal")
      try StoreFile(path: copy).read { snapshot in
        let states = try snapshot.logStates()
        let found = try Self.read(snapshot)
        for (number, rows) in found.enumerated() {
          guard let rows else {
            #expect(number < states.firstWholeState, "state \(number)")
            continue
          }
          knownCount += 1
          #expect(rows == expected[number], "state \(number), \(done) of \(order.count) pages")
        }
        if done == 0 { #expect(!found.contains(nil)) }
        #expect(found.last ?? nil != nil)
      }
    }
    #expect(knownCount > 0)
  }

  @Test func `concurrent saves and checkpoints add no rows to a state`() throws {
    var generator = SeededGenerator(seed: 9)
    for round in 0..<12 {
      let (folder, path, writer) = try Self.write(pageSize: 1024, seed: UInt64(round), commits: 12)
      defer { withExtendedLifetime(folder) {} }
      let expected = try Self.truth(LogTruth(path: path))
      try StoreFile(path: path).read { snapshot in
        let states = try snapshot.logStates()
        let state = try LogState(states, at: 0)
        for number in 0..<states.count {
          if Int.random(in: 0..<3, using: &generator) == 0 {
            try Self.save(writer, &generator)
            try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
          }
          state.move(to: number)
          guard
            let rows = try state.read({ statement in try Self.rows { try statement.rows($0) } })
          else { continue }
          #expect(rows == expected[number], "round \(round), state \(number)")
        }
      }
    }
  }

  @Test func `a log restarted meanwhile has no known states`() throws {
    let (folder, path, writer) = try Self.write(pageSize: 1024, seed: 4, commits: 12)
    let expected = try Self.truth(LogTruth(path: path))
    defer { withExtendedLifetime(folder) {} }
    var generator = SeededGenerator(seed: 3)
    try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
    try StoreFile(path: path).read { snapshot in
      let states = try snapshot.logStates()
      let state = try LogState(states, at: states.count - 1)
      // The log is in the main file as a whole, so this begins it anew.
      for _ in 0..<4 { try Self.save(writer, &generator) }
      for number in 0..<states.count {
        state.move(to: number)
        let rows = try state.read { statement in try Self.rows { try statement.rows($0) } }
        #expect(rows == nil || rows == expected[number])
      }
    }
  }

  @Test func `a state cannot be read after its snapshot ended`() throws {
    let (folder, path, writer) = try Self.write(pageSize: 1024, seed: 4, commits: 3)
    try withExtendedLifetime((folder, writer)) {
      let state = try StoreFile(path: path).read { try LogState($0.logStates(), at: 1) }
      #expect(throws: StoreError.endedSnapshot(path: path)) {
        _ = try state.read { _ in 0 }
      }
    }
  }

  @Test func `a store without a log has no states`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("x.store"), transactions: 3, changesEach: 2)
    #expect(throws: LogStates.Problem.empty) {
      try StoreFile(path: path).read { _ = try $0.logStates() }
    }
  }

  /// Whatever a log holds, reading its states ends, and gives rows or nothing.
  @Test func `damaged logs have fewer states`() throws {
    let (folder, path, writer) = try Self.write(pageSize: 512, seed: 8, commits: 10)
    let truth = try withExtendedLifetime((folder, writer)) { try LogTruth(path: path) }
    let expected = try Self.truth(truth)
    var generator = SeededGenerator(seed: 21)
    for round in 0..<60 {
      var log = truth.log
      switch round % 4 {
      case 0: log.removeLast(Int.random(in: 1..<log.count - 40, using: &generator))
      case 1: log[Int.random(in: 0..<log.count, using: &generator)] ^= 1
      case 2:
        // A commit that claims another size; its checksum is wrong then.
        log[truth.ends[3] - 512 - 20] = 0x7f
      default:
        for _ in 0..<50 { log[Int.random(in: 32..<log.count, using: &generator)] = 0xff }
      }
      let folder = try TemporaryFolder()
      let copy = folder.file("y.store")
      try FileBytes.write(truth.store, to: copy)
      try FileBytes.write(log, to: copy + "-wal")
      try StoreFile(path: copy).read { snapshot in
        guard (try? snapshot.logStates()) != nil else { return }
        for (number, rows) in try Self.read(snapshot).enumerated() {
          #expect(rows == nil || rows == expected[number], "round \(round), state \(number)")
        }
      }
    }
  }
}
