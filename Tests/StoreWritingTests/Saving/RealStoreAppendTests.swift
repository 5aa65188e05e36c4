import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// Transactions appended to stores that the frameworks wrote.
@Suite(.bounded, .enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
struct RealStoreAppendTests {
  private func oracle(_ path: String) async throws -> [String] {
    let oracle = try #require(RealStores.oracle)
    return try await #require(Tool("python3")).run([oracle, path]).lines
  }

  private func untouched(
    _ before: [String: [[StoredValue]]], _ after: [String: [[StoredValue]]]
  ) -> [String] {
    before.keys.filter { before[$0] != after[$0] }.sorted()
  }

  @Test(.enabled(if: RealStores.path("swiftdata-rm-4wal.store") != nil))
  func `a save continues a history that is in the log`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: try #require(RealStores.path("swiftdata-rm-4wal.store")))
    let linesBefore = try await oracle(path)
    let query = try StoreQuery(path: path)
    let before = try query.contents()
    let schema = try query.lines("SELECT sql FROM sqlite_master")
    let items = try query.lines("SELECT Z_PK, ZCRAFTINGRECIPE FROM ZITEM ORDER BY 1")
    let editor = try StoreEditor(path: path)
    var save = StoreSave(
      author: "histctl", bundle: "com.sdsoftware.ResourcesManager", process: "tests",
      timestamp: StoreTimestamp(secondsSinceReferenceDate: 750_000_000.5))
    let item = save.insert("Item", values: ["name": .text("Steel plate")])
    save.insert(
      "Component",
      values: ["id": .blob(Array(repeating: 9, count: 16)), "count": .integer(4)],
      toOne: ["item": item])
    let first = try #require(items.first?.split(separator: "|").first.flatMap { Int64($0) })
    save.update(
      StoreObject(entityName: "Item", primaryKey: first), values: ["name": .text("renamed")])
    let appended = try #require(try editor.append(save))
    #expect(appended.position.number == 39)
    #expect(appended.primaryKey(of: item) == 13)
    let lines = try await oracle(path)
    #expect(Array(lines.dropLast()) == linesBefore)
    #expect(
      lines.last
        == #"{"transaction": 39, "timestampRaw": 750000000.5, "author": "histctl", "bundle": "com.sdsoftware.ResourcesManager", "process": "tests", "context": null, "changes": [{"change": 56, "kind": "insert", "entity": "Item", "pk": 13, "attributes": null, "tombstone": null}, {"change": 57, "kind": "insert", "entity": "Component", "pk": 8, "attributes": null, "tombstone": null}, {"change": 58, "kind": "update", "entity": "Item", "pk": \#(first), "attributes": ["name"], "tombstone": null}]}"#
    )
    #expect(
      untouched(before, try query.contents()) == [
        "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "ZCOMPONENT", "ZITEM", "Z_PRIMARYKEY",
      ])
    #expect(try query.lines("SELECT sql FROM sqlite_master") == schema)
    // Numbers of strings that were reserved and not used are not used again.
    #expect(
      try query.lines("SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK > 2") == [
        "13|histctl", "14|tests",
      ])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test(.enabled(if: RealStores.path("swiftdata-cocktails.store") != nil))
  func `a many-to-many relationship of a real store is kept`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: try #require(RealStores.path("swiftdata-cocktails.store")))
    let linesBefore = try await oracle(path)
    let query = try StoreQuery(path: path)
    let before = try query.contents()
    let pairs = try query.lines(
      "SELECT Z_1COCKTAILS, Z_2GARNISH FROM Z_1GARNISH WHERE Z_2GARNISH = 3 ORDER BY 1")
    let editor = try StoreEditor(path: path)
    var save = StoreSave(timestamp: StoreTimestamp(secondsSinceReferenceDate: 760_000_000))
    let cocktail = try #require(pairs.first?.split(separator: "|").first.flatMap { Int64($0) })
    save.update(
      StoreObject(entityName: "Garnish", primaryKey: 3),
      toMany: ["cocktails": [StoreObject(entityName: "Cocktail", primaryKey: cocktail)]])
    save.insert("Garnish", values: ["name": .text("a garnish of ours")])
    let appended = try #require(try editor.append(save))
    #expect(appended.changeCount == 1 + 1 + pairs.count - 1)
    #expect(
      try query.lines("SELECT Z_1COCKTAILS FROM Z_1GARNISH WHERE Z_2GARNISH = 3") == [
        "\(cocktail)"
      ])
    let lines = try await oracle(path)
    #expect(Array(lines.dropLast()) == linesBefore)
    let last = try #require(
      JSONSerialization.jsonObject(with: Data((lines.last ?? "").utf8)) as? [String: Any])
    let changes = try #require(last["changes"] as? [[String: Any]])
    #expect(changes.map { $0["kind"] as? String }.prefix(2) == ["insert", "update"])
    #expect(changes[1]["attributes"] as? [String] == ["cocktails"])
    #expect(
      changes.dropFirst(2).allSatisfy {
        $0["entity"] as? String == "Cocktail" && $0["attributes"] as? [String] == ["garnish"]
      })
    var concerned = ["ACHANGE", "ATRANSACTION", "ZGARNISH", "Z_1GARNISH", "Z_PRIMARYKEY"]
    if pairs.count > 1 { concerned.append("ZCOCKTAIL") }
    #expect(untouched(before, try query.contents()) == concerned.sorted())
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  /// A lost log left `Z_MAX` below the highest number.
  @Test(.enabled(if: RealStores.path("photos-cloud-13.1.sqlite") != nil))
  func `torn counters of a real store are corrected`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: try #require(RealStores.path("photos-cloud-13.1.sqlite")))
    let position = try StoreEditor(path: path).appendHistory(
      changes: [RecordedChange(number: 0, kind: .insert, entityNumber: 1, primaryKey: 1)])
    #expect(position.number == 197)
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)") == ["1389", "197"])
  }

  @Test(.enabled(if: RealStores.path("truthsocial-ios17.sqlite") != nil))
  func `saves that need derived attributes are refused`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: try #require(RealStores.path("truthsocial-ios17.sqlite")))
    let query = try StoreQuery(path: path)
    let before = try query.contents()
    let editor = try StoreEditor(path: path)
    var refused = StoreSave(author: "new")
    refused.insert("ManagedReaction", values: ["name": .text("x")])
    refused.insert("ManagedChat")
    let error = #expect(throws: StoreWriteError.self) { try editor.append(refused) }
    #expect(error?.message.contains("only Core Data can run") ?? false)
    #expect(try query.contents() == before)
  }
}
