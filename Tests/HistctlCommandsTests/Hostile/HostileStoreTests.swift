import Foundation
import StoreFormat
import TestSupport
import Testing

/// Stores that no framework wrote: as much answer as possible, a word about the rest, no crash.
@Suite(.bounded) struct HostileStoreTests {
  struct ModelCache: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: @Sendable () throws -> [UInt8]

    init(_ name: String, _ bytes: @escaping @Sendable () throws -> [UInt8]) {
      testDescription = name
      self.bytes = bytes
    }
  }

  private static func repeated(_ byte: UInt8, mebibytes: Int) -> [UInt8] {
    Array(repeating: byte, count: mebibytes << 20)
  }

  private static func entity(_ name: String, _ above: String?) -> ManagedEntity {
    ManagedEntity(
      name: name, superentityName: above,
      properties: [.attribute(.init(name: "a\(name)", type: .string))])
  }

  static let unreadable = [
    ModelCache("garbage") { Array(repeating: 0xA5, count: 4000) },
    ModelCache("not packed garbage") { Array("bplist00".utf8) + Array(repeating: 0xFF, count: 64) },
    ModelCache("text, packed") { ModelArchive.deflate(Array("hello".utf8)) },
    ModelCache("cut short") { Array(try ModelArchive.cache(of: TripsModel.model).dropLast(200)) },
    ModelCache("a bomb of zeros") { ModelArchive.deflate(repeated(0, mebibytes: 300)) },
    ModelCache("a bomb of lists") {
      // Every list holds the next one a hundred times.
      var bytes = Array("bplist00".utf8)
      var offsets: [Int] = []
      for index in 0..<40 {
        offsets.append(bytes.count)
        let next = UInt8(index == 39 ? 39 : index + 1)
        bytes += [0xAF, 0x10, 100] + Array(repeating: next, count: 100)
      }
      let table = bytes.count
      for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
      bytes += [0, 0, 0, 0, 0, 0, 2, 1]
      for number in [40, 0, table] {
        bytes += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
      }
      return ModelArchive.deflate(bytes)
    },
    ModelCache("lists in lists") {
      var bytes = Array("bplist00".utf8)
      let count = 60_000
      let start = bytes.count
      for index in 0..<count {
        let next = UInt32(min(index + 1, count - 1)).bigEndian
        bytes += [0xA1] + withUnsafeBytes(of: next, Array.init)
      }
      let table = bytes.count
      for index in 0..<count {
        bytes += withUnsafeBytes(of: UInt32(start + index * 5).bigEndian, Array.init)
      }
      bytes += [0, 0, 0, 0, 0, 0, 4, 4]
      for number in [count, 0, table] {
        bytes += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
      }
      return ModelArchive.deflate(bytes)
    },
  ]

  @Test(arguments: unreadable) func `commands answer without a readable model`(
    _ cache: ModelCache
  ) async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(try cache.bytes())
    try SampleStore.write(to: folder.file("x.store"), shape: shape)

    let log = try await Tool.histctl.run(["log", "x.store"], folder: folder.path)
    #expect(log.status == 5)
    #expect(log.rows == LogTests.rows.reversed())
    #expect(log.errors.contains("histctl: warning: the model cache of x.store is damaged"))
    #expect(log.errors.contains("\nhint: "))

    let show = try await Tool.histctl.run(["show", "x.store", "10"], folder: folder.path)
    #expect(show.status == 5)
    // Bits 1, 9 and 11 of 0450, and bit 2 of 20.
    #expect(
      show.text.contains("\n  ~ Trip/p9  columns 5, 9, 11\n  ~ BucketListItem/p9  columns 2\n"))

    let lines = try await Tool.histctl.run(
      ["log", "x.store", "--json", "-n", "3"], folder: folder.path)
    #expect(lines.status == 5)
    #expect(lines.lines.count == 3)
    #expect(!lines.text.contains("\"attributes\"") && !lines.text.contains("\"tombstone\""))
    #expect(lines.text.contains("\"columnsRaw\":\"0450\""))
    #expect(lines.text.contains("\"tombstoneRaw\":["))
    let warning = try #require(
      try JSONSerialization.jsonObject(with: Data(lines.errors.utf8)) as? [String: Any])
    #expect(warning["type"] as? String == "warning")
    #expect(warning["kind"] as? String == "damagedModel")

    let attribute = try await Tool.histctl.run(
      ["log", "x.store", "--attribute", "name"], folder: folder.path)
    #expect(attribute.text == "")
    #expect([5, 64].contains(attribute.status))
  }

  /// A model may be nonsense and still be read; nothing more is asked than an answer.
  @Test(arguments: [
    ModelCache("an entity above itself") {
      try ModelArchive.cache(of: ManagedModel(entities: [entity("Trip", "Trip")]))
    },
    ModelCache("a circle of three") {
      try ModelArchive.cache(
        of: ManagedModel(entities: [
          entity("Trip", "Tag"), entity("Tag", "BucketListItem"), entity("BucketListItem", "Trip"),
        ]))
    },
    ModelCache("a chain of five hundred") {
      try ModelArchive.cache(
        of: ManagedModel(
          entities: [entity("Trip", "e499")]
            + (0..<500).map { entity("e\($0)", $0 == 0 ? nil : "e\($0 - 1)") }))
    },
    ModelCache("no entity") { try ModelArchive.cache(of: ManagedModel(entities: [])) },
    ModelCache("two thousand attributes") {
      try ModelArchive.cache(
        of: ManagedModel(entities: [
          ManagedEntity(
            name: "Trip",
            properties: (0..<2000).map { .attribute(.init(name: "a\($0)", type: .string)) })
        ]))
    },
  ]) func `nonsensical models do not stop commands`(_ cache: ModelCache) async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(try cache.bytes())
    try SampleStore.write(to: folder.file("x.store"), shape: shape)
    for line in [["info", "x.store"], ["log", "x.store", "--json"]] {
      let result = try await Tool.histctl.run(line, folder: folder.path)
      #expect([0, 5].contains(result.status), "\(result.errors)")
      #expect(result.lines.count >= 12)
    }
  }

  @Test(.enabled(if: Tool("sqlite3") != nil)) func `numbers of missing strings are shown as such`()
    async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      UPDATE ATRANSACTION SET ZAUTHORTS = 77, ZPROCESSIDTS = -1 WHERE Z_PK = 12;
      UPDATE ATRANSACTION SET ZBUNDLEIDTS = 9223372036854775807 WHERE Z_PK = 12
      """)
    let log = try await sample.run("log sample.store --json -n 1")
    #expect(log.status == 0)
    #expect(
      log.text.contains(
        "\"extra\":{\"ZAUTHORTS\":77,\"ZBUNDLEIDTS\":9223372036854775807,\"ZPROCESSIDTS\":-1}"))
    #expect(!log.text.contains("\"author\""))
    let show = try await sample.run("show sample.store 12")
    #expect(show.text.contains("ZAUTHORTS = 77"))
    // They are transactions without an author.
    let none = try await sample.run("log sample.store --no-author -n 1")
    #expect(none.rows.first?.hasPrefix("   12 ") == true)
  }

  @Test(.enabled(if: Tool("sqlite3") != nil)) func `the lowest and highest numbers are read`()
    async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES
        (-9223372036854775808, 16002, 1.0), (-5, 16002, 9e999), (0, 16002, -9e999),
        (100, 16002, 'text'), (101, 16002, x'00'), (9223372036854775806, 16002, -1e308),
        (9223372036854775807, 16002, 1e308);
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
        (9223372036854775807, 16001, 0, 9223372036854775807, -9223372036854775808,
         9223372036854775807);
      UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808
      """)
    let numbers = [
      "9223372036854775807", "9223372036854775806", "101", "100", "12", "11", "10", "9", "8", "7",
      "6", "5", "4", "3", "2", "1", "0", "-5", "-9223372036854775808",
    ]
    let lines = try await sample.run("log sample.store --json")
    #expect(lines.status == 0)
    let found = lines.lines.compactMap { line in
      line.firstMatch(of: #/"transaction":(-?\d+)/#).map { String($0.1) }
    }
    #expect(found == numbers)
    let table = try await sample.run("log sample.store")
    #expect(table.rows.compactMap { $0.split(separator: " ").first.map(String.init) } == numbers)
    for (token, number) in [
      ("first", "-9223372036854775808"), ("last", "9223372036854775807"), ("last~1", numbers[1]),
    ] {
      let show = try await sample.run("show sample.store \(token)")
      #expect(show.status == 0)
      #expect(show.text.hasPrefix("transaction \(number)\n"))
    }
    for line in [
      "info sample.store", "info sample.store --json", "log sample.store --date relative --changes",
      "token check sample.store first last 0", "token show sample.store 2030-01-01",
      "log sample.store --after 9223372036854775807", "log sample.store --after 1990-01-01",
      "log sample.store --date utc",
    ] {
      let result = try await sample.run(line)
      #expect([0, 1].contains(result.status), "\(line): \(result.errors)")
    }
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      ("UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE ZTRANSACTIONID = 11", "? LivingAccommodation/p9"),
      ("UPDATE ACHANGE SET ZENTITY = 99 WHERE ZTRANSACTIONID = 11", "99/p9"),
      ("UPDATE ACHANGE SET ZENTITY = NULL WHERE ZTRANSACTIONID = 11", "~ ?/p9"),
      ("UPDATE ACHANGE SET ZENTITYPK = 'x' WHERE ZTRANSACTIONID = 11", "LivingAccommodation/?"),
      ("UPDATE ACHANGE SET ZCOLUMNS = x'FFFFFFFFFF' WHERE ZTRANSACTIONID = 11", "columns 0, 1, 2"),
      ("UPDATE ACHANGE SET ZCOLUMNS = x'00' WHERE ZTRANSACTIONID = 11", "no attribute"),
      ("UPDATE ACHANGE SET ZCOLUMNS = 'text' WHERE ZTRANSACTIONID = 11", "ZCOLUMNS = \"text\""),
      ("UPDATE ACHANGE SET Z_OPT = 3 WHERE ZTRANSACTIONID = 11", "Z_OPT = 3"),
      ("UPDATE ACHANGE SET ZTOMBSTONE0 = 'left' WHERE ZTRANSACTIONID = 11", "left"),
      ("ALTER TABLE ACHANGE ADD COLUMN ZNEW; UPDATE ACHANGE SET ZNEW = 1.5", "ZNEW = 1.5"),
    ]) func `values of unexpected types are shown`(_ sql: String, _ words: String) async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(sql)
    let show = try await sample.run("show sample.store 11")
    #expect(show.status == 0, "\(show.errors)")
    #expect(show.text.contains(words), "\(show.text)")
    let line = try await sample.run("show sample.store 11 --json")
    #expect(line.status == 0 && line.lines.count == 1)
    #expect((try? JSONSerialization.jsonObject(with: Data(line.output))) != nil)
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      ("DROP TABLE ACHANGE", 5, "ACHANGE is missing"),
      ("DROP TABLE ATRANSACTION", 5, "ATRANSACTION is missing"),
      ("ALTER TABLE ACHANGE DROP COLUMN ZENTITYPK", 5, "ZENTITYPK is missing"),
      ("DROP TABLE ATRANSACTIONSTRING", 0, ""),
      ("DROP TABLE Z_MODELCACHE", 0, "no model cache"),
      ("DROP TABLE Z_PRIMARYKEY", 0, ""),
      ("DELETE FROM Z_METADATA", 0, ""),
      ("UPDATE Z_METADATA SET Z_PLIST = x'6270', Z_UUID = x'00'", 0, ""),
      ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Same'", 0, ""),
      ("DROP TABLE ATRANSACTION; CREATE VIEW ATRANSACTION AS SELECT 1 AS Z_PK", 5, ""),
      // A table that is a view in disguise could run what it likes.
      (
        "DROP TABLE Z_PRIMARYKEY; CREATE VIEW Z_PRIMARYKEY AS SELECT 1 AS Z_ENT, 'x' AS Z_NAME, "
          + "0 AS Z_SUPER, load_extension('x') AS Z_MAX", 0, ""
      ),
    ]) func `tables of an unexpected shape are damage`(
      _ sql: String, _ status: Int, _ words: String
    ) async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(sql)
    for line in ["log sample.store", "log sample.store --json", "info sample.store"] {
      let result = try await sample.run(line)
      #expect(result.status == status, "\(line): \(result.errors)")
      #expect(words.isEmpty || result.errors.contains(words))
    }
  }

  /// Lines of 11 kB, so that one of them goes beyond what is collected before it is written.
  @Test func `an error in the middle of a line leaves no part of it`() async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(
      LongHistory.write(to: folder.file("long.store"), transactions: 12, changesEach: 150))
    let store = folder.file("damaged.store")
    var cutShort = 0
    for start in stride(from: 4096, to: original.count, by: 4096) {
      var bytes = original
      bytes.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096))
      try FileBytes.write(bytes, to: store)
      let result = try await InProcess.run(["log", store, "--json"])
      let lines = result.text.split(separator: "\n")
      #expect(result.text.isEmpty || result.text.hasSuffix("\n"), "page \(start / 4096)")
      for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      if result.status == 5, !lines.isEmpty { cutShort += 1 }
    }
    #expect(cutShort > 5)
  }
}
