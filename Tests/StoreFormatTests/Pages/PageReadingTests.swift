import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// Changes that are read from pages are those that SQLite reads.
@Suite(.bounded) struct PageReadingTests {
  private typealias Row = [(column: String, value: StoredValue)]

  /// Writes a store whose changes are as odd as a file can hold them, in the order of transactions.
  private static func writeOddStore(
    _ folder: TemporaryFolder, seed: UInt64, count: Int, shape: StoreWriter.Shape
  ) throws -> String {
    var generator = SeededGenerator(seed: seed)
    let writer = try StoreWriter(path: folder.file("odd\(seed).store"), shape: shape)
    let transactionCount = max(count / 7, 1)
    for number in 1...transactionCount {
      try writer.transaction(Int64(number), author: number % 3 == 0 ? "widget" : nil)
    }
    var number: Int64 = seed % 2 == 0 ? 1 << 40 : 0
    var rows: [Row] = []
    for index in 0..<count {
      number += Int64.random(in: 1...(index % 100 == 99 ? 500 : 2), using: &generator)
      rows.append(
        oddRow(number, Int64(index * transactionCount / count + 1), shape, &generator))
    }
    try writer.insert(into: "ACHANGE", rows)
    try writer.close()
    return writer.path
  }

  private static func oddRow(
    _ number: Int64, _ transaction: Int64, _ shape: StoreWriter.Shape,
    _ generator: inout SeededGenerator
  ) -> Row {
    let kind = Int64.random(in: 0...2, using: &generator)
    var row: Row = [
      ("Z_PK", .integer(number)), ("Z_ENT", .integer(16001)), ("ZCHANGETYPE", .integer(kind)),
      ("ZENTITY", .integer(.random(in: 1...400, using: &generator))),
      ("ZENTITYPK", oddInteger(&generator)), ("ZTRANSACTIONID", .integer(transaction)),
    ]
    if kind == 1 {
      let length = [0, 1, 2, 3, 9, 40].randomElement(using: &generator) ?? 1
      row.append(
        ("ZCOLUMNS", .blob((0..<length).map { _ in .random(in: 0...255, using: &generator) })))
    }
    if kind == 2 {
      for slot in 0..<shape.tombstoneColumns where Bool.random(using: &generator) {
        row.append(("ZTOMBSTONE\(slot)", oddValue(&generator)))
      }
    }
    if Int.random(in: 0..<40, using: &generator) == 0 {
      let odd: Row = [
        ("Z_OPT", .integer(7)), ("Z_ENT", .null), ("ZCHANGETYPE", .integer(9)),
        ("ZENTITY", .text("many")), ("ZENTITYPK", .real(2.5)), ("ZENTITYPK", .null),
        ("ZCOLUMNS", .text("mask")), ("ZCOLUMNS", .blob(Array(repeating: 5, count: 9000))),
        ("ZCOLUMNS", .integer(1)),
      ]
      guard let chosen = odd.randomElement(using: &generator) else { return row }
      row.removeAll { $0.column == chosen.column }
      row.append(chosen)
    }
    return row
  }

  private static func oddInteger(_ generator: inout SeededGenerator) -> StoredValue {
    let bits = [0, 1, 7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 62].randomElement(using: &generator)
    let value = Int64(1) << Int64(bits ?? 0)
    return .integer([value, value - 1, -value, -value - 1].randomElement(using: &generator) ?? 0)
  }

  private static func oddValue(_ generator: inout SeededGenerator) -> StoredValue {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: .null
    case 1: oddInteger(&generator)
    case 2: .real(.random(in: -1e300...1e300, using: &generator))
    case 3: .real([0.0, -0.0, .infinity, 5].randomElement(using: &generator) ?? 0)
    case 4: .text(String(repeating: "Grüße ✈️", count: .random(in: 0...30, using: &generator)))
    case 5: .malformedText([0x61, 0xff, 0x00, 0x62])
    case 6: .text(String(repeating: "long", count: 3000))
    default: .blob((0..<Int.random(in: 0...50, using: &generator)).map { UInt8($0) })
    }
  }

  /// Compares pages with SQL; returns whether pages were read at all.
  @discardableResult
  private static func compare(
    _ path: String, _ selection: TransactionSelection = TransactionSelection()
  ) throws -> Bool {
    let file = try StoreFile(path: path)
    return try file.read { snapshot in
      let read = try ReadRows.transactions(of: snapshot, selection)
      #expect(try kinds(snapshot, selection) == read.map { $0.changes.map(\.kind) })
      let hasPages = snapshot.changePages != nil
      snapshot.changePages = nil
      #expect(try ReadRows.transactions(of: snapshot, selection) == read)
      #expect(try kinds(snapshot, selection) == read.map { $0.changes.map(\.kind) })
      // Looks up each transaction by itself.
      var lookup = selection
      lookup.limit = .max
      #expect(try ReadRows.transactions(of: snapshot, lookup) == read)
      return hasPages
    }
  }

  private static func kinds(
    _ snapshot: StoreSnapshot, _ selection: TransactionSelection
  ) throws -> [[ChangeKind?]] {
    let transactions = try snapshot.transactions(selection, onlyPositions: true)
    let changes = try transactions.changes(.kinds)
    var kinds: [[ChangeKind?]] = []
    while try transactions.next() {
      kinds.append([])
      while try changes.next() { kinds[kinds.count - 1].append(changes.kind) }
    }
    return kinds
  }

  @Test(arguments: [
    512, 1024, 4096, 65536,
  ])
  func `irregular rows are read as SQLite reads them, for every page size`(pageSize: Int) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.pageSize = pageSize
    for seed in 1...3 as ClosedRange<UInt64> {
      let path = try Self.writeOddStore(folder, seed: seed, count: 1000, shape: shape)
      #expect(try Self.compare(path))
      try StoreFile(path: path).read { (snapshot: StoreSnapshot) throws -> Void in
        #expect(try snapshot.storedChangeRows(ofTransactions: .min ... .max) != nil)
      }
      for (after, until) in [(0, 3), (40, 90), (100, 101), (120, 500), (141, 142)] {
        let selection = TransactionSelection(after: Int64(after), until: Int64(until))
        #expect(try Self.compare(path, selection))
      }
    }
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `text in another encoding is left to SQLite`(encoding: String) throws {
    var shape = StoreWriter.Shape()
    shape.encoding = encoding
    let folder = try TemporaryFolder()
    #expect(try Self.compare(Self.writeOddStore(folder, seed: 9, count: 400, shape: shape)))
  }

  @Test
  func `rows in the log are read`() throws {
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let folder = try TemporaryFolder()
    #expect(try Self.compare(Self.writeOddStore(folder, seed: 4, count: 60, shape: shape)))
  }

  @Test
  func `the snapshot stays the same while others save and checkpoint`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.writeOddStore(folder, seed: 6, count: 900, shape: StoreWriter.Shape())
    let before = try StoreFile(path: path).read { try ReadRows.transactions(of: $0) }
    try StoreFile(path: path).read { snapshot in
      _ = try snapshot.newestTransaction()
      try #require(snapshot.changePages != nil)
      try StoreQuery(path: path).run(
        "DELETE FROM ACHANGE WHERE Z_PK % 2 OR ZTRANSACTIONID > 20;"
          + "DELETE FROM ATRANSACTION WHERE Z_PK > 20;"
          + "VACUUM; PRAGMA wal_checkpoint(PASSIVE)")
      #expect(try ReadRows.transactions(of: snapshot) == before)
    }
    try Self.compare(path)
  }

  @Test(arguments: [
    "ALTER TABLE ACHANGE ADD COLUMN ZLATER INTEGER DEFAULT 5",
    "ALTER TABLE ACHANGE ADD COLUMN ZTWICE AS (Z_PK * 2)",
  ])
  func `a table with calculated columns is left to SQLite`(
    sql: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try Self.writeOddStore(folder, seed: 7, count: 60, shape: StoreWriter.Shape())
    try StoreQuery(path: path).run(sql)
    #expect(try !Self.compare(path))
  }

  @Test
  func `columns may be in any order, and columns of real affinity are left to SQLite`()
    throws
  {
    let names = "Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
    for (columns, isRead) in [
      (
        "ZCOLUMNS BLOB, ZTOMBSTONE1 REAL, ZTOMBSTONE0 TEXT, ZENTITYPK INTEGER, ZOTHER BLOB,"
          + "ZTRANSACTIONID INTEGER, Z_PK INTEGER PRIMARY KEY, ZENTITY BIGINT, ZCHANGETYPE INT,"
          + "Z_OPT INTEGER, Z_ENT INTEGER", true
      ),
      (
        "ZCOLUMNS BLOB, ZTOMBSTONE1 BLOB, ZTOMBSTONE0 BLOB, ZENTITYPK REAL, ZOTHER BLOB,"
          + "ZTRANSACTIONID INTEGER, Z_PK INTEGER PRIMARY KEY, ZENTITY INTEGER, ZCHANGETYPE INTEGER,"
          + "Z_OPT INTEGER, Z_ENT INTEGER", false
      ),
    ] {
      for ending in ["", " WITHOUT ROWID"] {
        let folder = try TemporaryFolder()
        let path = try Self.writeOddStore(folder, seed: 8, count: 80, shape: StoreWriter.Shape())
        try StoreQuery(path: path).run(
          """
          ALTER TABLE ACHANGE RENAME TO before; CREATE TABLE ACHANGE (\(columns))\(ending);
          INSERT INTO ACHANGE (\(names), ZTOMBSTONE0, ZTOMBSTONE1)
            SELECT \(names), ZTOMBSTONE0, ZTOMBSTONE1 FROM before;
          UPDATE ACHANGE SET ZOTHER = 'x' WHERE Z_PK % 5 = 0;
          DROP TABLE before;
          CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)
          """)
        guard ending.isEmpty else {
          #expect(throws: StoreError.self) { try Self.compare(path) }
          continue
        }
        #expect(try Self.compare(path) == isRead)
      }
    }
  }

  @Test
  func `rows stored out of the order of their transactions are read`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.writeOddStore(folder, seed: 5, count: 300, shape: StoreWriter.Shape())
    try StoreQuery(path: path).run(
      "UPDATE ACHANGE SET ZTRANSACTIONID = 1 WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE)")
    try StoreFile(path: path).read { (snapshot: StoreSnapshot) throws -> Void in
      #expect(try snapshot.storedChangeRows(ofTransactions: .min ... .max) == nil)
      #expect(try snapshot.storedChangeRows(ofTransactions: 2...40) != nil)
    }
    #expect(try Self.compare(path))
    try StoreFile(path: path).read { (snapshot: StoreSnapshot) throws -> Void in
      let first = try ReadRows.transactions(of: snapshot, TransactionSelection(until: 1))
      #expect(try first[0].changes.last?.number == snapshot.highestChangeNumber())
    }
  }

  @Test
  func `rows of other transactions and of none are skipped`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.writeOddStore(folder, seed: 10, count: 300, shape: StoreWriter.Shape())
    try StoreQuery(path: path).run(
      """
      UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE ZTRANSACTIONID = 12 AND Z_PK % 2;
      UPDATE ACHANGE SET ZTRANSACTIONID = 40 WHERE ZTRANSACTIONID = 14;
      DELETE FROM ATRANSACTION WHERE Z_PK = 16
      """)
    let selection = TransactionSelection(after: 10, until: 20)
    var unchecked = selection
    unchecked.checksCompleteness = false
    #expect(try Self.compare(path, unchecked))
    #expect(throws: StoreError.self) { try ReadRows.transactions(of: path, selection) }
  }

  @Test
  func `a row that the index lists under another transaction is damage`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.writeOddStore(folder, seed: 13, count: 300, shape: StoreWriter.Shape())
    // SQLite updates the index by the definition that it reads from the schema.
    try StoreQuery(path: path).run(
      """
      PRAGMA writable_schema = ON;
      CREATE TABLE saved AS SELECT * FROM sqlite_master
        WHERE name = 'ACHANGE_ZTRANSACTIONID_INDEX';
      DELETE FROM sqlite_master WHERE name = 'ACHANGE_ZTRANSACTIONID_INDEX';
      """)
    try StoreQuery(path: path).run(
      """
      UPDATE ACHANGE SET ZTRANSACTIONID = 20 WHERE ZTRANSACTIONID = 30;
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_master SELECT * FROM saved; DROP TABLE saved
      """)
    for hasPages in [true, false] {
      try StoreFile(path: path).read { (snapshot: StoreSnapshot) throws -> Void in
        if !hasPages { snapshot.changePages = nil }
        #expect(try snapshot.storedChangeRows(ofTransactions: .min ... .max) != nil)
        #expect {
          try ReadRows.transactions(of: snapshot)
        } throws: {
          if case StoreError.damaged(_, "ACHANGE", _) = $0 { true } else { false }
        }
      }
    }
  }

  @Test
  func `a damaged file is an error or read as SQLite reads it`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.pageSize = 512
    let path = try Self.writeOddStore(folder, seed: 11, count: 600, shape: shape)
    let bytes = try FileBytes.read(path)
    var generator = SeededGenerator(seed: 12)
    let damaged = folder.file("damaged.store")
    for round in 0..<400 {
      var copy = bytes
      for _ in 0...(round % 8) {
        // Mostly the structure of a page: its header, its pointers, its first cells.
        let page = Int.random(in: 1..<(bytes.count / 512), using: &generator)
        let place = Bool.random(using: &generator) ? 0..<40 : 0..<512
        copy[page * 512 + .random(in: place, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      if round % 10 == 0 { copy.removeLast(.random(in: 1..<4000, using: &generator)) }
      try FileBytes.write(copy, to: damaged)
      try? StoreFile(path: damaged).read { (snapshot: StoreSnapshot) -> Void in
        let read = try ReadRows.transactions(of: snapshot)
        // SQLite may refuse pages that are read here; both read the rest alike.
        snapshot.changePages = nil
        guard let expected = try? ReadRows.transactions(of: snapshot) else { return }
        #expect(read.map(\.number) == expected.map(\.number))
      }
    }
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `real stores are read as SQLite reads them`(path: String) throws {
    let folder = try TemporaryFolder()
    let copy = folder.file("copy.store")
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: path + ending) {
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    let hasHistory = try StoreFile(path: copy).read { $0.layout.history != nil }
    guard hasHistory else { return }
    #expect(try Self.compare(copy))
    try StoreQuery(path: copy).run("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try Self.compare(copy))
  }
}
