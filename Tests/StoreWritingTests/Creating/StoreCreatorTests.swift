import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

@Suite(.bounded) struct StoreCreatorTests {
  @Test func `the schema of a new store is the frameworks' byte for byte`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let query = try StoreQuery(path: path)
    #expect(
      try query.lines("SELECT sql FROM sqlite_master WHERE sql NOT NULL") == [
        "CREATE TABLE ZACCOMMODATION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTRIP INTEGER, ZISCONFIRMED INTEGER, ZADDRESS VARCHAR, ZPLACENAME VARCHAR )",
        "CREATE TABLE ZBUCKETLISTITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER, ZTRIP INTEGER, Z_FOK_TRIP INTEGER, ZTITLE VARCHAR )",
        "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR )",
        "CREATE TABLE Z_4TRIPS ( Z_4TAGS INTEGER, Z_5TRIPS INTEGER, PRIMARY KEY (Z_4TAGS, Z_5TRIPS) )",
        "CREATE TABLE ZTRIP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISFAVORITE INTEGER, ZSCORE INTEGER, ZSTAY INTEGER, Z1_STAY INTEGER, ZCOST FLOAT, ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZSTARTDATE TIMESTAMP, ZNAME VARCHAR, ZIDENTIFIER BLOB, ZTOKEN BLOB )",
        "CREATE INDEX ZACCOMMODATION_ZTRIP_INDEX ON ZACCOMMODATION (ZTRIP)",
        "CREATE INDEX ZACCOMMODATION_Z_ENT_INDEX ON ZACCOMMODATION (Z_ENT)",
        "CREATE INDEX ZBUCKETLISTITEM_ZTRIP_INDEX ON ZBUCKETLISTITEM (ZTRIP)",
        "CREATE INDEX Z_4TRIPS_Z_5TRIPS_INDEX ON Z_4TRIPS (Z_5TRIPS, Z_4TAGS)",
        "CREATE INDEX ZTRIP_ZSTAY_INDEX ON ZTRIP (ZSTAY)",
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB, ZTOMBSTONE2 BLOB, ZTOMBSTONE3 BLOB, ZTOMBSTONE4 BLOB, ZTOMBSTONE5 BLOB )",
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
        "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
      ])
    #expect(
      try query.lines("SELECT * FROM Z_PRIMARYKEY") == [
        "1|Accommodation|0|0", "2|LivingAccommodation|1|0", "3|BucketListItem|0|0", "4|Tag|0|0",
        "5|Trip|0|0",
      ])
    #expect(try query.lines("PRAGMA page_size") == ["4096"])
    #expect(try query.lines("PRAGMA auto_vacuum") == ["2"])
    #expect(try query.lines("PRAGMA journal_mode") == ["wal"])
    #expect(try query.lines("PRAGMA user_version") == ["0"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `the metadata is as requested`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new.store")
    let model = ManagedModel(
      entities: [ManagedEntity(name: "Trip", properties: [])], versionIdentifiers: ["1.0.0"])
    try StoreCreator.create(at: path, model: model, identifier: StoreWriter.identifier)
    #expect(try folder.names() == ["new.store"])
    try StoreFile(path: path).read { store in
      #expect(store.metadata.storeIdentifier == StoreWriter.identifier)
      #expect(store.metadata.frameworkVersion?.system == "macOS 15 / iOS 18")
      #expect(store.metadata.modelVersionIdentifiers == ["1.0.0"])
      #expect(store.metadata.applicationKeys.isEmpty)
      let cache = try store.modelCache()
      #expect(cache == .model(model))
      #expect(store.layout.history?.tombstoneColumns == [])
    }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `plistlib reads the metadata`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let program = """
      import sqlite3, plistlib, base64, sys
      row = sqlite3.connect(sys.argv[1]).execute('select Z_VERSION, Z_UUID, Z_PLIST from Z_METADATA')
      version, uuid, plist = row.fetchone()
      p = plistlib.loads(plist)
      print(version, len(uuid), uuid[14], uuid == uuid.upper(), p['NSStoreType'])
      print(sorted(p))
      print({len(h) for h in p['NSStoreModelVersionHashes'].values()},
        len(set(p['NSStoreModelVersionHashes'].values())),
        len(base64.b64decode(p['NSStoreModelVersionHashesDigest'])),
        len(base64.b64decode(p['NSStoreModelVersionChecksumKey'])), p['_NSAutoVacuumLevel'])
      """
    let result = try #require(Tool("python3"))
    #expect(
      try await result.run(["-c", program, path]).lines == [
        "1 36 4 True SQLite",
        "['NSPersistenceFrameworkVersion', 'NSStoreModelVersionChecksumKey', "
          + "'NSStoreModelVersionHashes', 'NSStoreModelVersionHashesDigest', "
          + "'NSStoreModelVersionHashesVersion', 'NSStoreModelVersionIdentifiers', "
          + "'NSStoreType', '_NSAutoVacuumLevel']",
        "{32} 5 64 32 2",
      ])
  }

  @Test func `a model is read back with all its properties`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new.store")
    let model = ManagedModel(
      entities: [
        ManagedEntity(
          name: "Base", isAbstract: true,
          properties: [
            .attribute(.init(name: "code", type: .string, isOptional: false)),
            .attribute(
              .init(name: "made", type: .date, defaultValue: .real(743_906_557.824189))),
            .attribute(
              .init(name: "id", type: .uuid, defaultValue: .blob(Array(repeating: 7, count: 16)))),
            .attribute(.init(name: "on", type: .boolean, defaultValue: .integer(1))),
            .attribute(.init(name: "count", type: .integer16, defaultValue: .integer(-3))),
            .attribute(.init(name: "note", type: .string, defaultValue: .text("é"))),
            .attribute(.init(name: "share", type: .decimal, defaultValue: .real(0.25))),
          ], uniquenessConstraints: [["code"]]),
        ManagedEntity(
          name: "Leaf", superentityName: "Base",
          properties: [
            .relationship(
              .init(
                name: "owner", destinationName: "Owner", inverseName: "leaves",
                isOptional: false, deleteRule: .deny))
          ], uniquenessConstraints: [["note", "owner"]]),
        ManagedEntity(
          name: "Owner",
          properties: [
            .relationship(
              .init(
                name: "leaves", destinationName: "Leaf", inverseName: "owner", isToMany: true,
                isOrdered: true, deleteRule: .cascade)),
            .relationship(
              .init(
                name: "friends", destinationName: "Owner", inverseName: "friends", isToMany: true,
                isOptional: false, deleteRule: .noAction)),
          ]),
      ])
    try StoreCreator.create(at: path, model: model)
    try StoreFile(path: path).read { store in
      let cache = try store.modelCache()
      #expect(cache == .model(model))
    }
    #expect(
      try StoreQuery(path: path).lines(
        "SELECT sql FROM sqlite_master WHERE name LIKE '%UNIQUE%' AND tbl_name LIKE 'Z%'") == [
          "CREATE UNIQUE INDEX Z_Base_UNIQUE_code ON ZBASE (ZCODE COLLATE BINARY ASC)",
          "CREATE UNIQUE INDEX Z_Leaf_UNIQUE_note_owner ON ZBASE (ZNOTE COLLATE BINARY ASC, ZOWNER COLLATE BINARY ASC)",
        ])
  }

  @Test(.enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
  func `an independent decoder reads the model`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("new.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let oracle = try #require(RealStores.oracle)
    let lines = try await #require(Tool("python3")).run([oracle, path, "--model"]).lines
    #expect(lines.count == 5)
    #expect(
      lines.last
        == #"{"entity": "Trip", "slots": ["stay", "stay", "cost", "identifier", "isFavorite", "name", "place", "place", "score", "startDate", "token", "items", "tags"], "preserved": ["identifier", "isFavorite", "name", "score", "startDate", "token"]}"#
    )
  }

  @Test func `an existing file is left unchanged`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("taken")
    try FileBytes.write([1, 2, 3], to: path)
    #expect(throws: StoreWriteError.alreadyThere(path: path)) {
      try StoreCreator.create(at: path, model: TripsModel.model)
    }
    #expect(try FileBytes.read(path) == [1, 2, 3])
    #expect(throws: StoreWriteError.self) {
      try StoreCreator.create(at: folder.file("no/folder"), model: TripsModel.model)
    }
  }

  static let badModels: [(String, ManagedModel)] = [
    ("differ in case only", model(["Trip": [], "TRIP": []])),
    ("not a name for an entity", model(["a b": []])),
    ("not a name for a property", model(["Trip": [attribute("x; DROP TABLE")]])),
    ("two properties name", model(["Trip": [attribute("name"), attribute("name")]])),
    ("for which no column is known", model(["Trip": [attribute("x", .objectIdentifier)]])),
    (
      "leads to no entity",
      model(["Trip": [.relationship(.init(name: "x", destinationName: "Nowhere"))]])
    ),
    (
      "does not lead back",
      model([
        "Trip": [.relationship(.init(name: "x", destinationName: "Trip", inverseName: "y"))]
      ])
    ),
    (
      "the inheritance of the entity A has a missing entity or a cycle",
      ManagedModel(entities: [.init(name: "A", superentityName: "B", properties: [])])
    ),
    (
      "the inheritance of the entity A has a missing entity or a cycle",
      ManagedModel(entities: [
        .init(name: "A", superentityName: "B", properties: []),
        .init(name: "B", superentityName: "A", properties: []),
      ])
    ),
    (
      "uniqueness constraint of A names b",
      ManagedModel(entities: [
        .init(name: "A", properties: [attribute("a")], uniquenessConstraints: [["a", "b"]])
      ])
    ),
  ]

  @Test(arguments: badModels)
  func `a model without a store is refused`(message: String, model: ManagedModel) throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: StoreWriteError.self) {
      try StoreCreator.create(at: folder.file("new.store"), model: model)
    }
    #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
    #expect(try folder.names() == [])
  }

  private static func attribute(_ name: String, _ type: AttributeType = .string) -> ManagedProperty
  {
    .attribute(.init(name: name, type: type))
  }

  private static func model(_ entities: [String: [ManagedProperty]]) -> ManagedModel {
    ManagedModel(entities: entities.map { ManagedEntity(name: $0.key, properties: $0.value) })
  }
}
