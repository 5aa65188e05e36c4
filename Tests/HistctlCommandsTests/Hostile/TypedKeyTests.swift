import Foundation
import StoreFormat
import TestSupport
import Testing

/// Stores whose keys are of a type that no framework gives them: an answer or an error, never a trap,
/// never without end.
@Suite(.bounded, .enabled(if: Tool("timeout") != nil)) struct TypedKeyTests {
  private static let types = ["TEXT", "REAL", "", "BLOB", "NUMERIC", "INT"]
  private static let values = [
    "NULL", "'x'", "'12'", "x'01'", "1.5", "-1.5", "-9223372036854775808", "9223372036854775807",
    "-1",
    "0", "1e300", "9e999", "16001",
  ]
  private static let commands = [
    ["export", "STORE"], ["log", "STORE", "--changes"], ["stats", "STORE", "--by", "day"],
    ["report", "STORE", "-o", "-"],
    ["diff", "STORE", "0"], ["info", "STORE"], ["verify", "STORE", "--full"],
    ["archive", "STORE", "STORE-archive"], ["prune", "STORE", "--keep-last", "5", "--yes"],
    ["prune", "STORE", "--entity", "#9", "--dry-run"], ["token", "check", "STORE", "3"],
    ["prune", "STORE", "--max-size", "20K", "--dry-run"], ["object", "STORE", "Trip/p1"],
    ["check", "STORE", "--max-size", "3K"], ["export", "STORE", "--format", "csv"],
  ]

  /// Makes a table anew with another type of key, and puts odd values into some rows.
  private static func spoil(_ store: String, _ random: inout SeededGenerator) throws -> String {
    let query = try StoreQuery(path: store)
    let table =
      ["ATRANSACTION", "ACHANGE", "ACHANGE", "ATRANSACTIONSTRING"].randomElement(using: &random)
      ?? ""
    let columns = try query.lines("SELECT name FROM pragma_table_info('\(table)')")
    let types = try query.lines("SELECT type FROM pragma_table_info('\(table)')")
    var name = table
    var isWithoutRowID = false
    if Bool.random(using: &random) {
      let type = Self.types.randomElement(using: &random) ?? ""
      let key = ["PRIMARY KEY", "", "PRIMARY KEY DESC"].randomElement(using: &random) ?? ""
      isWithoutRowID = !key.isEmpty && Int.random(in: 0..<3, using: &random) == 0
      let declared = zip(columns, types).map { column, usual in
        column == "Z_PK" ? "Z_PK \(type) \(key)" : "\(column) \(usual)"
      }
      let list = columns.joined(separator: ", ")
      try query.run(
        """
        CREATE TABLE anew (\(declared.joined(separator: ", "))) \(isWithoutRowID ? "WITHOUT ROWID" : "");
        INSERT INTO anew (\(list)) SELECT \(list) FROM \(table);
        DROP TABLE \(table); ALTER TABLE anew RENAME TO \(table)
        """)
      if table == "ACHANGE", Bool.random(using: &random) {
        try query.run("CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)")
      }
      name += " \(type) \(key)\(isWithoutRowID ? " WITHOUT ROWID" : "")"
    }
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let column =
        Bool.random(using: &random) ? "Z_PK" : columns.randomElement(using: &random) ?? ""
      let value = Self.values.randomElement(using: &random) ?? ""
      let row = Int.random(in: 1...12, using: &random)
      // Not every value fits every table.
      try? query.run("UPDATE OR IGNORE \(table) SET \(column) = \(value) WHERE Z_PK = \(row)")
      name += ", \(column) = \(value)"
    }
    return name
  }

  @Test
  func `every command ends with a status for keys of any type`() async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(SampleStore.write(to: folder.file("sample.store")))
    let timeout = try #require(Tool("timeout"))
    let seed = Campaign.seed
    var random = SeededGenerator(seed: seed)
    for number in 0..<Campaign.count(200, 4000) {
      let store = folder.file("\(number).store")
      try FileBytes.write(original, to: store)
      let what = try Self.spoil(store, &random)
      let command = Self.commands[number % Self.commands.count]
        .map { $0.replacing("STORE", with: store) }
      let result = try await timeout.run(["-s", "KILL", "60", Tool.histctl.path] + command)
      #expect(
        result.status < 128, "seed \(seed), case \(number), \(what): \(command) \(result.errors)")
      for name in try folder.names() where name.hasPrefix("\(number).store") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
  }

  @Test(arguments: ["Z_PK TEXT PRIMARY KEY", "Z_PK REAL", "Z_PK INTEGER"])
  func `a key that is not the number of its row is refused, with the column named`(
    _ declaration: String
  ) async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    let columns = try query.lines("SELECT name FROM pragma_table_info('ATRANSACTION')")
    let others = columns.filter { $0 != "Z_PK" }.joined(separator: ", ")
    try query.run(
      """
      CREATE TABLE anew (\(declaration), \(others));
      INSERT INTO anew (Z_PK, \(others)) SELECT Z_PK, \(others) FROM ATRANSACTION;
      DROP TABLE ATRANSACTION; ALTER TABLE anew RENAME TO ATRANSACTION
      """)
    let result = try await sample.run("export sample.store")
    #expect([5, 8, 9].contains(result.status) && result.output.isEmpty, "\(result.errors)")
    #expect(result.errors.contains("Z_PK") && result.errors.contains("ATRANSACTION"))
  }
}
