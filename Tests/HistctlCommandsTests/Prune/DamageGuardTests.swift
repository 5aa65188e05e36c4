import Foundation
import TestSupport
import Testing

/// Damage that shows without a full read stops every command that writes, before it writes.
@Suite(.bounded) struct DamageGuardTests {
  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'TRANSACTION'")
    let config = """
      [s]
      store = sample.store
      prune.keep-last = 3

      """
    try FileBytes.write(Array(config.utf8), to: sample.folder.file("m.conf"))
    return sample
  }

  @Test(arguments: [
    "prune sample.store --keep-last 3 --yes", "archive sample.store arch", "compact sample.store",
    "prune sample.store --keep-last 3 --archive arch --yes", "maintain --config m.conf",
  ])
  func `a store with torn counters is left unchanged`(_ line: String) async throws {
    let sample = try await Self.sample()
    let before = try FileBytes.read(sample.store)
    let refused = try await sample.run(line)
    #expect(refused.status == 5, "\(refused.errors)")
    #expect(refused.errors.contains("the highest number given out is 3, and 12 is in use"))
    #expect(refused.errors.contains("--ignore-guard damage"))
    #expect(try FileBytes.read(sample.store) == before)
    #expect(!FileManager.default.fileExists(atPath: sample.folder.file("arch")))
    let ignored = try await sample.run(line + " --ignore-guard damage")
    #expect(ignored.status == 0, "\(ignored.errors)")
  }

  @Test
  func `restore has the same guard`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("prune sample.store --keep-last 3 --archive arch --yes")
    try await sample.sqlite("UPDATE Z_PRIMARYKEY SET Z_MAX = 11 WHERE Z_NAME = 'TRANSACTION'")
    let refused = try await sample.run("restore sample.store arch --yes")
    #expect(refused.status == 5, "\(refused.errors)")
    let ignored = try await sample.run("restore sample.store arch --yes --ignore-guard damage")
    #expect(ignored.status == 0, "\(ignored.errors)")
  }

  /// A store whose list of free pages names the first page of an app's table of 40 rows, with an archive of
  /// its first transactions.
  private static func wrongFreePage() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = INCREMENTAL; VACUUM;
      CREATE TABLE app (id INTEGER PRIMARY KEY, name TEXT);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO app SELECT i, 'row ' || i FROM n;
      CREATE TABLE spare (content); INSERT INTO spare VALUES (randomblob(100000)); DROP TABLE spare
      """)
    let pruned = try await sample.run("prune sample.store --keep-last 3 --archive arch --yes")
    #expect(pruned.status == 0, "\(pruned.errors)")
    let page = try await #require(Tool("sqlite3")).run(
      [sample.store, "SELECT rootpage FROM sqlite_master WHERE name = 'app'"])
    let table = try #require(Int(page.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    var bytes = try FileBytes.read(sample.store)
    func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    func set(_ value: Int, _ place: Int) {
      for byte in 0..<4 { bytes[place + byte] = UInt8(value >> (24 - 8 * byte) & 0xFF) }
    }
    // The list begins at a page with the number of its entries, and the header has the number of all.
    let list = (number(32) - 1) * 4096
    let count = number(list + 4)
    set(table, list + 8 + 4 * count)
    set(count + 1, list + 4)
    set(number(36) + 1, 36)
    try FileBytes.write(bytes, to: sample.store)
    return sample
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      "compact sample.store", "compact sample.store --full", "restore sample.store arch --yes",
    ])
  func `a used page listed as free stops commands that would overwrite it`(
    _ line: String
  ) async throws {
    let sample = try await Self.wrongFreePage()
    let before = try FileBytes.read(sample.store)
    let refused = try await sample.run(line)
    #expect(refused.status == 5, "\(refused.text)\(refused.errors)")
    #expect(refused.errors.contains("2nd reference to page"), "\(refused.errors)")
    #expect(refused.errors.contains("histctl verify --full sample.store"), "\(refused.errors)")
    #expect(try FileBytes.read(sample.store) == before)
  }

  @Test
  func `a text missing in its index is not added a second time`() async throws {
    let sample = try SampleFolder()
    let pruned = try await sample.run("prune sample.store --keep-last 3 --archive arch --yes")
    #expect(pruned.status == 0, "\(pruned.errors)")
    // It gets the index of an empty table, and that one gets its own. There are numbers for lost texts.
    try await sample.sqlite(
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = 100 WHERE Z_NAME = 'TRANSACTIONSTRING';
      CREATE TABLE other AS SELECT * FROM ATRANSACTIONSTRING WHERE 0;
      CREATE UNIQUE INDEX other_name ON other (ZNAME);
      CREATE TEMP TABLE roots AS SELECT * FROM sqlite_master WHERE type = 'index'
        AND name IN ('other_name', 'Z_TRANSACTIONSTRING_UNIQUE_NAME');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master AS m SET rootpage = (SELECT rootpage FROM roots WHERE name <> m.name)
        WHERE name IN (SELECT name FROM roots)
      """)
    let before = try FileBytes.read(sample.store)
    let refused = try await sample.run("restore sample.store arch --yes")
    #expect(refused.status == 5, "\(refused.text)\(refused.errors)")
    #expect(refused.errors.contains("ATRANSACTIONSTRING"), "\(refused.errors)")
    #expect(try FileBytes.read(sample.store) == before)
  }

  @Test
  func `check, info and verify agree about damage`() async throws {
    let sample = try await Self.sample()
    #expect(try await sample.run("verify sample.store").status == 5)
    #expect(try await sample.run("check sample.store").status == 5)
    #expect(try await sample.run("info sample.store").text.contains("note: the store issued"))
  }

  @Test
  func `a file too short for its pages is damage`() async throws {
    let sample = try SampleFolder()
    let bytes = try FileBytes.read(sample.store)
    try FileBytes.write(Array(bytes.dropLast(4096)), to: sample.store)
    for line in ["prune sample.store --keep-last 3 --yes", "check sample.store"] {
      #expect(try await sample.run(line).status == 5)
    }
    #expect(try FileBytes.read(sample.store).count == bytes.count - 4096)
  }
}
