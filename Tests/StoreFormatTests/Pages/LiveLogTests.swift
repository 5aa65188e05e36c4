import TestSupport
import Testing

@testable import StoreFormat

/// Pages of a store that others are writing to are those of the snapshot.
@Suite(.bounded, .needsOptimization) struct LiveLogTests {
  /// Compares pages with SQL, and both with rows that another connection read before.
  private static func compare(
    _ snapshot: StoreSnapshot, _ expected: [[StoredValue]], _ place: Comment
  ) throws {
    let read = try ReadRows.transactions(of: snapshot)
    #expect(snapshot.changePages != nil, place)
    snapshot.changePages = nil
    #expect(try ReadRows.transactions(of: snapshot) == read, place)
    let rows = read.flatMap { transaction in
      transaction.changes.map { change -> [StoredValue] in
        [
          .integer(transaction.number), .integer(change.number),
          .integer(change.kind?.rawValue ?? -1), .integer(change.entity ?? -1),
          .integer(change.primaryKey ?? -1), change.mask.map(StoredValue.blob) ?? .null,
        ]
      }
    }
    #expect(rows == expected, place)
  }

  private static let rows = """
    SELECT ZTRANSACTIONID, Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE
    ORDER BY ZTRANSACTIONID, Z_PK
    """

  /// Adds transactions, rewrites pages in the midst, and deletes the oldest.
  private static func save(_ writer: StoreQuery, _ generator: inout SeededGenerator) throws {
    let count = Int.random(in: 1...4, using: &generator)
    let factor = Int.random(in: 2...40, using: &generator)
    for _ in 0..<count {
      try writer.run(
        """
        BEGIN;
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
          SELECT max(Z_PK) + 1, 16002, 700000000.0 FROM ATRANSACTION;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(factor))
        INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
          SELECT 16001, 1, 4, i, (SELECT max(Z_PK) FROM ATRANSACTION), x'80' FROM n;
        COMMIT;
        UPDATE ACHANGE SET ZENTITYPK = ZENTITYPK + 1 WHERE Z_PK % \(factor) = 0
        """)
    }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      try writer.run(
        """
        BEGIN;
        DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= (SELECT min(Z_PK) FROM ATRANSACTION);
        DELETE FROM ATRANSACTION WHERE Z_PK = (SELECT min(Z_PK) FROM ATRANSACTION);
        COMMIT; PRAGMA incremental_vacuum(2)
        """)
    }
  }

  @Test
  func `pages have the rows of the snapshot during saves and checkpoints`() throws {
    for pageSize in [512, 4096] {
      let folder = try TemporaryFolder()
      var shape = StoreWriter.Shape()
      shape.pageSize = pageSize
      let path = try LongHistory.write(
        to: folder.file("x.store"), transactions: 60, changesEach: 8, shape: shape)
      let writer = try StoreQuery(path: path)
      try writer.run("PRAGMA wal_autocheckpoint = 0")
      let store = try StoreFile(path: path)
      var generator = SeededGenerator(seed: 17)
      for round in 0..<60 {
        let place: Comment = "round \(round), pages of \(pageSize) bytes"
        try Self.save(writer, &generator)
        // After a whole checkpoint the next save restarts the log.
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
        case 1: try writer.run("PRAGMA wal_checkpoint(RESTART)")
        case 2: try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
        default: break
        }
        if Bool.random(using: &generator) { try Self.save(writer, &generator) }
        let expected = try writer.rows(Self.rows)
        try store.read { snapshot in
          for _ in 0..<Int.random(in: 0...3, using: &generator) {
            try Self.save(writer, &generator)
            if Bool.random(using: &generator) { try writer.run("PRAGMA wal_checkpoint(PASSIVE)") }
          }
          try Self.compare(snapshot, expected, place)
        }
      }
    }
  }

  @Test
  func `pages have the rows of the snapshot if the log is restarted meanwhile`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 60, changesEach: 8)
    let writer = try StoreQuery(path: path)
    var generator = SeededGenerator(seed: 18)
    for size in 1...5 {
      for _ in 0..<size { try Self.save(writer, &generator) }
      try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
      let expected = try writer.rows(Self.rows)
      try StoreFile(path: path).read { snapshot in
        // The main file holds the snapshot, so the first save overwrites the beginning of the log.
        for _ in 0..<3 { try Self.save(writer, &generator) }
        try Self.compare(snapshot, expected, "size \(size)")
      }
    }
  }

  @Test
  func `pages are not read from a snapshot whose beginning was not observed`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 9, changesEach: 2, shape: shape)
    let store = try StoreFile(path: path)
    try store.readDatabase { database in
      _ = try StoreSnapshot(database: database, location: store.location)
      let later = try StoreSnapshot(database: database, location: store.location)
      #expect(later.changePages == nil)
      #expect(try ReadRows.transactions(of: later).count == 9)
    }
  }

  @Test(.enabled(if: HeldProcess.isPossible))
  func `pages agree with SQL while a process saves without pause`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 200, changesEach: 8)
    let script = """
      import select
      database = sqlite3.connect(path, timeout=30, isolation_level=None)
      database.execute('PRAGMA wal_autocheckpoint = 0')
      number = 200
      ready()
      while not select.select([sys.stdin], [], [], 0)[0]:
          number += 1
          database.execute('BEGIN IMMEDIATE')
          database.execute('INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)'
              ' VALUES (?, 16002, 1.5)', [number])
          for key in range(number % 30 + 1):
              database.execute('INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK,'
                  ' ZTRANSACTIONID) VALUES (16001, 0, 4, ?, ?)', [key, number])
          database.execute('UPDATE ACHANGE SET ZENTITYPK = ZENTITYPK + 1 WHERE Z_PK % 17 = ?',
              [number % 17])
          # As long as the history was at first, so that each round takes as long as the others.
          database.execute('DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?', [number - 200])
          database.execute('DELETE FROM ATRANSACTION WHERE Z_PK <= ?', [number - 200])
          database.execute('COMMIT')
          if number % 5 == 0:
              database.execute('PRAGMA wal_checkpoint(PASSIVE)')
          if number % 40 == 0:
              database.execute('PRAGMA busy_timeout = 20')
              database.execute('PRAGMA wal_checkpoint(TRUNCATE)')
              database.execute('PRAGMA busy_timeout = 30000')
      """
    let process = try #require(try HeldProcess(python: script, store: path))
    let store = try StoreFile(path: path)
    let rounds = Campaign.count(150, 150)
    var pageCount = 0
    var round = 0
    // Some snapshots begin in the moment of a commit, and many on a busy machine.
    while round < rounds || pageCount <= rounds / 2 && round < 10 * rounds {
      round += 1
      try store.read { snapshot in
        let read = try ReadRows.transactions(of: snapshot)
        if snapshot.changePages != nil { pageCount += 1 }
        snapshot.changePages = nil
        #expect(try ReadRows.transactions(of: snapshot) == read, "round \(round)")
      }
    }
    #expect(process.finish() == 0)
    #expect(pageCount > rounds / 2)
  }
}
