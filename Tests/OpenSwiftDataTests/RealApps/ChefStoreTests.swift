import OpenSwiftData
import TestSupport
import Testing

/// A store of the SwiftData of 2023, with an enumeration that has a column for each case.
@Suite(.bounded, .enabled(if: RealStores.path("swiftdata-cheftime.store") != nil))
struct ChefStoreTests {
  private typealias Folder = ChefApp.SDFolder

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    ChefApp.ArchivedJSON.register()
    folder = try TemporaryFolder()
    path = try folder.copy(store: #require(RealStores.path("swiftdata-cheftime.store")))
  }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(ChefApp.models),
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  private func lines(_ sql: String) throws -> [String] { try StoreQuery(path: path).lines(sql) }

  @Test func `folders, recipes and their parts are read`() throws {
    let before = try StoreQuery(path: path).contents()
    let context = try open()
    let folders = try context.fetch(
      FetchDescriptor<Folder>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]))
    #expect(folders.allSatisfy { $0.folderType == .user })
    #expect(
      try folders.map { "\($0.name)|\($0.parentFolder?.name ?? "")|\($0.recipes.count)" }
        == lines(
          """
          SELECT f.ZNAME, p.ZNAME, (SELECT count(*) FROM ZSDRECIPE WHERE ZPARENTFOLDER = f.Z_PK)
          FROM ZSDFOLDER f LEFT JOIN ZSDFOLDER p ON p.Z_PK = f.ZPARENTFOLDER ORDER BY f.ZNAME
          """))
    let recipes = try context.fetch(FetchDescriptor<ChefApp.SDRecipe>())
    #expect(recipes.count == 38 && recipes.allSatisfy { $0.imageData == [] })
    let parts = recipes.map { recipe in
      [
        recipe.aboutSections.count, recipe.ingredientSections.flatMap(\.ingredients).count,
        recipe.stepSections.flatMap(\.steps).count,
      ]
    }
    #expect(
      try ["ZSDABOUTSECTION", "ZSDINGREDIENT", "ZSDSTEP"].map {
        try lines("SELECT count(*) FROM \($0)")
      } == (0..<3).map { place in ["\(parts.map { $0[place] }.reduce(0, +))"] })
    #expect(try StoreQuery(path: path).contents() == before)
  }

  @Test func `the enumeration is found and updated, and the history names it`() async throws {
    let context = try open()
    let (user, all) = (ChefApp.FolderType.user, ChefApp.FolderType.systemAll)
    let before = try StoreQuery(path: path).contents()
    func count(_ type: ChefApp.FolderType) throws -> Int {
      try context.fetchCount(
        FetchDescriptor<Folder>(predicate: #Predicate { $0.folderType == type }))
    }
    #expect(try count(user) == 10)
    let folder = try #require(
      try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "All" })).first)
    folder.folderType = .systemAll
    try context.save()
    #expect(try count(all) == 1)
    #expect(
      try lines(
        "SELECT Z_PK, ZSYSTEMALL, ZSYSTEMSTANDARD, ZSYSTEMRECENTLYDELETED, ZUSER FROM ZSDFOLDER "
          + "WHERE ZNAME = 'All'") == ["2|systemAll|||"])
    #expect(try lines("SELECT max(Z_PK), count(*) FROM ATRANSACTION") == ["113|113"])
    let added = Folder(name: "Soups", type: .systemStandard)
    context.insert(added)
    added.parentFolder = folder
    added.recipes = Array(try context.fetch(FetchDescriptor<ChefApp.SDRecipe>()).prefix(1))
    try context.save()
    #expect(
      try lines("SELECT Z_PK, ZSYSTEMSTANDARD, ZPARENTFOLDER FROM ZSDFOLDER WHERE ZNAME = 'Soups'")
        == ["18|systemStandard|2"])
    let after = try StoreQuery(path: path).contents()
    for table in ["ZSDSTEP", "ZSDINGREDIENT", "Z_MODELCACHE", "Z_METADATA"] {
      #expect(after[table] == before[table], "\(table)")
    }
    let log = try await Tool.histctl.run(["log", "--json", "-n", "2", "--reverse", path])
    let changes = try log.lines.map { line in
      let transaction = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return (transaction["changes"] as? [[String: Any]] ?? []).map {
        "\($0["kind"] ?? "") \($0["entity"] ?? "") \($0["attributes"] as? [String] ?? [])"
      }.sorted()
    }
    #expect(changes.first == ["update SDFolder [\"folderType\"]"], "\(changes)")
    #expect(changes.last?.contains { $0.hasPrefix("insert SDFolder") } == true, "\(changes)")
    let result = try await Tool.histctl.run(["verify", path])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return }
    #expect(try await python.run([oracle, path]).status == 0)
  }
}
