import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// Stores that the frameworks wrote are brought to another model in which every entity has another number
/// and every hierarchy another attribute.
@Suite(.bounded, .enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
struct RealStoreMigrationTests {
  private static let names = [
    "swiftdata-rm-1wal.store", "swiftdata-rm-4wal.store", "swiftdata-cocktails.store",
    "coredataplus-model2-v2.sqlite", "rmadmin-ios14.sqlite", "notes-ios17-josh.sqlite",
    "vuindex-27.0beta.sqlite", "photos-14.6.sqlite", "truthsocial-ios17.sqlite",
  ].filter { RealStores.path($0) != nil }

  /// The transactions as an independent decoder tells them, the names of each update in one order.
  private func history(_ path: String) async throws -> [String] {
    let oracle = try #require(RealStores.oracle)
    let result = try await #require(Tool("python3")).run([oracle, path])
    try #require(result.status == 0, "\(result.errors)")
    return try result.lines.map { line in
      var transaction = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      transaction["changes"] = (transaction["changes"] as? [[String: Any]] ?? []).map { change in
        var change = change
        change["attributes"] = (change["attributes"] as? [String])?.sorted()
        return change
      }
      return String(
        decoding: try JSONSerialization.data(
          withJSONObject: transaction, options: .sortedKeys), as: UTF8.self)
    }
  }

  /// The columns of tables, with their types, by table; order does not count, for columns are appended.
  private func columns(_ path: String) throws -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for line in try StoreQuery(path: path).lines(
      """
      SELECT m.name, c.name || ' ' || c.type FROM sqlite_master m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name <> 'ACHANGE'
      """)
    {
      let parts = line.split(separator: "|", maxSplits: 1).map(String.init)
      columns[parts[0], default: []].insert(parts[1])
    }
    return columns
  }

  /// How many rows the tables of objects have, and how many pairs there are altogether.
  private func sizes(_ path: String) throws -> [String: Int] {
    let query = try StoreQuery(path: path)
    var sizes: [String: Int] = [:]
    for name in try query.lines(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    where name.hasPrefix("Z") {
      let count = Int(try query.lines("SELECT count(*) FROM \"\(name)\"").first ?? "") ?? 0
      let isJoin = name.wholeMatch(of: /Z_[0-9]+[A-Z].*/) != nil
      sizes[isJoin ? "pairs" : name, default: 0] += count
    }
    return sizes
  }

  private func changed(_ model: ManagedModel) -> ManagedModel {
    let entities = model.entities.values.map { entity in
      ManagedEntity(
        name: entity.name, superentityName: entity.superentityName,
        isAbstract: entity.isAbstract,
        properties: entity.properties
          + (entity.superentityName == nil
            ? [.attribute(ManagedAttribute(name: "aaaAdded", type: .string))] : []),
        uniquenessConstraints: entity.uniquenessConstraints)
    }
    let first = ManagedEntity(
      name: "AAAFirst", properties: [.attribute(ManagedAttribute(name: "x", type: .double))])
    return ManagedModel(
      entities: entities + [first], versionIdentifiers: model.versionIdentifiers)
  }

  @Test(arguments: names) func `a migrated real store keeps its rows, history and triggers`(
    _ name: String
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: try #require(RealStores.path(name)))
    let triggers = try StoreQuery(path: path).lines(
      "SELECT name FROM sqlite_master WHERE type = 'trigger'")
    let model = try #require(try StoreFile(path: path).read { try $0.modelCache() }.model)
    let wanted = changed(model)

    func migrate() throws {
      let migration = try StoreMigration(path: path)
      defer { migration.close() }
      try migration.migrate(to: wanted)
      try migration.commit()
    }
    if !triggers.isEmpty {
      let before = try StoreQuery(path: path).contents()
      let error = #expect(throws: StoreWriteError.self) { try migrate() }
      #expect(error?.message.contains("trigger") ?? false, "\(String(describing: error))")
      #expect(try StoreQuery(path: path).contents() == before)
      for trigger in triggers {
        try StoreQuery(path: path).run("DROP TRIGGER \"\(trigger)\"")
      }
    }
    let before = try await history(path)
    let sizesBefore = try sizes(path)
    try migrate()

    let after = try await history(path)
    #expect(after.count == before.count + 1)
    for (old, new) in zip(before, after) where old != new {
      Issue.record("\(old) became \(new)")
      break
    }
    var sizesAfter = try sizes(path)
    #expect(sizesAfter.removeValue(forKey: "ZAAAFIRST") == 0)
    let moved: Set<String> = ["Z_PRIMARYKEY", "Z_MODELCACHE", "Z_METADATA"]
    #expect(
      sizesAfter.filter { !moved.contains($0.key) }
        == sizesBefore.filter { !moved.contains($0.key) })
    #expect(try StoreQuery(path: path).lines("PRAGMA integrity_check") == ["ok"])

    let fresh = folder.file("fresh.store")
    try StoreCreator.create(at: fresh, model: wanted)
    let own = try columns(path)
    for (table, wanted) in try columns(fresh) { #expect(own[table] == wanted, "\(table)") }
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1")
        == StoreQuery(path: fresh).lines(
          "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1"))
  }
}
