import OpenSwiftData
import TestSupport
import Testing

/// A store of enumerations and structures that SwiftData wrote.
@Suite(.bounded, .enabled(if: RealStores.path("swiftdata-cocktails.store") != nil))
struct CocktailStoreTests {
  typealias App = CocktailApp

  private func open(_ path: String) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(App.models),
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
  }

  @Test func `every cocktail is read`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: #require(RealStores.path("swiftdata-cocktails.store")))
    let before = try StoreQuery(path: path).contents()
    let cocktails = try open(path).fetch(
      FetchDescriptor<App.Cocktail>(
        sortBy: [SortDescriptor(\.cocktailName, comparator: .lexical)]))
    #expect(cocktails.count == 416)
    let historic = cocktails.compactMap { cocktail in
      cocktail.historicSpec.map { "\(cocktail.cocktailName)|\($0)" }
    }
    let names =
      "ALGONQUIN ALASKA BETWEENTHESHEETS BLOODANDSAND BRAMBLE BOBBYBURNS CHOCOLATECOCKTAIL"
      + " ELDIABLO FOGCUTTER GINFIZZ GIMLET SILVERFIZZ HOTTODDY MEXICANFIRINGSQUAD MODERNCOCKTAIL"
    let columns = names.split(separator: " ").map { "Z\($0)" }.joined(separator: ", ")
    let query = try StoreQuery(path: path)
    #expect(
      try historic
        == query.lines(
          "SELECT ZCOCKTAILNAME, COALESCE(\(columns)) FROM ZCOCKTAIL "
            + "WHERE COALESCE(\(columns)) IS NOT NULL ORDER BY 1"))
    func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "" }
    #expect(
      try cocktails.map { cocktail in
        [
          cocktail.glasswareType.rawValue, text(cocktail.ice?.rawValue),
          text(cocktail.collection?.rawValue), text(cocktail.variation?.rawValue),
          text(cocktail.author?.person), text(cocktail.author?.year),
        ].joined(separator: "|")
      }
        == query.lines(
          "SELECT ZGLASSWARETYPE, ZICE, ZCOLLECTION, ZVARIATION, ZPERSON, ZYEAR FROM ZCOCKTAIL "
            + "ORDER BY ZCOCKTAILNAME"))
    #expect(cocktails.filter { $0.buildOrder != nil }.count == 140)
    #expect(cocktails.filter { $0.author != nil }.count == 388)
    #expect(cocktails.allSatisfy { $0.compiledTags.booze != nil })
    #expect(cocktails.reduce(0) { $0 + $1.spec.count } > 1_000)
    #expect(cocktails.flatMap(\.spec).allSatisfy { !$0.ingredientBase.name.isEmpty })
    #expect(try query.contents() == before)
  }

  @Test func `predicates find enumerations`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: #require(RealStores.path("swiftdata-cocktails.store")))
    let context = try open(path)
    let gimlet = App.Historic.gimlet
    let found = try context.fetch(
      FetchDescriptor<App.Cocktail>(predicate: #Predicate { $0.historicSpec == gimlet }))
    #expect(found.count == 1)
    #expect(
      try context.fetchCount(
        FetchDescriptor<App.Cocktail>(predicate: #Predicate { $0.historicSpec == nil })) == 401)
    let coupe = App.Glassware.coupe
    let coupes = try context.fetchCount(
      FetchDescriptor<App.Cocktail>(predicate: #Predicate { $0.glasswareType == coupe }))
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT count(*) FROM ZCOCKTAIL WHERE ZGLASSWARETYPE = 'Coupe'") == ["\(coupes)"])
  }

  @Test func `changes are saved to the columns of the cases`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: #require(RealStores.path("swiftdata-cocktails.store")))
    let before = try StoreQuery(path: path).contents()
    let context = try open(path)
    let alaska = App.Historic.alaska
    let cocktail = try #require(
      try context.fetch(
        FetchDescriptor<App.Cocktail>(predicate: #Predicate { $0.historicSpec == alaska })
      ).first)
    let name = cocktail.cocktailName
    cocktail.historicSpec = .bramble
    try context.save()
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT ZCOCKTAILNAME, ZALASKA IS NULL, ZBRAMBLE FROM ZCOCKTAIL "
          + "WHERE ZBRAMBLE IS NOT NULL AND ZCOCKTAILNAME = '\(name)'") == ["\(name)|1|bramble"])
    cocktail.historicSpec = .alaska
    try context.save()
    cocktail.historicSpec = nil
    try context.save()
    cocktail.historicSpec = .alaska
    try context.save()
    let after = try StoreQuery(path: path).contents()
    for table in ["ZGARNISH", "ZINGREDIENT", "ZINGREDIENTBASE", "Z_MODELCACHE", "Z_METADATA"] {
      #expect(after[table] == before[table], "\(table)")
    }
    // Only the counter of changes differs.
    let changed = zip(before["ZCOCKTAIL"] ?? [], after["ZCOCKTAIL"] ?? []).filter { $0 != $1 }
    #expect(changed.count == 1)
    #expect(changed.first.map { zip($0, $1).filter { $0 != $1 }.count } == 1)
    let result = try await Tool.histctl.run(["verify", path])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return }
    let decoded = try await python.run([oracle, path])
    #expect(decoded.status == 0, "\(decoded.errors)")
    #expect(decoded.lines.last?.contains("historicSpec") == true, "\(decoded.lines.last ?? "")")
  }

  @Test func `a new store has the layout of the real one`() async throws {
    let folder = try TemporaryFolder()
    let real = try folder.copy(store: #require(RealStores.path("swiftdata-cocktails.store")))
    let fresh = folder.file("Fresh.store")
    _ = try open(fresh)
    for sql in [
      "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY 2",
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000",
    ] {
      #expect(try StoreQuery(path: fresh).lines(sql) == StoreQuery(path: real).lines(sql))
    }
    guard let python = Tool("python3") else { return }
    let script = folder.file("composites.py")
    try FileBytes.write(Array(Self.composites.utf8), to: script)
    let (models, own) = (
      try await python.run([script, real]), try await python.run([script, fresh])
    )
    #expect(models.lines.count == 11, "\(models.errors)")
    #expect(own.lines == models.lines, "\(own.errors)")
  }

  /// Prints what a store's cached model has about composite attributes.
  private static let composites = """
    import plistlib, sqlite3, sys, zlib
    content = sqlite3.connect(sys.argv[1]).execute('SELECT Z_CONTENT FROM Z_MODELCACHE').fetchone()[0]
    archive = plistlib.loads(zlib.decompress(content, -15))
    objects = archive['$objects']
    get = lambda x: objects[x.data] if isinstance(x, plistlib.UID) else x
    def plain(x):
        x = get(x)
        if isinstance(x, dict) and 'NS.keys' in x:
            return sorted((plain(k), plain(v)) for k, v in zip(x['NS.keys'], x['NS.objects']))
        return [plain(y) for y in x['NS.objects']] if isinstance(x, dict) and 'NS.objects' in x else x
    lines = []
    for o in objects:
        if isinstance(o, dict) and 'NSCompositeElements' in o:
            leaves = [(get(e['NSPropertyName']), e['NSAttributeType'],
                get(e['NSAttributeValueClassName']), bool(e.get('NSIsOptional')), get(e['$class'])['$classname'])
                for e in map(get, get(o['NSCompositeElements'])['NS.objects'])]
            lines.append(str((get(o['NSPropertyName']), o['NSAttributeType'],
                get(o['NSAttributeValueClassName']), bool(o.get('NSIsOptional')), get(o['$class'])['$classname'],
                plain(o['NSUserInfo']) if get(o.get('NSUserInfo')) not in (None, '$null') else None, leaves)))
    print('\\n'.join(sorted(lines)))
    """
}
