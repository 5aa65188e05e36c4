import Foundation
import StoreFormat
import StoreWriting
import TestSupport

/// A store to which other processes append saves, and what must hold of it at any time.
///
/// The saves are those of the program StoreAppender, whose own words say what they consist of.
struct AppendedSaves {
  /// What sqlite3 found.
  struct Findings: Hashable {
    /// What contradicts itself in the store; nothing in a sound one.
    let problems: [String]
    /// How many transactions it has.
    let transactionCount: Int
  }

  /// What a test cannot go on without.
  struct Missing: Error { let what: String }

  let path: String

  /// Makes a store that StoreAppender can append to; its first transaction is there.
  static func create(at path: String, journalMode: String = "wal") async throws -> AppendedSaves {
    try StoreCreator.create(at: path, model: TripsModel.model)
    let saves = AppendedSaves(path: path)
    _ = try await Self.sqlite(path, "PRAGMA journal_mode = \(journalMode)")
    var save = StoreSave(author: "test", context: "test 0")
    save.insert("Tag", values: ["label": .text("test 0")])
    try StoreEditor(path: path).append(save)
    return saves
  }

  /// Appends a save as StoreAppender does, but in this process and with one update only.
  func appendHere() throws -> AppendedTransaction {
    var save = StoreSave(author: "test", context: "test 0")
    save.update(
      StoreObject(entityName: "Tag", primaryKey: 1), values: ["label": .text("test 0")])
    guard let appended = try StoreEditor(path: path, busyTimeout: 600).append(save) else {
      throw Missing(what: "a transaction of the save")
    }
    return appended
  }

  /// Copies the store into a folder, with its log or journal and without what indexes them.
  ///
  /// Not while this process has the store open: closing a descriptor would drop its locks.
  func copy(to folder: TemporaryFolder) throws -> AppendedSaves {
    let target = folder.file(URL(fileURLWithPath: path).lastPathComponent)
    for suffix in ["", "-wal", "-journal"]
    where FileManager.default.fileExists(atPath: path + suffix) {
      try FileBytes.write(try FileBytes.read(path + suffix), to: target + suffix)
    }
    return AppendedSaves(path: target)
  }

  /// Looks at the store with the program sqlite3.
  func findings() async throws -> Findings {
    let lines = try await Self.sqlite(path, Self.questions)
    guard let count = lines.last.flatMap({ Int($0) }) else {
      return Findings(problems: lines, transactionCount: -1)
    }
    return Findings(problems: lines.dropLast().filter { $0 != "ok" }, transactionCount: count)
  }

  private static func sqlite(_ path: String, _ sql: String) async throws -> [String] {
    guard let sqlite = Tool("sqlite3") else { throw Missing(what: "sqlite3") }
    let result = try await sqlite.run([
      "-batch", "-bail", "-cmd", ".timeout 600000", path, sql,
    ])
    guard result.status == 0 else { throw Missing(what: "\(path): \(result.errors)") }
    return result.lines
  }

  /// Every statement but the last one gives a row for each thing that is wrong.
  private static let questions = """
    PRAGMA integrity_check;
    CREATE TEMP TABLE saves AS
      SELECT t.Z_PK AS number, context.ZNAME AS name,
        CAST(substr(context.ZNAME, instr(context.ZNAME, ' ') + 1) AS INTEGER) AS position
      FROM ATRANSACTION AS t
      JOIN ATRANSACTIONSTRING AS author ON author.Z_PK = ZAUTHORTS
      JOIN ATRANSACTIONSTRING AS context ON context.Z_PK = ZCONTEXTNAMETS
        AND context.ZNAME GLOB author.ZNAME || ' [0-9]*';
    SELECT 'a transaction does not say who saved what' FROM ATRANSACTION
      WHERE Z_PK NOT IN (SELECT number FROM saves);

    -- Numbers without gaps, and Z_MAX.
    CREATE TEMP TABLE numbers (entity, name, count, first, last);
    INSERT INTO numbers SELECT 16001, 'CHANGE', count(*), min(Z_PK), max(Z_PK) FROM ACHANGE
      UNION ALL SELECT 16002, 'TRANSACTION', count(*), min(Z_PK), max(Z_PK) FROM ATRANSACTION
      UNION ALL SELECT 16003, 'TRANSACTIONSTRING', count(*), min(Z_PK), max(Z_PK)
        FROM ATRANSACTIONSTRING
      UNION ALL SELECT 4, 'Tag', count(*), min(Z_PK), max(Z_PK) FROM ZTAG
      UNION ALL SELECT 5, 'Trip', count(*), 1, coalesce(max(Z_PK), 0) FROM ZTRIP;
    SELECT name || ': numbers with gaps' FROM numbers WHERE first <> 1 OR last <> count;
    SELECT name || ': Z_MAX is not ' || last FROM numbers WHERE NOT EXISTS
      (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = entity AND Z_NAME = name AND Z_MAX = last);
    SELECT 'Z_MAX of items' FROM Z_PRIMARYKEY WHERE Z_NAME = 'BucketListItem' AND Z_MAX <>
      (SELECT count(*) FROM ACHANGE WHERE ZENTITY = 3 AND ZCHANGETYPE = 0);

    -- Every transaction has all its changes, one after the other.
    SELECT 'transaction ' || number || ' has other changes than its save' FROM saves
      LEFT JOIN ACHANGE ON ZTRANSACTIONID = number GROUP BY number
      HAVING (count(ACHANGE.Z_PK), total(ZCHANGETYPE = 0), total(ZCHANGETYPE = 2)) <> (
          CASE WHEN position > 1 THEN 6 WHEN position = 1 THEN 4 ELSE 1 END,
          CASE WHEN position > 0 THEN 3 ELSE number = 1 END, position > 1)
        OR max(ACHANGE.Z_PK) - min(ACHANGE.Z_PK) <> count(*) - 1;
    SELECT 'change ' || Z_PK || ' is of no transaction' FROM ACHANGE
      WHERE ZTRANSACTIONID NOT IN (SELECT number FROM saves);

    -- The rows are what history says of them.
    CREATE TEMP TABLE objects AS SELECT 3 AS entity, Z_PK AS pk, Z_OPT AS version FROM ZBUCKETLISTITEM
      UNION ALL SELECT 4, Z_PK, Z_OPT FROM ZTAG UNION ALL SELECT 5, Z_PK, Z_OPT FROM ZTRIP;
    CREATE TEMP TABLE recorded AS SELECT ZENTITY AS entity, ZENTITYPK AS pk, count(*) AS version
      FROM ACHANGE GROUP BY ZENTITY, ZENTITYPK HAVING max(ZCHANGETYPE) < 2;
    SELECT 'row ' || entity || '/' || pk || ' is not as history says' FROM
      (SELECT * FROM objects EXCEPT SELECT * FROM recorded);
    SELECT 'history of ' || entity || '/' || pk || ' without its row' FROM
      (SELECT * FROM recorded EXCEPT SELECT * FROM objects);
    SELECT 'transaction ' || number || ' did not write its trip' FROM saves
      WHERE position > 0 AND NOT EXISTS (SELECT 1 FROM ACHANGE JOIN ZTRIP ON ZTRIP.Z_PK = ZENTITYPK
        WHERE ZTRANSACTIONID = number AND ZENTITY = 5 AND ZCHANGETYPE = 0 AND ZNAME = name);
    SELECT 'trip ' || ZTRIP.Z_PK || ' has not one kept item' FROM ZTRIP
      LEFT JOIN ZBUCKETLISTITEM ON ZTRIP = ZTRIP.Z_PK AND ZTITLE = 'kept'
      GROUP BY ZTRIP.Z_PK HAVING count(ZTITLE) <> 1;
    SELECT 'the tag does not tell the last save' FROM ZTAG
      WHERE Z_PK = 1 AND ZLABEL <> (SELECT name FROM saves ORDER BY number DESC LIMIT 1);
    SELECT count(*) FROM ATRANSACTION;
    """
}
