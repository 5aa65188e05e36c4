import StoreFormat
import StoreWriting
import TestSupport
import Testing

@Suite(.bounded) struct ConcurrentEditorsTests {
  /// What a transaction of another process does, told independently of our code.
  private static let otherProcess = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
    for i in range(int(sys.argv[2])):
      db.execute('begin immediate')
      top = dict(db.execute('select Z_ENT, Z_MAX from Z_PRIMARYKEY'))
      tag, change, transaction = top[4] + 1, top.get(16001, 0) + 1, top.get(16002, 0) + 1
      db.execute('insert into ZTAG (Z_PK, Z_ENT, Z_OPT, ZLABEL) values (?, 4, 1, ?)', (tag, 'py'))
      db.execute('insert into ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) values (?, 16002, 1.5)',
        (transaction,))
      db.execute('insert into ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, '
        'ZTRANSACTIONID) values (?, 16001, 0, 4, ?, ?)', (change, tag, transaction))
      db.execute('update Z_PRIMARYKEY set Z_MAX = ? where Z_ENT = 4', (tag,))
      for number, name, value in ((16001, 'CHANGE', change), (16002, 'TRANSACTION', transaction)):
        db.execute('insert into Z_PRIMARYKEY values (?, ?, 0, ?) on conflict (Z_ENT) '
          'do update set Z_MAX = excluded.Z_MAX', (number, name, value))
      db.execute('commit')
    """

  private static let perWriter = 500

  @Test func `concurrent writers lose no save`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shared.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let python = Tool("python3")
    var expected = Self.perWriter * 2
    try await withThrowingTaskGroup(of: Void.self) { group in
      for author in ["app", "widget"] {
        group.addTask {
          let editor = try StoreEditor(path: path, busyTimeout: 60)
          for number in 0..<Self.perWriter {
            var save = StoreSave(author: author)
            save.insert("Tag", values: ["label": .text("\(number)")])
            _ = try #require(try editor.append(save))
          }
        }
      }
      if let python {
        expected += Self.perWriter
        group.addTask {
          let result = try await python.run(
            ["-c", Self.otherProcess, path, "\(Self.perWriter)"])
          #expect(result.status == 0, "\(result.errors)")
        }
      }
      try await group.waitForAll()
    }
    let query = try StoreQuery(path: path)
    for table in ["ATRANSACTION", "ACHANGE", "ZTAG"] {
      #expect(
        try query.lines("SELECT count(*), min(Z_PK), max(Z_PK) FROM \(table)") == [
          "\(expected)|1|\(expected)"
        ])
    }
    let own =
      "SELECT count(*) FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = ZAUTHORTS"
    for author in ["app", "widget"] {
      #expect(try query.lines("\(own) WHERE ZNAME = '\(author)'") == ["\(Self.perWriter)"])
    }
    // Every change is that of its transaction, and every tag's.
    #expect(
      try query.lines(
        "SELECT count(*) FROM ACHANGE WHERE Z_PK = ZTRANSACTIONID AND Z_PK = ZENTITYPK") == [
          "\(expected)"
        ])
    #expect(
      try query.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (4, 16001, 16002)")
        == Array(repeating: "\(expected)", count: 3))
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }
}
