import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// `recover`: the last known values of deleted objects, against SQLite's reading of a log that is cut before their
/// deletion.
@Suite(.bounded) struct RecoverTests {
  private typealias Object = [String: Any]

  private static let realStores = RealStores.paths.filter { path in
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    return (size ?? 0) > 0
  }

  private static func objects(_ text: some StringProtocol) throws -> [Object] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Object)
    }
  }

  private static func files(_ path: String) -> [[UInt8]?] {
    ["", "-wal"].map { try? FileBytes.read(path + $0) }
  }

  /// The transactions with deletions and how many they have.
  private static func deletions(_ path: String) async throws -> [(number: Int, count: Int)] {
    let result = try await InProcess.run(
      ["log", path, "--kind", "delete", "--only-matching", "--json"])
    return try objects(result.text).filter { $0["type"] as? String == "transaction" }.map {
      ($0["transaction"] as? Int ?? 0, ($0["changes"] as? [Object] ?? []).count)
    }
  }

  /// Compares the rows that are recovered of a store with those before each deletion; returns their number.
  private static func compare(_ path: String) async throws -> (deleted: Int, equal: Int) {
    let folder = try TemporaryFolder()
    let before = files(path)
    let truth = try LogTruth(path: path)
    let states = try (0..<truth.count).map { try truth.open($0, in: folder) }
    let newest = states.map { state -> Int64? in
      guard
        let value = (try? state.rows("SELECT max(Z_PK) FROM ATRANSACTION"))?.first?.first
      else { return nil }
      if case .integer(let number) = value { return number } else { return 0 }
    }
    var counts = (deleted: 0, equal: 0)
    for (number, count) in try await deletions(path) {
      let known = try objects(
        try await InProcess.run(["recover", path, "--transaction", "\(number)", "--json"]).text)
      #expect(known.count == count, "\(number)")
      for object in known {
        for (name, value) in try #require(object["values"] as? [String: Object]) {
          #expect(value["from"] != nil || value["unknown"] as? String != "", "\(name)")
        }
      }
      counts.deleted += count
      guard let after = newest.firstIndex(where: { $0.map { $0 >= number } ?? false }), after > 0
      else { continue }
      let sql = try await InProcess.run(["recover", path, "--transaction", "\(number)", "--sql"])
      #expect(sql.status == 0, "\(sql.errors)")
      let inserts = sql.lines.filter { $0.contains("(\"Z_PK\", \"Z_ENT\"") }
      for (index, insert) in inserts.enumerated() {
        let table = String(insert.split(separator: "\"")[1])
        let state = states[after - 1]
        guard
          let create =
            (try? state.lines(
              "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = '\(table)'"))?.first
        else { continue }
        let scratch = try StoreQuery(path: folder.file("row-\(number)-\(index).db"))
        try scratch.run(create)
        try scratch.run(insert)
        // Without the row in the log, columns that are not known are left out.
        let list = insert.prefix { $0 != ")" }.split(separator: "(")[1]
        let columns = list.split(separator: ", ").filter { $0 != "\"Z_OPT\"" }
          .joined(separator: ", ")
        let row = try #require(try scratch.rows("SELECT \(columns) FROM \"\(table)\"").first)
        let key = try #require(try scratch.lines("SELECT Z_PK FROM \"\(table)\"").first)
        let expected = try? state.rows("SELECT \(columns) FROM \"\(table)\" WHERE Z_PK = \(key)")
        #expect([row] == expected, "\(path) \(number) \(table) \(key)")
        if [row] == expected { counts.equal += 1 }
      }
    }
    #expect(files(path) == before)
    return counts
  }

  @Test(.needsRealStores, arguments: realStores)
  func `recovered rows of a real store are those of the log before the deletion`(
    _ path: String
  ) async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.compare(try folder.copy(store: path))
  }

  @Test(.needsRealStores, arguments: realStores)
  func `a recovered copy of a real store is intact`(
    _ path: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let before = Self.files(store)
    for (number, _) in try await Self.deletions(store).suffix(3) {
      let copy = folder.file("copy-\(number).store")
      let result = try await InProcess.run(
        ["recover", store, "--transaction", "\(number)", "-o", copy, "--json"])
      // Triggers that only Core Data can run, and objects of which too little is known.
      guard [0, 3].contains(result.status) else {
        #expect([2, 6].contains(result.status), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: copy))
        continue
      }
      let query = try StoreQuery(path: copy)
      #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
      let line = try #require(try Self.objects(result.text).last)
      let shown = try Self.objects(
        try await InProcess.run(["show", copy, "last", "--json"]).text)
      #expect(shown.last?["author"] as? String == "histctl")
      #expect(shown.last?["transaction"] as? Int == line["transaction"] as? Int)
      let verified = try await InProcess.run(["verify", copy])
      let original = try await InProcess.run(["verify", store])
      #expect(verified.status == original.status, "\(verified.text)")
    }
    #expect(Self.files(store) == before)
  }

  // MARK: - Stores of our own

  /// A trip with everything that a trip can have, deleted with one of its items, by an app that has the store open.
  private struct DeletedTrip {
    let trips: OpenTrips
    let row: [StoredValue]

    init(name: String = "Faro") throws {
      trips = try OpenTrips()
      try trips.save { save in
        let trip = save.insert(
          "Trip",
          values: [
            "name": .text(name), "startDate": .real(743_906_500.824189), "cost": .real(0.1 + 0.2),
            "identifier": .blob([UInt8](repeating: 9, count: 16)), "isFavorite": .integer(1),
            "token": .blob([0, 1, 255]), "place.latitude": .real(37.01),
          ])
        for title in ["a", "b", "c"] {
          save.insert("BucketListItem", values: ["title": .text(title)], toOne: ["trip": trip])
        }
        save.insert(
          "LivingAccommodation", values: ["placeName": .text("Hotel")], toOne: ["trip": trip])
        save.insert("Tag", values: ["label": .text("sea")], toMany: ["trips": [trip]])
      }
      row = try trips.query.rows("SELECT * FROM ZTRIP WHERE Z_PK = 4")[0]
      try trips.save {
        $0.delete(StoreObject(entityName: "BucketListItem", primaryKey: 2))
        $0.delete(OpenTrips.trip(4))
      }
    }

    var folder: TemporaryFolder { trips.folder }

    func run(_ arguments: String...) async throws -> Tool.Result {
      try await InProcess.run(["recover", "Trips.store"] + arguments, folder: folder.path)
    }
  }

  @Test
  func `a recovered copy has the row with its key, its ordered relationships and a transaction`()
    async throws
  {
    let deleted = try DeletedTrip()
    let before = Self.files(deleted.trips.path)
    let result = try await deleted.run("--transaction", "3", "-o", "back.store")
    #expect(result.status == 0 && result.text.contains("2 objects"), "\(result.errors)")
    let copy = try StoreQuery(path: deleted.folder.file("back.store"))
    // Z_OPT counts the saves.
    var (row, expected) = (
      try copy.rows("SELECT * FROM ZTRIP WHERE Z_PK = 4")[0], deleted.row
    )
    (row[2], expected[2]) = (.null, .null)
    #expect(row == expected)
    #expect(
      try copy.lines("SELECT ZTITLE FROM ZBUCKETLISTITEM WHERE ZTRIP = 4 ORDER BY Z_FOK_TRIP")
        == ["a", "b", "c"])
    #expect(try copy.lines("SELECT ZTRIP FROM ZACCOMMODATION") == ["4"])
    #expect(try copy.lines("PRAGMA integrity_check") == ["ok"])
    let verified = try await InProcess.run(["verify", "back.store"], folder: deleted.folder.path)
    #expect(verified.status == 0, "\(verified.text)")
    let shown = try await InProcess.run(
      ["object", "back.store", "Trip/p4", "--json"], folder: deleted.folder.path)
    let object = try #require(try Self.objects(shown.text).last)
    #expect(object["state"] as? String == "present")
    #expect((object["inserted"] as? Object)?["author"] as? String == "histctl")
    #expect(
      ((object["current"] as? Object)?["tags"] as? Object)?["$count"] as? Int == 1, "\(shown.text)")
    #expect(Self.files(deleted.trips.path) == before)
    let again = try await deleted.run("Trip/p4", "-o", "back.store")
    #expect(again.status == 9 && again.errors.contains("already"))
    // Alone, it comes without the item that was deleted with it.
    let alone = try await deleted.run("Trip/p4", "-o", "alone.store", "--json")
    let losses = try #require(try Self.objects(alone.text).last?["losses"] as? [Object])
    #expect(losses.count == 1 && losses[0]["property"] as? String == "items")
  }

  @Test
  func `SQL statements restore each column, and their text is escaped`()
    async throws
  {
    let deleted = try DeletedTrip(name: "F'a\u{1B}[2Jro\n; DROP TABLE ZTRIP;")
    let counts = try await Self.compare(deleted.trips.path)
    #expect(counts.deleted == 2 && counts.equal == 2)
    for arguments in [["Trip/p4", "--sql"], ["Trip/p4"], ["--transaction", "3", "--json"]] {
      let result = try await InProcess.run(
        ["recover", "Trips.store"] + arguments, folder: deleted.folder.path)
      #expect(result.status == 0 && !result.output.contains(0x1B), "\(result.errors)")
    }
    let sql = try await deleted.run("--transaction", "3", "--sql")
    let path = deleted.folder.file("copy.store")
    try deleted.trips.sql("VACUUM INTO '\(path)'")
    let copy = try StoreQuery(path: path)
    try copy.run(sql.text)
    #expect(try copy.rows("SELECT * FROM ZTRIP WHERE Z_PK = 4") == [deleted.row])
    #expect(try copy.lines("SELECT count(*) FROM ZBUCKETLISTITEM WHERE ZTRIP = 4") == ["3"])
    #expect(try copy.lines("SELECT ZTRIP FROM ZACCOMMODATION") == ["4"])
  }

  @Test
  func `preserved and archived values are known without the log, and others are unknown`()
    async throws
  {
    let deleted = try DeletedTrip()
    let archived = try await InProcess.run(
      ["archive", "Trips.store", "arch"], folder: deleted.folder.path)
    #expect(archived.status == 0, "\(archived.errors)")
    try deleted.trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    func sources(_ arguments: String...) async throws -> [String: String] {
      let result = try await InProcess.run(
        ["recover", "Trips.store", "Trip/p4", "--json"] + arguments, folder: deleted.folder.path)
      let values = try #require(
        try Self.objects(result.text).first?["values"] as? [String: Object])
      return values.mapValues { $0["from"] as? String ?? "unknown" }
    }
    let alone = try await sources()
    #expect(alone["name"] == "tombstone" && alone["token"] == "tombstone", "\(alone)")
    #expect(alone["cost"] == "unknown" && alone["items"] == "unknown", "\(alone)")
    let joined = try await sources("--archive", "arch")
    // Archives keep what a deletion preserved in its tombstone alone.
    #expect(joined["name"] == "tombstone" && joined["cost"] == "archive", "\(joined)")
    #expect(joined["stay"] == "archive" && joined["items"] == "unknown", "\(joined)")
    let copy = try await deleted.run("Trip/p4", "-o", "back.store")
    #expect(copy.status == 0 && copy.text.contains("Trip/p4 cost: "), "\(copy.text)\(copy.errors)")
    let query = try StoreQuery(path: deleted.folder.file("back.store"))
    #expect(try query.lines("SELECT ZNAME, ZCOST FROM ZTRIP WHERE Z_PK = 4") == ["Faro|"])
  }

  @Test
  func `a deleted object is found by its values and reported as restored`()
    async throws
  {
    let deleted = try DeletedTrip()
    let byKey = try await deleted.run("Trip/p4")
    let byValue = try await deleted.run("Trip[name=Faro]")
    #expect(byValue.status == 0 && byValue.text == byKey.text, "\(byValue.errors)")
    let copy = try await deleted.run("Trip[name=Faro]", "-o", "back.store")
    #expect(
      copy.lines.contains { $0.wholeMatch(of: #/restored +1 object/#) != nil }, "\(copy.text)")
    let unknown = try await deleted.run("Trip[name=Nowhere]")
    #expect(unknown.status == 1 && unknown.errors.contains("as far as values are known"))
  }

  @Test
  func `recorded values are known, and those set without recording are not`()
    async throws
  {
    let trips = try RecordedTrips()
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    var save = StoreSave(author: "app")
    save.delete(StoreObject(entityName: "Trip", primaryKey: 1))
    try editor.append(save)
    try editor.close()
    let result = try await InProcess.run(["recover", trips.path, "Trip/p1", "--json"])
    let values = try #require(try Self.objects(result.text).first?["values"] as? [String: Object])
    #expect(values["place.latitude"]?["value"] as? Double == 41.9, "\(result.text)")
    #expect(values["place.latitude"]?["from"] as? String == "recorded")
    #expect(values["cost"]?["from"] as? String == "recorded")
    #expect(values["name"]?["from"] as? String == "tombstone")
  }

  @Test
  func `an object whose key another row has gets a new key`() async throws {
    let deleted = try DeletedTrip()
    try deleted.trips.sql("INSERT INTO ZTRIP (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (4, 5, 1, 'other')")
    let result = try await deleted.run("--transaction", "3", "-o", "back.store", "--json")
    let line = try #require(try Self.objects(result.text).last)
    let objects = try #require(line["objects"] as? [Object])
    #expect(
      objects.contains {
        $0["object"] as? String == "Trip/p4" && $0["restored"] as? String == "Trip/p5"
      })
    let copy = try StoreQuery(path: deleted.folder.file("back.store"))
    #expect(
      try copy.lines("SELECT Z_PK, ZNAME FROM ZTRIP WHERE Z_PK > 3") == ["4|other", "5|Faro"])
    let sql = try await deleted.run("--transaction", "3", "--sql")
    #expect(sql.text.contains("another row has its key") && !sql.text.contains("INTO \"ZTRIP\""))
    let present = try await deleted.run("Trip/p4")
    #expect(present.status == 1 && present.errors.contains("is in the store"))
  }

  @Test
  func `a mirrored store is not copied, and its values are shown`() async throws {
    let deleted = try DeletedTrip()
    try deleted.trips.sql("CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    let copy = try await deleted.run("Trip/p4", "-o", "back.store")
    #expect(copy.status == 6 && copy.errors.contains("mirrored"), "\(copy.errors)")
    #expect(!FileManager.default.fileExists(atPath: deleted.folder.file("back.store")))
    let values = try await deleted.run("Trip/p4")
    #expect(values.status == 0 && values.text.contains("Faro"), "\(values.errors)")
  }

  /// Documents in folders: unique, required and large values, and a required relationship.
  private struct Documents {
    static let model = ManagedModel(
      entities: [
        ManagedEntity(
          name: "Folder",
          properties: [
            .attribute(.init(name: "name", type: .string)),
            .relationship(
              .init(
                name: "documents", destinationName: "Document", inverseName: "folder",
                isToMany: true, deleteRule: .cascade)),
          ]),
        ManagedEntity(
          name: "Document",
          properties: [
            .attribute(.init(name: "code", type: .string, isOptional: false)),
            .attribute(.init(name: "count", type: .integer64, isOptional: false)),
            .attribute(.init(name: "photo", type: .binaryData, allowsExternalStorage: true)),
            .relationship(
              .init(
                name: "folder", destinationName: "Folder", inverseName: "documents",
                isOptional: false)),
          ], uniquenessConstraints: [["code"]]),
      ])
    static let photo = [UInt8](repeating: 0x5A, count: 200_000)

    let folder: TemporaryFolder
    let path: String
    private let editor: StoreEditor
    private let reader: StoreQuery

    /// Inserts a folder with a document, and deletes the folder.
    init() throws {
      folder = try TemporaryFolder()
      path = folder.file("Docs.store")
      try StoreCreator.create(at: path, model: Self.model)
      // Keeps the log.
      reader = try StoreQuery(path: path)
      try reader.run("PRAGMA wal_autocheckpoint = 0")
      editor = try StoreEditor(path: path)
      try insert(photo: Self.photo)
      let support = folder.file(".Docs_SUPPORT")
      try FileManager.default.copyItem(atPath: support, toPath: folder.file("kept"))
      try save { $0.delete(StoreObject(entityName: "Folder", primaryKey: 1)) }
    }

    func save(_ body: (inout StoreSave) -> Void) throws {
      var save = StoreSave(author: "app")
      body(&save)
      try editor.append(save)
    }

    func insert(photo: [UInt8]) throws {
      try save { save in
        let folder = save.insert("Folder", values: ["name": .text("Taxes")])
        save.insert(
          "Document",
          values: ["code": .text("A-1"), "count": .integer(7), "photo": .blob(photo)],
          toOne: ["folder": folder])
      }
    }

    /// Puts the files of large values back, as from a backup.
    func putFilesBack() throws {
      let support = folder.file(".Docs_SUPPORT")
      try? FileManager.default.removeItem(atPath: support)
      try FileManager.default.copyItem(atPath: folder.file("kept"), toPath: support)
    }

    func run(_ arguments: String...) async throws -> (result: Tool.Result, line: Object) {
      let result = try await InProcess.run(
        ["recover", "Docs.store"] + arguments + ["--json"], folder: folder.path)
      return (result, try RecoverTests.objects(result.text).last ?? [:])
    }
  }

  @Test
  func `large values are copied with their files, and missing ones are listed`() async throws {
    let documents = try Documents()
    let (without, line) = try await documents.run("--transaction", "2", "-o", "a.store")
    #expect(without.status == 0, "\(without.errors)")
    let losses = try #require(line["losses"] as? [Object])
    #expect(losses.map { $0["property"] as? String } == ["photo"], "\(without.text)")
    #expect((losses.first?["reason"] as? String)?.hasSuffix("is gone") == true)
    try documents.putFilesBack()
    let (with, whole) = try await documents.run("--transaction", "2", "-o", "b.store")
    #expect(with.status == 0 && (whole["losses"] as? [Object])?.isEmpty == true, "\(with.text)")
    let copy = try StoreQuery(path: documents.folder.file("b.store"))
    #expect(
      try copy.lines("SELECT ZCODE, ZCOUNT, ZFOLDER FROM ZDOCUMENT WHERE Z_PK = 1") == ["A-1|7|1"])
    // The column has a mark, the name of the file, and a zero.
    let column = try copy.rows("SELECT ZPHOTO FROM ZDOCUMENT")[0][0]
    guard case .blob(let bytes) = column else { throw SampleFolder.Missing(what: "a file") }
    let name = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    #expect(
      try FileBytes.read(documents.folder.file(".b_SUPPORT/_EXTERNAL_DATA/" + name))
        == Documents.photo)
    let verified = try await InProcess.run(["verify", documents.folder.file("b.store")])
    #expect(verified.status == 0, "\(verified.text)")
  }

  @Test
  func `an object is left out if a required object is gone or another has its unique value`()
    async throws
  {
    let documents = try Documents()
    let (alone, _) = try await documents.run("Document/p1", "-o", "a.store")
    #expect(alone.status == 2 && alone.errors.contains("its folder is required"), "\(alone.errors)")
    try documents.insert(photo: [1])
    let (taken, line) = try await documents.run("--transaction", "2", "-o", "a.store")
    #expect(taken.status == 3, "\(taken.errors)")
    let objects = try #require(line["objects"] as? [Object])
    #expect(objects.map { $0["object"] as? String } == ["Folder/p1"])
    let losses = try #require(line["losses"] as? [Object])
    #expect(
      losses.contains {
        $0["property"] == nil && $0["reason"] as? String == "Document/p2 has the same code"
      }, "\(taken.text)")
    let copy = try StoreQuery(path: documents.folder.file("a.store"))
    #expect(try copy.lines("SELECT Z_PK FROM ZFOLDER ORDER BY 1") == ["1", "2"])
    #expect(try copy.lines("SELECT Z_PK, ZFOLDER FROM ZDOCUMENT") == ["2|2"])
  }

  @Test
  func `each impossible recovery has an error of its own`() async throws {
    let sample = try SampleFolder()
    for (line, status, words) in [
      ("Trip/p777", 1, "neither in the store"), ("--transaction 1", 1, "deleted no object"),
      ("--transaction 99", 4, "ahead"),
      ("", 64, "histctl log STORE --kind delete --changes lists both"),
      ("Trip/p9 --transaction 12", 64, "either"), ("Trip/p9 --sql --json", 64, "--sql"),
      ("Trip/p9 --overwrite", 64, "--output"), ("Trip/p9 -o -", 64, "a file"),
      ("Trip/p9 -o sample.store --overwrite", 64, "take the place"),
      ("Trip/p9 -o back.store", 2, "the table of its entity is missing"),
    ] {
      let result = try await sample.run("recover sample.store " + line)
      #expect(Int(result.status) == status, "\(line): \(result.status) \(result.errors)")
      #expect(result.errors.contains(words), "\(line): \(result.errors)")
    }
  }
}
