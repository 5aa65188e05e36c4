import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// What `info --model` says of a store's entities, for people and for programs.
@Suite(.bounded) struct ModelInfoTests {
  /// The trips' model, and an entity with every kind of thing that it does not have.
  private static let model = ManagedModel(
    entities: Array(TripsModel.model.entities.values) + [
      ManagedEntity(
        name: "Photo",
        properties: [
          .attribute(
            .init(name: "data", type: .binaryData, allowsExternalStorage: true)),
          .attribute(.init(name: "edits", type: .transformable, valueClassName: "Array<String>")),
          .attribute(.init(name: "width", type: .integer32, isOptional: false)),
          .attribute(.init(name: "area", type: .double, isDerived: true)),
          .relationship(
            .init(
              name: "stays", destinationName: "Accommodation", isToMany: true,
              deleteRule: .cascade)),
        ], uniquenessConstraints: [["width", "area"]])
    ], versionIdentifiers: ["1.0.0"])

  private static func folder(sql: String? = nil) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    try StoreCreator.create(
      at: path, model: model, identifier: StoreWriter.identifier)
    if let sql { try StoreQuery(path: path).run(sql) }
    return folder
  }

  private static func run(_ line: String, in folder: TemporaryFolder) async throws -> Tool.Result {
    try await InProcess.run(line.split(separator: " ").map(String.init), folder: folder.path)
  }

  @Test func `the model is a page`() async throws {
    let result = try await Self.run(
      "info trips.store --model --entity Trip --entity Photo --entity LivingAccommodation",
      in: Self.folder())
    #expect(
      result.text == """
        store       trips.store
        identifier  1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F
        model       version 1.0.0, 6 entities

        entity      LivingAccommodation
        number      2
        parent      Accommodation
        table       ZACCOMMODATION
        tombstone   placeName

        SLOT  NAME         TYPE          NOTES                             COLUMN
           0  trip         to-one Trip?  inverse stay, from Accommodation  ZTRIP
           1  address      String?       from Accommodation                ZADDRESS
           2  isConfirmed  Bool?                                           ZISCONFIRMED
           3  placeName    String?       tombstone 0                       ZPLACENAME

        entity      Photo
        number      4
        table       ZPHOTO
        unique      width + area

        SLOT  NAME   TYPE                    NOTES             COLUMN
           0  area   Double?                 derived           ZAREA
           1  data   Data?                   external storage  ZDATA
           2  edits  transformable?          Array<String>     ZEDITS
           3  width  Int32                                     ZWIDTH
           4  stays  to-many Accommodation?  cascade           ZACCOMMODATION.Z4STAYS

        entity      Trip
        number      6
        table       ZTRIP
        tombstone   identifier, isFavorite, name, score, startDate, token

        SLOT  NAME             TYPE                     NOTES                  COLUMN
         0,1  stay             to-one Accommodation?    inverse trip           ZSTAY,Z1_STAY
           2  cost             Double?                                         ZCOST
           3  identifier       UUID?                    tombstone 0            ZIDENTIFIER
           4  isFavorite       Bool?                    tombstone 1            ZISFAVORITE
           5  name             String?                  tombstone 2            ZNAME
              place            composite?
           6  place.latitude   Double?                                         ZLATITUDE
           7  place.longitude  Double?                                         ZLONGITUDE
           8  score            Int64?                   tombstone 3            ZSCORE
           9  startDate        Date?                    tombstone 4            ZSTARTDATE
          10  token            Data?                    tombstone 5            ZTOKEN
          11  items            to-many BucketListItem?  inverse trip, ordered  ZBUCKETLISTITEM.ZTRIP,Z_FOK_TRIP
          12  tags             to-many Tag?             inverse trips          Z_5TRIPS.Z_6TRIPS,Z_5TAGS
              draft            String?                  transient

        """)
    #expect(result.errors == "" && result.status == 0)
  }

  @Test(.enabled(if: Tool.hasTerminals)) func `a narrow terminal truncates no names`() async throws
  {
    let folder = try Self.folder()
    let line = ["info", folder.file("trips.store"), "--model", "--entity", "Trip", "--no-pager"]
    let screen = try await Tool.histctl.runOnTerminal(
      line + ["--color", "never"], columns: 60, rows: 60
    ).screen
    let table = screen.split(separator: "\n").map(String.init).filter { $0.hasPrefix("  ") }
    #expect(table.count == 13 && table.allSatisfy { $0.count <= 60 })
    #expect(screen.contains("\n  11  items            to-many BucketListItem?"))
    #expect(!screen.contains("ZNAME"))
    #expect(screen.contains("hidden: terminal too narrow"))
    let wide = try await Tool.histctl.runOnTerminal(
      line + ["--color", "never"], columns: 120, rows: 60
    ).screen
    #expect(wide.contains("inverse trip, ordered  ZBUCKETLISTITEM.ZTRIP,Z_FOK_TRIP"))
    #expect(!wide.contains("…") && !wide.contains("hidden"))
  }

  @Test func `the model has a record for each entity`() async throws {
    let result = try await Self.run("info trips.store --model --json", in: Self.folder())
    let records = try result.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(records.map { $0["number"] as? Int } == [1, 2, 3, 4, 5, 6])
    #expect(
      records.map { $0["entity"] as? String } == [
        "Accommodation", "LivingAccommodation", "BucketListItem", "Photo", "Tag", "Trip",
      ])
    #expect(records.map { $0["abstract"] as? Bool } == [true, false, false, false, false, false])
    #expect(records[0]["subentities"] as? [String] == ["LivingAccommodation"])
    try await SchemaCheck.expectFits(result.text)
    let lines = result.lines
    #expect(
      lines[1].hasPrefix(
        #"{"schema":1,"type":"entity","path":"trips.store","store":"\#(StoreWriter.identifier)","#
          + #""entity":"LivingAccommodation","number":2,"parent":"Accommodation","abstract":false,"#
          + #""table":"ZACCOMMODATION","tombstone":["placeName"],"properties":["#
          + #"{"name":"trip","kind":"toOne","destination":"Trip","inverse":"stay","optional":true,"#
          + #""ordered":false,"transient":false,"deleteRule":"nullify","#
          + #""inheritedFrom":"Accommodation","slots":[0],"table":"ZACCOMMODATION","#
          + #""columns":["ZTRIP"],"tombstone":false},"#))
    #expect(
      lines[3].contains(
        #"{"name":"area","kind":"attribute","type":"Double","optional":true,"transient":false,"#
          + #""derived":true,"externalStorage":false,"slots":[0],"table":"ZPHOTO","#
          + #""columns":["ZAREA"],"tombstone":false}"#))
    #expect(
      lines[5].contains(
        #""elements":[{"name":"place.latitude","type":"Double","optional":true,"slot":6,"#
          + #""table":"ZTRIP","columns":["ZLATITUDE"]},"#))
  }

  @Test func `an unknown entity is refused with a similar one`() async throws {
    let folder = try Self.folder()
    let result = try await Self.run("info trips.store --model --entity Tripp", in: folder)
    #expect(result.status == 64 && result.text == "")
    #expect(
      result.errors
        == "histctl: no entity is named 'Tripp'\nhint: did you mean Trip?\n")
    // As log has it.
    let log = try await Self.run("log trips.store --entity Tripp", in: folder)
    #expect(log.errors == result.errors && log.status == 64)
    let alone = try await Self.run("info trips.store --entity Trip", in: folder)
    #expect(alone.status == 64 && alone.errors.contains("--entity needs --model"))
  }

  @Test func `a store without a model lists its columns`() async throws {
    let folder = try Self.folder(sql: "DELETE FROM Z_MODELCACHE")
    let result = try await Self.run("info trips.store --model --entity Tag", in: folder)
    #expect(result.status == 0)
    #expect(result.errors.contains("trips.store has no model cache, so attributes"))
    #expect(
      result.text.hasSuffix(
        """

        entity      Tag
        number      5
        table       ZTAG

        COLUMN  DECLARED
        Z_PK    INTEGER
        Z_ENT   INTEGER
        Z_OPT   INTEGER
        ZLABEL  VARCHAR

        """))
    let program = try await Self.run("info trips.store --model --json", in: folder)
    #expect(program.errors.contains(#""type":"warning","kind":"missingModel""#))
    #expect(program.text.contains(#""columns":[{"name":"Z_PK","type":"INTEGER"},"#))
    #expect(!program.text.contains("properties"))
    try await SchemaCheck.expectFits(program.text)
  }

  @Test func `a damaged model is reported`() async throws {
    let folder = try Self.folder(sql: "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'")
    let result = try await Self.run("info trips.store --model", in: folder)
    #expect(result.status == 5)
    #expect(result.errors.contains("the model cache of trips.store is damaged"))
    #expect(result.text.contains("\nentity      Trip\nnumber      6\ntable       ZTRIP\n"))
  }

  @Test func `a missing column is reported`() async throws {
    let folder = try Self.folder(
      sql: "ALTER TABLE ZTRIP DROP COLUMN ZCOST; ALTER TABLE ZTAG DROP COLUMN ZLABEL")
    let result = try await Self.run("info trips.store --model", in: folder)
    #expect(result.text.contains("  2  cost             Double?                  no column\n"))
    #expect(!result.text.contains("ZCOST"))
    #expect(result.errors.contains("the tables have no column for Tag.label, Trip.cost\n"))
    #expect(result.status == 0)
  }

  /// A store without history has a model all the same.
  @Test func `a model is shown without a history`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("plain.store")
    try StoreCreator.create(at: path, model: Self.model)
    try StoreQuery(path: path).run(
      "DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING")
    let result = try await Self.run("info plain.store --model", in: folder)
    #expect(result.status == 0 && result.errors == "")
    #expect(result.text.contains("\nentity      Trip\n"))
  }

  @Test func `an archive describes its model`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("archive sample.store arch --before 9 --quiet").status == 0)
    let result = try await sample.run("info arch --model --entity LivingAccommodation")
    #expect(
      result.text == """
        archive     arch
        identifier  1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F
        model       version 1.0.0, 5 entities

        entity      LivingAccommodation
        number      2
        tombstone   placeName

        SLOT  NAME         TYPE       NOTES
           0  trip         to-one
           1  address      attribute
           2  isConfirmed  attribute
           3  placeName    String     tombstone 0

        """)
    let program = try await sample.run("info arch --model --json")
    #expect(program.lines.count == 5)
    try await SchemaCheck.expectFits(program.text)
    let unknown = try await sample.run("info arch --model --entity Livin")
    #expect(unknown.status == 64 && unknown.text == "")
    #expect(unknown.errors.contains("did you mean LivingAccommodation?"))
  }

  @Test func `exported lines have no model`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("export sample.store -o a.jsonl --quiet").status == 0)
    let result = try await sample.run("info a.jsonl --model")
    #expect(result.status == 64 && result.text == "")
    #expect(result.errors.hasPrefix("histctl: exported lines have no model\n"))
  }

  @Test(.enabled(if: Tool.hasTerminals)) func `hostile names are escaped`() async throws {
    let folder = try TemporaryFolder()
    let name = "a\u{1B}[2Jb\u{202E}c\nd"
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Trip",
        properties: [
          .attribute(.init(name: name, type: .transformable, valueClassName: name)),
          .relationship(.init(name: "x", destinationName: name, inverseName: name)),
        ], uniquenessConstraints: [[name]])
    ])
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(try ModelArchive.cache(of: model))
    try StoreWriter(path: folder.file("x.store"), shape: shape).close()
    let line = ["info", folder.file("x.store"), "--model", "--no-pager", "--color", "never"]
    let terminal = try await Tool.histctl.runOnTerminal(line, columns: 200)
    #expect(!terminal.text.contains("\u{1B}[2J") && !terminal.text.contains("\u{202E}"))
    #expect(terminal.text.contains(#"inverse a\e[2Jb\u{202E}c\nd"#))
    #expect(terminal.text.contains(#"unique      a\e[2Jb\u{202E}c\nd"#))
    let piped = try await InProcess.run(line)
    #expect(piped.text.contains(#"inverse a\e[2Jb\u{202E}c\nd"#))
  }

  @Test func `thousands of properties are all shown`() async throws {
    let folder = try TemporaryFolder()
    let properties = (0..<5000).map { number in
      ManagedProperty.attribute(.init(name: "p\(number)", type: .integer64))
    }
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(
      try ModelArchive.cache(
        of: ManagedModel(entities: [ManagedEntity(name: "Trip", properties: properties)])))
    try StoreWriter(path: folder.file("x.store"), shape: shape).close()
    let result = try await Self.run("info x.store --model --entity Trip", in: folder)
    #expect(result.status == 0)
    #expect(result.lines.filter { $0.contains("Int64?") }.count == 5000)
  }

  /// A decoder in another language reads the same out of the model cache.
  @Test(
    .enabled(if: RealStores.oracle != nil && Tool("python3") != nil), arguments: RealStores.paths)
  func `models of real stores agree with an independent decoder`(_ path: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let records = try await InProcess.run(["info", store, "--model", "--json"])
    #expect(records.status == 0 && !records.lines.isEmpty)
    try FileBytes.write(records.output, to: folder.file("records"))
    try await SchemaCheck.expectFits(records.text)
    let result = try await #require(Tool("python3")).run([
      Manual.path("Tests/Tools/compare_model.py"), try #require(RealStores.oracle), store,
      folder.file("records"),
    ])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }
}
