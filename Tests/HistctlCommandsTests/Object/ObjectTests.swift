import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// `object`: the life of one object, and what it is now.
@Suite(.bounded) struct ObjectTests {
  /// The sample's history, and a trip in its table.
  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZISFAVORITE INTEGER, ZSCORE INTEGER, ZSTAY INTEGER, Z1_STAY INTEGER, ZCOST FLOAT,
        ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZSTARTDATE TIMESTAMP, ZNAME VARCHAR, ZIDENTIFIER BLOB,
        ZTOKEN BLOB);
      CREATE TABLE ZBUCKETLISTITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZISDONE INTEGER, ZTRIP INTEGER, Z_FOK_TRIP INTEGER, ZTITLE VARCHAR);
      CREATE TABLE Z_4TRIPS (Z_4TAGS INTEGER, Z_5TRIPS INTEGER, PRIMARY KEY (Z_4TAGS, Z_5TRIPS));
      INSERT INTO ZTRIP VALUES (9, 5, 4, 1, NULL, 3, 2, 12.5, 41.9, NULL, 743000000, 'Rome',
        x'000102030405060708090A0B0C0D0E0F', x'010203');
      INSERT INTO ZTRIP VALUES (40, 5, 1, 0, 7, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL, NULL);
      INSERT INTO ZBUCKETLISTITEM VALUES (1, 3, 1, 0, 9, 1024, 'Forum'), (2, 3, 1, 0, 9, 2048, '');
      """)
    return sample
  }

  @Test func `a present object has its values and history`() async throws {
    let sample = try await Self.sample()
    let result = try await sample.run("object sample.store Trip/p9")
    #expect(
      result.textOfRows == """
        Trip/p9  x-coredata://1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p9

            9  2024-07-29 00:50:40  app     Trips    + inserted
           10  2024-07-29 00:51:40  widget  Trips    ~ updated  name, startDate, items
           12  2024-07-29 00:53:40  app     Trips    - deleted  \
        identifier: 00010203-0405-0607-0809-0A0B0C0D0E0F, isFavorite: true, name: "Rome 12", \
        score: 120, startDate: 2024-07-29T00:42:37Z, token: 3 bytes

        in the store
          cost             12.5
          identifier       00010203-0405-0607-0809-0A0B0C0D0E0F
          isFavorite       true
          name             "Rome"
          place.latitude   41.9
          place.longitude  nil
          score            nil
          startDate        2024-07-18T12:53:20Z
          token            3 bytes
          stay             LivingAccommodation/p3
          items            2 objects
          tags             0 objects

        """)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `a deleted object has its tombstone and history`() async throws {
    let result = try await SampleFolder().run("object sample.store LivingAccommodation/p5")
    #expect(
      result.textOfRows == """
        LivingAccommodation/p5  \
        x-coredata://1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F/LivingAccommodation/p5

            5  2024-07-29 00:46:40  app     Trips    + inserted
            7  2024-07-29 00:48:40          Trips    ~ updated  trip, isConfirmed
            8  2024-07-29 00:49:40  app     Trips    - deleted  placeName: "Hotel"

        deleted in transaction 8, 2024-07-29 00:49:40, by app
          placeName  "Hotel"

        """)
    #expect(result.status == 0 && result.errors == "")
    // The name of the entity that it inherits from will do, and the address.
    for name in [
      "Accommodation/p5", "Accommodation/5",
      "x-coredata://\(SampleFolder.identifier)/Accommodation/p5",
    ] {
      let other = try await SampleFolder().run(["object", "sample.store", name])
      #expect(other.text == result.text)
    }
  }

  @Test(arguments: [
    "log STORE --json", "log STORE --only-matching --changes", "diff STORE 5", "export STORE",
    "diff STORE 0 --each", "stats STORE --json", "log STORE --json --archive ARCHIVE",
    "export STORE --archive ARCHIVE",
  ])
  func `an object may be given by its superentity, with an archive too`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    let archive = sample.folder.file("archive")
    if line.contains("ARCHIVE") {
      _ = try await sample.run(["archive", "sample.store", archive])
      let pruned = try await sample.run("prune sample.store --keep-last 3 --yes")
      #expect(pruned.status == 0)
    }
    let words = line.split(separator: " ").map {
      $0 == "STORE" ? "sample.store" : $0 == "ARCHIVE" ? archive : String($0)
    }
    let own = try await sample.run(words + ["--object", "LivingAccommodation/p5"])
    #expect(own.text.contains("LivingAccommodation"))
    let parent = try await sample.run(words + ["--object", "Accommodation/p5"])
    #expect(parent.text == own.text && parent.status == 0 && parent.errors == own.errors)
  }

  @Test func `an object without recorded history is shown`() async throws {
    let result = try await Self.sample().run("object sample.store Trip/p40")
    #expect(result.lines[1] == "in the store; the history has no change of it")
    #expect(result.lines.contains("  name             \"\""))
    #expect(result.status == 0)
  }

  @Test func `an object missing without a recorded delete is reported`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 8; DELETE FROM ATRANSACTION WHERE Z_PK = 8")
    let result = try await sample.run("object sample.store Trip/p5")
    #expect(result.lines.last == "not in the store, although no deletion was recorded")
    #expect(result.status == 0)
    let line = try await sample.run("object sample.store Trip/p5 --json")
    #expect(line.lines.last?.contains(#""state":"missing""#) == true)
  }

  // MARK: - Some of its changes

  @Test(arguments: [
    ("--kind update", ["10"]), ("--kind update --kind delete", ["10", "12"]),
    ("--attribute startDate", ["10"]), ("--author app", ["9", "12"]),
    ("--not-author app", ["10"]), ("--after 9", ["10", "12"]), ("--until 10", ["9", "10"]),
    ("--after 9 --author app", ["12"]), ("--author nobody", []), ("--attribute cost", []),
  ])
  func `conditions select the changes of an object`(
    _ options: String, _ numbers: [String]
  ) async throws {
    let sample = try await Self.sample()
    let all = try await sample.run("object sample.store Trip/p9 --json")
    let result = try await sample.run("object sample.store Trip/p9 --json " + options)
    #expect(result.status == 0 && result.errors == "")
    #expect(
      result.lines.dropLast()
        == all.lines.filter { line in
          numbers.contains { line.contains("\"transaction\":\($0),\"timestamp\"") }
            && line.contains("\"type\":\"transaction\"")
        }[...])
    // What has become of it does not depend on what is shown.
    #expect(result.lines.last == all.lines.last)
    let text = try await sample.run("object sample.store Trip/p9 " + options)
    let shown = text.lines.filter { $0.contains("  Trips    ") }
    #expect(shown.count == numbers.count)
    #expect(text.lines.contains("no change matches") == numbers.isEmpty)
    #expect(text.lines.contains("  name             \"Rome\""))
  }

  @Test func `a deletion is reported even if no change matches`() async throws {
    let result = try await SampleFolder().run("object sample.store Trip/p5 --author nobody")
    #expect(result.lines.first?.hasPrefix("Trip/p5  ") == true)
    #expect(result.lines.contains("no change matches"))
    #expect(result.lines.contains { $0.hasPrefix("deleted in transaction 8, ") })
    #expect(result.status == 0)
  }

  // MARK: - For programs

  @Test func `JSON has the transactions of log and a summary of the object`() async throws {
    let sample = try await Self.sample()
    let result = try await sample.run("object sample.store Trip/p9 --json")
    #expect(result.status == 0 && result.errors == "")
    // The transactions are those of the log, cut to the object.
    let log = try await sample.run(
      "log sample.store --object Trip/p9 --only-matching --reverse --json")
    #expect(Array(result.lines.dropLast()) == log.lines)
    #expect(
      result.lines.last == #"""
        {"schema":1,"type":"object","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F",\#
        "entity":"Trip","pk":9,"object":"Trip/p9","state":"present",\#
        "inserted":{"transaction":9,"timestamp":"2024-07-29T00:50:40.000000Z","author":"app",\#
        "process":"Trips"},\#
        "updated":{"transaction":10,"timestamp":"2024-07-29T00:51:40.000000Z","author":"widget",\#
        "process":"Trips"},\#
        "deleted":{"transaction":12,"timestamp":"2024-07-29T00:53:40.000000Z","author":"app",\#
        "process":"Trips"},"updateCount":1,"changeCount":3,"version":4,\#
        "current":{"cost":12.5,"identifier":"00010203-0405-0607-0809-0A0B0C0D0E0F",\#
        "isFavorite":true,"name":"Rome","place.latitude":41.9,"startDate":"2024-07-18T12:53:20Z",\#
        "token":{"$blob":"AQID"},"stay":{"$object":"LivingAccommodation/p3"},"items":{"$count":2},\#
        "tags":{"$count":0}}}
        """#)
  }

  /// Programs are told what people are, also where the line of the delete is left out.
  @Test(arguments: ["", " --after 8", " --kind insert"])
  func `JSON includes the tombstone`(_ options: String) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run(
      "object sample.store LivingAccommodation/p5 --json" + options)
    #expect(result.status == 0 && result.errors == "")
    #expect(
      result.lines.last?.hasSuffix(
        #","updateCount":1,"changeCount":3,"tombstone":{"placeName":"Hotel"}}"#) == true,
      "\(result.text)")
    #expect(result.lines.count == [" --after 8": 1, " --kind insert": 2][options, default: 4])
  }

  @Test(.enabled(if: Tool("python3") != nil)) func `lines of JSON fit the published schema`()
    async throws
  {
    let python = try #require(Tool("python3"))
    guard try await python.run(["-c", "import jsonschema"]).status == 0 else { return }
    let sample = try await Self.sample()
    var text = ""
    for object in ["Trip/p9", "Trip/p40", "Trip/p5", "BucketListItem/p1", "Accommodation/p5"] {
      text += try await sample.run("object sample.store \(object) --json").text
    }
    try await sample.sqlite("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    text += try await sample.run("object sample.store Trip/p9 --json").text
    for path in RealStores.paths {
      let folder = try TemporaryFolder()
      let store = try folder.copy(store: path)
      let names = try await InProcess.run(["diff", store, "0", "--name-only"])
      for name in names.lines.shuffled().prefix(3) {
        text += try await InProcess.run(["object", store, name, "--json"]).text
      }
    }
    let check = try await python.run([Manual.path("Tests/Tools/validate_lines.py")], input: text)
    #expect(check.status == 0, "\(check.errors)")
  }

  /// The values of every object of the demo, against what the sqlite3 program reads.
  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `values of every demo object agree with sqlite3`() async throws {
    let sqlite = try #require(Tool("sqlite3"))
    let folder = try TemporaryFolder()
    _ = try await InProcess.run(["demo", ".", "--ending", "2026-11-20"], folder: folder.path)
    let store = folder.file("trips.store")
    let queries = [
      (
        "Trip", "ZTRIP",
        """
        'destination', ZDESTINATION, 'name', ZNAME, 'identifier', hex(ZIDENTIFIER),
        'startDate', ZSTARTDATE, 'endDate', ZENDDATE,
        'livingAccommodation', 'LivingAccommodation/p' || ZLIVINGACCOMMODATION,
        'bucketList', (SELECT count(*) FROM ZBUCKETLISTITEM b WHERE b.ZTRIP = o.Z_PK)
        """
      ),
      (
        "LivingAccommodation", "ZLIVINGACCOMMODATION",
        """
        'address', ZADDRESS, 'placeName', ZPLACENAME, 'isConfirmed', ZISCONFIRMED,
        'trip', 'Trip/p' || ZTRIP
        """
      ),
    ]
    var compared = 0
    for (entity, table, members) in queries {
      let rows = try await sqlite.run([
        store, "SELECT Z_PK || ' ' || json_object(\(members)) FROM \(table) o",
      ])
      for line in rows.lines {
        let parts = line.split(separator: " ", maxSplits: 1)
        let wanted = try JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [String: Any]
        let result = try await InProcess.run(
          ["object", store, "\(entity)/p\(parts[0])", "--json"])
        let object =
          try JSONSerialization.jsonObject(
            with: Data((result.lines.last ?? "").utf8)) as? [String: Any]
        let current = try #require(object?["current"] as? [String: Any])
        let present = try #require(wanted).filter { !($0.value is NSNull) }
        #expect(Set(current.keys) == Set(present.keys), "\(line)")
        for (name, value) in present {
          #expect(Self.plain(current[name]) == Self.plain(value), "\(line) \(name)")
          compared += 1
        }
      }
    }
    #expect(compared > 100)
  }

  /// A value without what tells its type: times as numbers, identifiers as digits.
  private static func plain(_ value: Any?) -> String {
    switch value {
    case let object as [String: Any]: return object.values.map(plain).joined()
    case let text as String:
      if let date = try? Date(text, strategy: .iso8601) {
        return plain(NSNumber(value: date.timeIntervalSinceReferenceDate))
      }
      return UUID(uuidString: text) == nil ? text : text.filter { $0 != "-" }
    case let number as NSNumber: return "\(number.doubleValue)"
    default: return "?"
    }
  }

  @Test func `data in external files is named`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("photos.store")
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Photo",
        properties: [
          .attribute(.init(name: "data", type: .binaryData, allowsExternalStorage: true))
        ])
    ])
    try StoreCreator.create(at: path, model: model)
    let sqlite = try #require(Tool("sqlite3"))
    _ = try await sqlite.run([
      path,
      """
      INSERT INTO ZPHOTO VALUES
        (1, 1, 1, x'02' || CAST('1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F' AS BLOB) || x'00'),
        (2, 1, 1, x'01FFD8');
      UPDATE ZPHOTO SET ZDATA = CAST(ZDATA AS BLOB);
      """,
    ])
    let file = try await InProcess.run(["object", path, "Photo/p1"])
    #expect(
      file.lines.contains(
        "  data  in the file 1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F: it is missing"),
      "\(file.text)")
    let line = try await InProcess.run(["object", path, "Photo/p1", "--json"])
    #expect(
      line.text.contains(
        #""current":{"data":{"$external":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","#
          + #""$problem":"it is missing"}}"#))
    let inline = try await InProcess.run(["object", path, "Photo/p2"])
    #expect(inline.lines.contains("  data  2 bytes"), "\(inline.text)")
    let data = try await InProcess.run(["object", path, "Photo/p2", "--json"])
    #expect(data.text.contains(#""current":{"data":{"$blob":"/9g="}}"#), "\(data.text)")
  }

  // MARK: - What is wrong

  struct Problem: Sendable, CustomTestStringConvertible {
    let line: String
    let status: Int
    let kind: String
    let words: [String]
    var testDescription: String { line }
  }

  static let problems = [
    Problem(
      line: "object sample.store Trip/p1000", status: 1, kind: "unknownObject",
      words: ["Trip/p1000 is neither in the store nor in its history"]),
    Problem(
      line: "object sample.store Trp/p1", status: 64, kind: "unknownEntity",
      words: ["did you mean Trip?"]),
    Problem(
      line: "object sample.store Trip", status: 64, kind: "malformedObject",
      words: ["write Trip/p12"]),
    Problem(
      line: "object sample.store x-coredata://00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p1",
      status: 64, kind: "objectOfOtherStore", words: ["another store"]),
    Problem(
      line: "object sample.store Trip/p9 --attribute nme", status: 64, kind: "unknownAttribute",
      words: ["did you mean name?"]),
    Problem(
      line: "object sample.store Trip/p9 --after 999", status: 4, kind: "historyTokenAhead",
      words: ["999"]),
    Problem(
      line: "object sample.store", status: 64, kind: "usage",
      words: ["<object>", "usage: histctl object"]),
    Problem(
      line: "object none.store Trip/p1", status: 9, kind: "missing",
      words: ["no file at none.store"]),
    Problem(
      line: "object . Trip/p1", status: 8, kind: "notAStore", words: ["it is a directory"]),
  ]

  @Test(arguments: problems) func `each problem has its status and message`(
    _ problem: Problem
  ) async throws {
    let sample = try SampleFolder()
    let program = try await sample.run(problem.line + " --json")
    #expect(program.status == problem.status)
    #expect(program.text == "")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(program.errors.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == problem.kind)
    #expect(object["code"] as? Int == problem.status)
    let person = try await sample.run(problem.line)
    #expect(person.status == problem.status)
    #expect(person.text == "")
    for word in problem.words { #expect(person.errors.contains(word), "\(person.errors)") }
  }

  @Test func `a store without history still has its objects`() async throws {
    let sample = try await Self.sample()
    try await sample.sqlite(
      "DROP TABLE ATRANSACTION; DROP TABLE ACHANGE; DROP TABLE ATRANSACTIONSTRING")
    let result = try await sample.run("object sample.store Trip/p40")
    #expect(result.lines.contains("in the store; the history has no change of it"))
    #expect(result.status == 8)
    #expect(result.errors.contains("keeps no history"))
    // One that is not there is told of as such.
    let other = try await sample.run("object sample.store Trip/p99999")
    #expect(other.status == 8 && other.output.isEmpty)
    #expect(other.errors.contains("Trip/p99999 is neither in the store nor in its history"))
    #expect(other.errors.contains("keeps no history"))
  }

  @Test func `missing columns are reported`() async throws {
    let sample = try await Self.sample()
    try await sample.sqlite("ALTER TABLE ZTRIP DROP COLUMN ZCOST; DROP TABLE Z_4TRIPS")
    let result = try await sample.run("object sample.store Trip/p9")
    #expect(result.status == 0)
    #expect(result.errors.contains("the table has no column for cost, tags"))
    #expect(result.lines.contains("  name             \"Rome\""))
  }

  @Test func `columns have their own names without a model`() async throws {
    let sample = try await Self.sample()
    try await sample.sqlite("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let result = try await sample.run("object sample.store Trip/p9")
    #expect(result.lines.contains("  ZNAME        \"Rome\""))
    #expect(!result.text.contains("nil"))
    let line = try await sample.run("object sample.store Trip/p9 --json")
    #expect(line.lines.last?.contains(#""currentRaw":{"ZISFAVORITE":1,"#) == true)
  }

  // MARK: - Hostile values

  @Test(.enabled(if: Tool.hasTerminals)) func `control characters are escaped on a terminal`()
    async throws
  {
    let sample = try await Self.sample()
    try await sample.sqlite(
      """
      UPDATE ZTRIP SET ZNAME = 'a' || char(27) || '[2J' || char(8238) || char(10) || 'b',
        ZTOKEN = zeroblob(200000), ZSCORE = 9e999, ZSTARTDATE = CAST(x'61ff' AS TEXT)
      """)
    let result = try await Tool.histctl.runOnTerminal(
      ["object", sample.store, "Trip/p9", "--no-pager", "--color", "never"], columns: 100)
    #expect(result.status == 0)
    #expect(result.text.contains(#""a\e[2J\u{202E}\nb""#), "\(result.text)")
    #expect(result.text.contains("200,000 bytes"))
    #expect(result.output.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    #expect(result.lines.dropFirst().allSatisfy { $0.count <= 100 }, "\(result.text)")
  }

  @Test func `long values are shown by their size`() async throws {
    let sample = try await Self.sample()
    try await sample.sqlite(
      "UPDATE ZTRIP SET ZNAME = printf('%.*c', 20000000, 'x'), ZTOKEN = zeroblob(30000000)")
    let result = try await sample.run("object sample.store Trip/p9")
    #expect(result.status == 0)
    #expect(result.text.contains("  name             20,000,000 bytes\n"))
    #expect(result.output.count < 10_000)
    let line = try await sample.run("object sample.store Trip/p9 --json")
    #expect(line.lines.last?.contains(#""name":{"$size":20000000}"#) == true)
    #expect(line.lines.last?.contains(#""token":{"$size":30000000}"#) == true)
  }

  @Test(.enabled(if: Tool.hasTerminals), arguments: [20, 40, 80])
  func `object keeps to the width of the terminal`(_ columns: Int) async throws {
    let sample = try await Self.sample()
    let result = try await Tool.histctl.runOnTerminal(
      ["object", sample.store, "Trip/p9", "--no-pager", "--color", "never", "--quiet"],
      columns: columns)
    #expect(result.status == 0)
    // The address is a fact, and facts are not cut.
    #expect(result.lines.dropFirst().allSatisfy { $0.count <= columns }, "\(result.text)")
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `every object of real stores is shown, and the stores stay unchanged`(
    _ path: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let before = try UnchangedStoreTests.files(folder)
    let names = try await InProcess.run(["diff", store, "0", "--name-only"])
    guard names.status == 0 else { return }
    let isDamaged = try await InProcess.run(["verify", store, "--full"]).status == 5
    for name in names.lines.prefix(2) + names.lines.suffix(2) {
      let result = try await InProcess.run(["object", store, name])
      #expect(result.status == 0, "\(name): \(result.errors)")
      #expect(
        result.errors == "" || result.errors.hasPrefix("histctl: history begins at ")
          || isDamaged && result.errors.hasPrefix("histctl: warning: "),
        "\(name): \(result.errors)")
      #expect(result.lines.first?.hasPrefix(name) == true)
      // What the history comes to is what is there.
      #expect(
        result.lines.contains { $0 == "in the store" || $0.hasPrefix("deleted in") }, "\(name)")
    }
    try UnchangedStoreTests.expectUnchanged(before, in: folder, store)
  }
}
