import OpenSwiftData
import TestSupport
import Testing

/// History stays readable after a migration, with the names that things have now.
@Suite(.bounded) struct MigratedHistoryTests {
  @Test func `changes keep their meaning under the new names`() async throws {
    let store = try LightweightMigrationTests.library()
    let before = try await store.changes()
    #expect(
      before.suffix(4) == [
        "update Book/1 pages,title", "update Book/1 pages", "insert Book/3 ",
        "delete Book/3 shelf=Z9,title=Draft",
      ])
    try store.open(LibraryV2.models)
    // The renamed attribute has its new name, the removed one is named no more, what is not preserved
    // any more is gone, and so is the model that was removed.
    let after = try await store.changes()
    #expect(
      after.suffix(4) == [
        "update Book/1 name", "update Book/1 ", "insert Book/3 ", "delete Book/3 name=Draft",
      ])
    #expect(before.contains { $0.contains("Loan") })
    #expect(!after.contains { $0.contains("Loan") })
    #expect(after.count == before.count - 1)
    #expect(try await store.problems(LibraryV2.models) == [])

    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return }
    let decoded = try await python.run([oracle, store.path])
    #expect(decoded.text.contains("Draft"))
  }

  @Test func `the migration is a transaction as the frameworks record it`() async throws {
    let store = try LightweightMigrationTests.library()
    let numbers = try store.lines("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY 1")
    try store.open(LibraryV2.models)
    let history = try await store.history()
    #expect(history.count == numbers.count + 1)
    let author = try #require(history.last?["author"] as? String)
    let prefix =
      "com.apple.coredata.schemamigrator: lightweight migration from model with digest { "
    #expect(author.hasPrefix(prefix) && author.hasSuffix("== }"), "\(author)")
    #expect((history.last?["changes"] as? [Any])?.isEmpty ?? true)
    #expect(history.last?["process"] as? String == ProcessInfo.processInfo.processName)
    // As in the frameworks' stores the digest is that of the model which the store has afterwards.
    let digest = author.dropFirst(prefix.count).dropLast(" }".count)
    let list = try store.lines("SELECT Z_PLIST FROM Z_METADATA")
    let bytes = try StoreQuery(path: store.path).rows("SELECT Z_PLIST FROM Z_METADATA")
    guard case .blob(let plist)? = bytes.first?.first else {
      Issue.record("\(list)")
      return
    }
    let properties = try #require(
      try PropertyListSerialization.propertyList(from: Data(plist), format: nil)
        as? [String: Any])
    #expect(properties["NSStoreModelVersionHashesDigest"] as? String == String(digest))
    #expect(properties["NSStoreModelVersionIdentifiers"] as? [String] == ["1.0.0"])
    #expect(properties["migrationManagerClass"] as? String == "NSSQLiteInPlaceMigrationManager")
    // Nothing that was there has another number or time.
    #expect(
      try store.lines("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY 1").dropLast()
        == numbers[...])
  }

  /// Deletes history in a stage, and sets a bookmark as another program would that still sees it.
  private static func delete(_ context: ModelContext, settingBookmark: Bool) throws {
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    guard settingBookmark, let path = context.container.configurations.first?.url.path else {
      return
    }
    let token = String(decoding: try JSONEncoder().encode(history[1].token), as: UTF8.self)
    try FileBytes.write(
      Array(#"{"schema":1,"bookmarks":[{"name":"late","token":\#(token)}]}"#.utf8),
      to: path + "-bookmarks.json")
  }

  enum Deleting: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
          willMigrate: { try delete($0, settingBookmark: false) }, didMigrate: nil)
      ]
    }
  }

  enum DeletingTooMuch: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { Deleting.schemas }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
          willMigrate: { try delete($0, settingBookmark: true) }, didMigrate: nil)
      ]
    }
  }

  @Test func `a stage that deletes history respects bookmarks`() async throws {
    let store = try LightweightMigrationTests.library()
    let count = try store.lines("SELECT Z_PK FROM ATRANSACTION").count
    let error = try store.refusal(LibraryV2.models, plan: DeletingTooMuch.self)
    #expect("\(error)".contains("the bookmark late, set meanwhile, needs history"), "\(error)")
    #expect(try store.lines("SELECT Z_PK FROM ATRANSACTION").count == count)
    let listed = try await Tool.histctl.run(["bookmark", "list", store.path])
    #expect(listed.status == 0 && listed.text.contains("@late"), "\(listed.errors)")
    try store.folder.remove("Library.store-bookmarks.json")
    try store.open(LibraryV2.models, plan: Deleting.self)
    #expect(try store.lines("SELECT Z_PK FROM ATRANSACTION").count == 1)
    #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `tokens of the older version work`() async throws {
    let store = try LightweightMigrationTests.library()
    let token = try store.with(LibraryV1.models) { context in
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      return try JSONEncoder().encode(try #require(history.dropFirst().first?.token))
    }
    try store.with(LibraryV2.models) { context in
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: token)
      let history = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
      #expect(history.count == 4)
      let updates = history.flatMap(\.changes).compactMap { change -> Bool? in
        guard case .update(let update as DefaultHistoryUpdate<LibraryV2.Book>) = change else {
          return nil
        }
        return update.updatedAttributes.contains(\.name)
      }
      #expect(updates == [false])
      let deletes = history.flatMap(\.changes).compactMap { change -> String? in
        guard case .delete(let delete as DefaultHistoryDelete<LibraryV2.Book>) = change else {
          return nil
        }
        return delete.tombstone[\.name] as? String
      }
      #expect(deletes == ["Draft"])
    }
  }

  @Test func `masks of another length are cleared`() async throws {
    let store = try LightweightMigrationTests.library()
    // Of another length than the 7 slots of the old model take; the 10 of the new one would take it.
    try StoreQuery(path: store.path).run(
      """
      UPDATE ACHANGE SET ZCOLUMNS = x'ffc0' WHERE Z_PK = (
        SELECT max(Z_PK) FROM ACHANGE WHERE ZCHANGETYPE = 1)
      """)
    try store.open(LibraryV2.models)
    let masks = try store.lines(
      "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK DESC LIMIT 1")
    #expect(masks == ["0000"])
  }

  @Test func `a change of an unknown model is not taken for a new model`() async throws {
    let store = try MigratedStore()
    try store.with([Garden1.Plant.self]) { context in
      context.insert(Garden1.Plant(name: "Rose"))
      try context.save()
    }
    try StoreQuery(path: store.path).run(
      """
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        VALUES (2, 16001, 0, 2, 1, 1);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16001
      """)
    let models: [any PersistentModel.Type] = [Garden2.Plant.self, LibraryV2.Account.self]
    try store.open(models)
    #expect(try await store.changes() == ["insert Plant/1 "])
    #expect(try await store.problems(models) == [])
  }

  @Test(.enabled(if: RealStores.path("swiftdata-rm-4wal.store") != nil))
  func `the history of a store from SwiftData is migrated`() async throws {
    let store = try MigratedStore()
    let real = try store.folder.copy(
      store: #require(RealStores.path("swiftdata-rm-4wal.store")))
    for suffix in ["", "-wal"] {
      try FileManager.default.moveItem(atPath: real + suffix, toPath: store.path + suffix)
    }
    let before = try await store.changes()
    let models: [any PersistentModel.Type] = [Workshop.Item.self, Workshop.Archive.self]
    try store.with(models) { context in
      let items = try context.fetch(FetchDescriptor<Workshop.Item>())
      #expect(!items.isEmpty && items.allSatisfy { $0.stock == 5 })
      let parts = try context.fetch(FetchDescriptor<Workshop.Component>())
      // One of the five has none, as `sqlite3` says.
      #expect(parts.count == 5 && parts.filter { $0.recipe != nil }.count == 4)
    }
    // Component and CraftingRecipe have other numbers, and one relationship another name.
    let after = try await store.changes()
    // The slots follow the names, so that those of an update stand in another order.
    func sorted(_ change: String) -> [String] {
      change.split { $0 == " " || $0 == "," }.map(String.init).sorted()
    }
    let renamed = before.map { change in
      change.contains(" Component/")
        ? change.replacingOccurrences(of: "craftingRecipe", with: "recipe") : change
    }
    #expect(after.map(sorted) == renamed.map(sorted))
    #expect(after.contains { $0.contains("recipe") })
    #expect(try await store.problems(models) == [])
  }
}

/// The models of a real app, changed a little.
enum Workshop {
  @Model
  final class Archive {
    var year: Int
    init(year: Int) { self.year = year }
  }

  @Model
  final class Item {
    @Attribute(.unique) var name: String
    var craftingRecipe: CraftingRecipe?
    var stock = 5
    init(name: String) { self.name = name }
  }

  @Model
  final class CraftingRecipe {
    var producedItem: Item?
    var producedItemCount: String = "1"
    var requiredComponents: [Component] = []
    init(producedItem: Item?) { self.producedItem = producedItem }
  }

  @Model
  final class Component {
    var id: UUID = UUID()
    @Relationship(originalName: "craftingRecipe") var recipe: CraftingRecipe?
    var count: Int = 1
    var item: Item?
    init(item: Item?) { self.item = item }
  }
}
