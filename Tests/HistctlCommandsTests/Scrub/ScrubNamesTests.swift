import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// `scrub --names`: copies that do not tell which app they are from.
@Suite(.bounded) struct ScrubNamesTests {
  // MARK: - A model with everything that depends on names

  private static func attribute(
    _ name: String, _ type: AttributeType = .string, preserved: Bool = false
  ) -> ManagedProperty {
    .attribute(.init(name: name, type: type, preservesValueOnDeletion: preserved))
  }

  private static func link(
    _ name: String, _ destination: String, _ inverse: String?, many: Bool = false,
    ordered: Bool = false
  ) -> ManagedProperty {
    .relationship(
      .init(
        name: name, destinationName: destination, inverseName: inverse, isToMany: many,
        isOrdered: ordered))
  }

  /// To-many relationships, whose places in a mask follow from the hashes of their names.
  private static let lists = [
    "likes", "shares", "replies", "quotes", "photos", "videos", "viewers", "editors", "topics",
    "flags", "footnotes", "zones",
  ]

  private static let model = ManagedModel(
    entities: [
      // Properties sort with regard to case, entities without.
      ManagedEntity(
        name: "Post",
        properties: [
          attribute("fooBar"), attribute("foobar", preserved: true), attribute("Zulu", .date),
          attribute("tail", .integer64, preserved: true), attribute("größe", .double),
          attribute("name"),
          .attribute(
            .init(
              name: "kind", type: .string, valueClassName: "Array<MyApp.Color>",
              valueTransformerName: "MyColorTransformer", defaultValue: .text("somewhere"))),
          .attribute(
            .init(
              name: "status", type: .composite,
              elements: [
                .init(name: "Sleeping", type: .string), .init(name: "active", type: .string),
              ]
            )),
          link("writer", "person", "posts"),
          link("hidden", "Remark", nil, many: true),
          link("fans", "Post", "idols", many: true), link("idols", "Post", "fans", many: true),
          link("related", "Post", "related", many: true),
        ] + lists.map { link($0, "Remark", $0 + "Owner", many: true, ordered: $0 == "quotes") },
        uniquenessConstraints: [["fooBar", "foobar"]], indexes: [["tail", "Zulu"]]),
      ManagedEntity(
        name: "Remark",
        properties: [attribute("foobar"), link("tagged", "label", "remarks", many: true)]
          + lists.map { link($0 + "Owner", "Post", $0) }),
      ManagedEntity(
        name: "person", isAbstract: true,
        properties: [
          attribute("surname", preserved: true), link("posts", "Post", "writer", many: true),
        ]),
      ManagedEntity(
        name: "Zookeeper", superentityName: "person",
        properties: [attribute("keys", .binaryData, preserved: true)]),
      ManagedEntity(
        name: "apprentice", superentityName: "person", properties: [attribute("keys")]),
      ManagedEntity(
        name: "label",
        properties: [attribute("caption"), link("remarks", "Remark", "tagged", many: true)]),
    ], versionIdentifiers: ["1.2.0", "SecretModel"])

  /// A store of the model in which each relationship has changed.
  private static func store(in folder: TemporaryFolder) throws -> String {
    let path = folder.file("hard.store")
    try StoreCreator.create(at: path, model: model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    let keeper = save.insert(
      "Zookeeper", values: ["surname": .text("Miller"), "keys": .blob([1, 2, 3])])
    let apprentice = save.insert("apprentice", values: ["surname": .text("Smith")])
    let posts = (0..<4).map { number in
      save.insert(
        "Post",
        values: [
          "fooBar": .text("a\(number)"), "foobar": .text("b\(number)"), "tail": .integer(7),
          "status.active": .text("active"), "kind": .text("somewhere"),
        ], toOne: ["writer": number < 2 ? keeper : apprentice])
    }
    let remarks = (0..<30).map { save.insert("Remark", values: ["foobar": .text("c\($0)")]) }
    let label = save.insert("label", toMany: ["remarks": Array(remarks[0..<5])])
    let first = try #require(try editor.append(save))
    func stored(_ object: StoreObject) throws -> StoreObject { try #require(first.stored(object)) }
    for (number, list) in (lists + ["fans", "idols", "related", "hidden"]).enumerated() {
      var change = StoreSave()
      let isSelf = ["fans", "idols", "related"].contains(list)
      let members = isSelf ? [posts[1], posts[2]] : [remarks[number], remarks[number + 10]]
      change.update(
        try stored(posts[0]), values: number.isMultiple(of: 3) ? ["Zulu": .real(12.5)] : [:],
        toMany: [list: try members.map(stored)])
      try editor.append(change)
    }
    var last = StoreSave()
    last.update(try stored(posts[1]), values: ["status.Sleeping": .text("Sleeping")])
    last.delete(try stored(posts[3]))
    last.delete(try stored(apprentice))
    last.delete(try stored(keeper))
    last.delete(try stored(label))
    try editor.append(last)
    try editor.close()
    return path
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `neutral names are used everywhere, and commands work on the copy`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let copy = try await ScrubTests.check(store, in: folder, names: true)[0]
    for command in [["verify", "--full"], ["check"], ["info"], ["stats"], ["log", "--changes"]] {
      let result = try await InProcess.run(command + [copy])
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(!result.errors.contains("model"), "\(result.errors)")
    }
    let after = try StoreQuery(path: copy)
    let entities = "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_NAME"
    #expect(try after.lines(entities) == (1...6).map { "Entity0\($0)" })
    let frameworkEntities = "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1"
    #expect(
      try after.lines(frameworkEntities) == StoreQuery(path: store).lines(frameworkEntities))
    // A new store of the copy's model has the same tables, indexes and hashes.
    let model = try #require(
      try StoreFile(path: copy).read { try $0.modelCache().model })
    let new = folder.file("new.store")
    try StoreCreator.create(at: new, model: model)
    let expected = try StoreQuery(path: new)
    let columns = """
      SELECT m.name || ' ' || c.name || ' ' || c.type || ' ' || (c.pk > 0)
      FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' ORDER BY 1
      """
    #expect(try after.lines(columns) == expected.lines(columns))
    let indexes = "SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY 1"
    let (names, expectedNames) = (try after.lines(indexes), try expected.lines(indexes))
    #expect(Set(names).isSuperset(of: expectedNames))
    #expect(
      Set(names).subtracting(expectedNames).map { $0.replacing(#/\d\d/#, with: "..") }
        == ["Z_Entity.._SwiftDataIndexOnBinaryproperty..property.."])
    let properties = try [copy, new].map { path in
      try StoreQuery(path: path).rows("SELECT Z_PLIST FROM Z_METADATA")[0][0]
    }
    let hashes = try properties.map { value -> Data in
      guard case .blob(let bytes) = value,
        let plist = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
          as? [String: Any]
      else { throw CocoaError(.coderReadCorrupt) }
      #expect(plist["NSStoreModelVersionIdentifiers"] as? [String] == ["1.2.0", "Version2"])
      return try PropertyListSerialization.data(
        fromPropertyList: plist.filter { $0.key.contains("Hashes") || $0.key.contains("Checksum") },
        format: .xml, options: 0)
    }
    #expect(hashes[0] == hashes[1])
    // A default value is replaced as values are.
    let kind = try #require(
      model.entities.values.flatMap(\.attributes).first { $0.valueClassName != nil })
    #expect(
      kind.valueClassName == "Array<Class02.Class01>" && kind.valueTransformerName == "Class03")
    guard case .text(let text)? = kind.defaultValue else {
      Issue.record("no default value")
      return
    }
    #expect(
      try after.lines("SELECT count(*) FROM ZENTITY04 WHERE Z\(kind.name.uppercased()) = '\(text)'")
        == ["3"])
    // The copy can be copied again; neutral names stay as they are.
    let again = try await Tool.histctl.run(
      ["scrub", copy, "-o", folder.file("again.store"), "--yes", "--names"])
    #expect(again.status == 0, "\(again.errors)")
    #expect(
      try StoreQuery(path: folder.file("again.store")).lines(columns) == after.lines(columns))
  }

  // MARK: - Schema of the app's own

  @Test func `tables, columns and indexes of the app get neutral names`() async throws {
    let folder = try TemporaryFolder()
    let store = try ScrubTests.oddities(folder)
    let query = try StoreQuery(path: store)
    for sql in [
      "CREATE TABLE \"Odd 'names' here\" (\"first column\" TEXT DEFAULT 'secretive' /* a secretive */, "
        + "Zweite MYTYPE CHECK (Zweite <> 'secretive') -- remark\n, [order] INTEGER)",
      "CREATE INDEX \"index of oddities\" ON \"Odd 'names' here\" (lower(Zweite)) "
        + "WHERE \"first column\" = 'secretive'",
      "CREATE VIRTUAL TABLE Z_RT_Trip_nearby USING rtree (Z_PK INTEGER PRIMARY KEY, ZX_MIN FLOAT, "
        + "ZX_MAX FLOAT)",
      "CREATE TRIGGER Z_RT_Trip_nearby_INSERT AFTER INSERT ON ZTRIP WHEN NEW.ZNAME = 'secretive' "
        + "BEGIN INSERT INTO Z_RT_Trip_nearby (Z_PK, ZX_MIN, ZX_MAX) VALUES (NEW.Z_PK, NEW.ZX, NEW.ZX); "
        + "END",
      "INSERT INTO Z_RT_Trip_nearby SELECT Z_PK, ZX, ZX FROM ZTRIP",
      "CREATE INDEX Z_Trip_byWhatever ON ZTRIP (ZVISITS, ZX) WHERE ZNAME = 'ab'",
      "CREATE VIEW Panorama AS SELECT trips.ZNAME AS Bezeichnung, count(*) FROM ZTRIP AS trips "
        + "LEFT JOIN \"Odd 'names' here\" AS n ON trips.ZNAME = n.Zweite GROUP BY Bezeichnung",
    ] { try query.run(sql) }
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run(
      ["scrub", store, "-o", copy, "--yes", "--names", "--authors", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains(#""keepsNames":false"#))
    // What only a statement describes.
    #expect(
      result.text.contains(
        #""omittedObjects":["WORDS","LOUD","LOOK","index of oddities","Z_RT_Trip_nearby","#
          + #""Z_RT_Trip_nearby_INSERT","Z_Trip_byWhatever","Panorama"]"#))
    let after = try StoreQuery(path: copy)
    let words = Set(
      try after.lines(
        """
        SELECT name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_master
        WHERE tbl_name NOT LIKE 'A%'
        """
      ).joined(separator: " ").split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    let leftOver = words.filter { word in
      [
        "odd", "secret", "column", "zweite", "mytype", "nearby", "whatever", "panorama", "trips",
        "bezeichnung", "remark", "visits", "photo", "loud", "look", "notes", "words", "word",
      ]
      .contains { word.lowercased().contains($0) }
        && word.wholeMatch(of: #/Z?COLUMN\d+/#) == nil
    }
    #expect(leftOver == [])
    for (sql, expected) in [
      ("PRAGMA integrity_check", "ok"),
      ("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')", "0"),
      ("SELECT count(*) FROM sqlite_master WHERE rootpage = 0", "0"),
      ("SELECT count(*) FROM ZENTITY05", "800"),
      (
        "SELECT sql FROM sqlite_master WHERE name LIKE 'TABLE2'",
        #"CREATE TABLE "TABLE2" ("COLUMN5" TEXT, "ZCOLUMN6" NUMERIC, "COLUMN7" INTEGER)"#
      ),
      (
        "SELECT replace(sql, '\"', '') FROM sqlite_master WHERE name LIKE 'INDEX%'",
        "CREATE UNIQUE INDEX INDEX1 ON ZENTITY05 (ZCOLUMN3)"
      ),
    ] {
      #expect(try after.lines(sql) == [expected], "\(sql)")
    }
  }

  /// SQLite itself says whether a table of the copy is declared like that of the store.
  @Test func `tables of the app are declared alike under neutral names`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let query = try StoreQuery(path: store)
    for sql in [
      "CREATE TABLE Falling (Number INTEGER PRIMARY KEY DESC, Zone DATETIME NOT NULL)",
      "CREATE TABLE Keyed (Early TEXT, Late VARCHAR(20) COLLATE NOCASE, PRIMARY KEY (Late, Early)) WITHOUT ROWID",
      "CREATE TABLE Firm (Early INT PRIMARY KEY, Late ANY, UNIQUE (Late, Early), UNIQUE (Early)) STRICT",
      "CREATE TABLE Loose (Early, Late 'double precision', Sum AS (Early + Late), UNIQUE (Late DESC))",
      "CREATE INDEX ByBoth ON Loose (Late COLLATE RTRIM DESC, Early)",
      "CREATE UNIQUE INDEX BySum ON Loose (Sum)",
    ] { try query.run(sql) }
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run([
      "scrub", store, "-o", copy, "--yes", "--names", "--json",
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains(#""omittedObjects":["BySum"]"#))
    let shapes = [
      """
      SELECT l.wr, l.strict, x.cid, iif(x.type LIKE 'double%', 'REAL', x.type), x."notnull", x.pk
      FROM sqlite_master AS m, pragma_table_list(m.name) AS l, pragma_table_info(m.name) AS x
      WHERE m.type = 'table' AND m.name NOT LIKE 'Z%' ORDER BY m.rowid, x.cid
      """,
      """
      SELECT i."unique", i.origin, x.seqno, x.cid, x."desc", x.coll
      FROM sqlite_master AS m, pragma_index_list(m.name) AS i, pragma_index_xinfo(i.name) AS x
      WHERE m.type = 'table' AND m.name NOT LIKE 'Z%' AND i.name <> 'BySum' AND x.key
      ORDER BY m.rowid, i.seq, x.seqno
      """,
    ]
    for shape in shapes {
      #expect(try StoreQuery(path: copy).lines(shape) == query.lines(shape))
    }
    let plan = try await Tool.histctl.run(["scrub", store, "-o", copy + "2", "-n", "--names"])
    #expect(plan.text.contains("indexes with expressions or conditions: BySum"))
  }

  // MARK: - Without a model

  @Test(arguments: ["no table", "null", "unreadable", "of another store"])
  func `names are replaced without a usable model`(_ kind: String) async throws {
    let folder = try TemporaryFolder()
    let store = folder.file("a.store")
    var shape = StoreWriter.Shape()
    switch kind {
    case "no table": shape.hasModelCacheTable = false
    case "null": shape.modelCache = .some(nil)
    case "unreadable": shape.modelCache = Array("not BucketListItem but Accommodation".utf8)
    default: shape.modelCache = try ModelArchive.cache(of: Self.model)
    }
    let writer = try StoreWriter(path: store, shape: shape)
    try SampleStore.fill(writer)
    try writer.sql(
      """
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTAY INTEGER,
        Z1_STAY INTEGER, ZWHEREABOUTS VARCHAR);
      CREATE INDEX ZTRIP_ZSTAY_INDEX ON ZTRIP (ZSTAY);
      CREATE TABLE Z_4TRIPS (Z_4TAGS INTEGER, Z_5TRIPS INTEGER, PRIMARY KEY (Z_4TAGS, Z_5TRIPS));
      INSERT INTO ZTRIP VALUES (1, 5, 1, 1, 2, 'Lisbon');
      INSERT INTO Z_4TRIPS VALUES (3, 1);
      """)
    try writer.close()
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run([
      "scrub", store, "-o", copy, "--yes", "--names", "--authors",
    ])
    // The warning of a damaged model makes the status, as without --names.
    #expect(result.status == (kind == "unreadable" ? 5 : 0), "\(result.errors)")
    let plan = try await Tool.histctl.run(["scrub", store, "-o", copy + "2", "-n", "--names"])
    #expect(
      plan.text.contains("the model, which cannot be read or does not fit the tables")
        == ["unreadable", "of another store"].contains(kind))
    let after = try StoreQuery(path: copy)
    #expect(try after.lines("PRAGMA integrity_check") == ["ok"])
    #expect(
      try after.lines("SELECT name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        .filter { $0.contains("ENTITY") || $0.contains("TABLE") }
        == ["ZENTITY05", "ZENTITY05_ZCOLUMN1_INDEX", "Z_4TABLE1"])
    #expect(
      try after.lines("SELECT name FROM pragma_table_info('ZENTITY05')")
        == ["Z_PK", "Z_ENT", "Z_OPT", "ZCOLUMN1", "Z1_COLUMN1", "ZCOLUMN2"])
    #expect(try after.lines("SELECT * FROM Z_4TABLE1") == ["3|1"])
    #expect(try after.lines("SELECT Z1_COLUMN1 FROM ZENTITY05") == ["2"])
    if kind != "no table" {
      #expect(
        try after.lines("SELECT count(*) FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL") == ["0"])
    }
    let (before, now) = (try StoreQuery(path: store), after)
    let masks = "SELECT hex(ZCOLUMNS), ZENTITY, ZENTITYPK FROM ACHANGE ORDER BY Z_PK"
    #expect(try before.lines(masks) == now.lines(masks))
    let bytes = String(decoding: try FileBytes.read(copy), as: UTF8.self).lowercased()
    for name in ["trip", "bucket", "accommodation", "whereabouts", "lisbon", "zookeeper"] {
      #expect(!bytes.contains(name), "\(name)")
    }
    // Its history can be read.
    let log = try await InProcess.run(["log", copy, "--json"])
    #expect(log.status == 0 && log.lines.count == SampleStore.transactionCount, "\(log.errors)")
  }
}
