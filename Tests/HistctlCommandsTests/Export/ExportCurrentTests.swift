import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// `export --with-current`: what objects are now, against what the sqlite3 program reads.
@Suite(.bounded, .enabled(if: Tool("sqlite3") != nil)) struct ExportCurrentTests {
  // MARK: - Every type of attribute

  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal, .date, .string, .uri,
    .uuid, .binaryData, .transformable,
  ]

  private static func name(_ type: AttributeType) -> String { "\(type)Value" }

  /// A store with an object of each kind of value, one of nothing but nil, and one that is gone.
  private static func store(_ folder: TemporaryFolder) throws -> String {
    let path = folder.file("types.store")
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Sample",
        properties: types.map { .attribute(.init(name: name($0), type: $0)) } + [
          .relationship(
            .init(name: "next", destinationName: "Sample", inverseName: nil, isToMany: false))
        ])
    ])
    try StoreCreator.create(at: path, model: model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave(author: "app", timestamp: StoreTimestamp(secondsSinceReferenceDate: 7e8))
    let first = save.insert("Sample", values: values(1))
    save.insert("Sample")
    let doomed = save.insert("Sample", values: values(2))
    let appended = try #require(try editor.append(save))
    var next = StoreSave(timestamp: StoreTimestamp(secondsSinceReferenceDate: 7.1e8))
    let one = try #require(appended.stored(first))
    let two = try #require(appended.stored(doomed))
    next.update(one, values: ["stringValue": .text("now 'é\"")], toOne: ["next": two])
    _ = try editor.append(next)
    var last = StoreSave(timestamp: StoreTimestamp(secondsSinceReferenceDate: 7.2e8))
    last.delete(two)
    _ = try editor.append(last)
    return path
  }

  private static func values(_ number: Int) -> [String: StoredValue] {
    var values: [String: StoredValue] = [:]
    for type in types {
      values[name(type)] =
        switch type {
        case .boolean: .integer(1)
        case .integer16, .integer32: .integer(Int64(number) * -3)
        case .integer64: .integer(.max)
        case .double: .real(0.1 * Double(number))
        case .float: .real(1.5)
        case .decimal: .real(12.25)
        case .date: .real(743_906_557.824189)
        case .uuid: .blob(Array(0..<16))
        case .uri: .text("https://example.com/\(number)")
        case .binaryData, .transformable: .blob([0, 255, UInt8(number)])
        default: .text("text \(number)")
        }
    }
    return values
  }

  @Test func `current values of every type agree with sqlite3`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let sqlite = try #require(Tool("sqlite3"))
    let records = try await Self.changes(path)
    #expect(records.count == 5)
    for (kind, key, current) in records {
      let exists = try await sqlite.run([path, "SELECT 1 FROM ZSAMPLE WHERE Z_PK = \(key)"])
      #expect((current != nil) == (kind != "delete" && exists.text == "1\n"), "\(kind) \(key)")
      guard let current else { continue }
      var names: Set<String> = []
      for type in Self.types {
        let name = Self.name(type)
        let stored = try await sqlite.run([
          path, "SELECT quote(Z\(name.uppercased())) FROM ZSAMPLE WHERE Z_PK = \(key)",
        ])
        let text = stored.text.trimmingCharacters(in: .newlines)
        if text == "NULL" { continue }
        names.insert(name)
        #expect(Self.literal(current[name], type, like: text) == text, "\(key) \(name)")
      }
      let next = try await sqlite.run([path, "SELECT ZNEXT FROM ZSAMPLE WHERE Z_PK = \(key)"])
      let reference = (current["next"] as? [String: String])?["$object"]
      #expect(reference ?? "" == (next.text == "\n" ? "" : "Sample/p" + next.lines[0]))
      if reference != nil { names.insert("next") }
      #expect(Set(current.keys) == names)
    }
  }

  /// A value as SQLite would quote what was stored for it.
  private static func literal(_ value: Any?, _ type: AttributeType, like quoted: String) -> String {
    switch (type, value) {
    case (.boolean, let flag as Bool): return flag ? "1" : "0"
    case (.date, let text as String):
      // To the microsecond; SQLite writes fifteen digits.
      let fraction = Double("0." + (text.split(separator: ".").dropFirst().first ?? "0").dropLast())
      let whole = try? Date(String(text.prefix(19)) + "Z", strategy: .iso8601)
      let seconds = (whole?.timeIntervalSinceReferenceDate ?? 0) + (fraction ?? 0)
      return abs(seconds - (Double(quoted) ?? 0)) < 1e-5 ? quoted : "\(seconds)"
    case (.uuid, let text as String): return "X'" + text.filter { $0 != "-" } + "'"
    case (_, let object as [String: String]):
      let bytes = Data(base64Encoded: object["$blob"] ?? "") ?? Data()
      return "X'" + bytes.map { String(format: "%02X", $0) }.joined() + "'"
    case (_, let text as String): return "'" + text.replacing("'", with: "''") + "'"
    case (.double, let number as NSNumber), (.float, let number as NSNumber),
      (.decimal, let number as NSNumber):
      return number.doubleValue == Double(quoted) ? quoted : "\(number)"
    case (_, let number as NSNumber): return "\(number.int64Value)"
    default: return "\(value ?? "nothing")"
    }
  }

  /// The changes of an export with their objects as they are now.
  private static func changes(
    _ path: String, _ options: [String] = []
  ) async throws -> [(kind: String, key: Int, current: [String: Any]?)] {
    let result = try await InProcess.run(
      ["export", path, "--with-current", "--format", "changes"] + options)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return try result.lines.map { line in
      let object =
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      return (
        object["kind"] as? String ?? "", object["pk"] as? Int ?? 0,
        object["current"] as? [String: Any]
      )
    }
  }

  // MARK: - Formats

  /// The place of what objects are in each format, as jq finds it.
  static let places = [
    ("jsonl", ".changes[]", ".current"), ("changes", ".", ".current"),
    ("cloudevents", ".data", ".current"), ("debezium", ".", ".history.current"),
  ]

  @Test(.enabled(if: Tool("jq") != nil), arguments: places)
  func `every format has the same current values`(
    _ format: String, _ changes: String, _ key: String
  ) async throws {
    let folder = try TemporaryFolder()
    _ = try await InProcess.run(["demo", ".", "--ending", "2026-11-20"], folder: folder.path)
    let jq = try #require(Tool("jq"))
    let store = folder.file("trips.store")
    let plain = try await InProcess.run(["export", store, "--format", format])
    let result = try await InProcess.run([
      "export", store, "--format", format, "--with-current",
    ])
    #expect(result.status == 0 && result.errors == plain.errors)
    // All else is as it is without.
    let path = (changes == "." ? "" : changes) + key
    #expect(
      try await jq.run(["-c", "del(\(path))"], input: result.text).text
        == jq.run(["-c", "."], input: plain.text).text)
    let kinds = try await jq.run(["-c", "\(changes) | \(key)"], input: result.text)
    let wanted = try await jq.run(
      ["-c", ".changes[].current"],
      input: InProcess.run(["export", store, "--with-current"]).text)
    #expect(kinds.text == wanted.text)
  }

  @Test func `current values of all demo objects agree with sqlite3`() async throws {
    let folder = try TemporaryFolder()
    _ = try await InProcess.run(["demo", ".", "--ending", "2026-11-20"], folder: folder.path)
    let store = folder.file("trips.store")
    let sqlite = try #require(Tool("sqlite3"))
    let rows = try await sqlite.run([
      store,
      "SELECT 'BucketListItem/p' || Z_PK || ' ' || ZTITLE || ' ' || coalesce(ZTRIP, '') "
        + "FROM ZBUCKETLISTITEM",
    ])
    var titles: [String: String] = [:]
    for line in rows.lines {
      let parts = line.split(separator: " ", maxSplits: 1)
      titles[String(parts[0])] = String(parts[1])
    }
    var compared = 0
    for options in [
      [], ["--author", "widget"], ["--entity", "BucketListItem", "--only-matching"],
    ] {
      let records = try await InProcess.run(
        ["export", store, "--with-current", "--format", "changes"] + options)
      for line in records.lines {
        let object =
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        guard object["entity"] as? String == "BucketListItem" else { continue }
        let current = object["current"] as? [String: Any]
        let trip = (current?["trip"] as? [String: String])?["$object"]?.split(separator: "p").last
        let text = current.map { "\($0["title"] ?? "") \(trip ?? "")" }
        let isDelete = object["kind"] as? String == "delete"
        #expect(text == (isDelete ? nil : titles[object["object"] as? String ?? ""]), "\(line)")
        compared += 1
      }
    }
    #expect(compared > 200)
  }

  // MARK: - Places

  @Test func `files and folders of files have current values`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let text = try await InProcess.run(["export", path, "--with-current"]).text
    #expect(text.contains("\"current\":{"))
    let file = try await InProcess.run(
      ["export", path, "--with-current", "-o", "x.jsonl"], folder: folder.path)
    #expect(file.status == 0)
    #expect(try FileBytes.read(folder.file("x.jsonl")) == Array(text.utf8))
  }

  @Test func `selected fields can be exported with the current object`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let result = try await InProcess.run([
      "export", path, "--with-current", "--format", "changes", "--fields", "pk", "--kind", "update",
    ])
    #expect(result.text.hasPrefix("{\"pk\":1,\"current\":{"), "\(result.text)")
    let lines = try await InProcess.run([
      "export", path, "--with-current", "--fields", "pk", "--kind", "update",
    ])
    #expect(lines.text.contains("\"partial\":true,\"changes\":[{\"pk\":1,\"current\":{"))
  }

  // MARK: - What is wrong

  @Test(arguments: [
    ("--format csv", "jsonl, changes, cloudevents, debezium, timesketch"),
    ("--format bodyfile", "jsonl, changes, cloudevents, debezium, timesketch"),
    ("--format sqlite -o x.sqlite", "jsonl, changes, cloudevents, debezium, timesketch"),
    ("--fields author", "name changes among the fields"),
    ("--format cloudevents --fields id", "name data among the fields"),
    ("--format debezium --fields op", "name history among the fields"),
    ("--format csv --fields pk", "jsonl, changes, cloudevents, debezium, timesketch"),
  ])
  func `a format or selection without a place for the object is refused`(
    _ options: String, _ words: String
  ) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("export sample.store --with-current " + options)
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errors.contains(words), "\(result.errors)")
    let program = try await sample.run("export sample.store --json --with-current " + options)
    #expect(program.errors.hasPrefix("{") && program.errors.contains("\"code\":64"))
  }

  @Test func `missing tables, models and rows leave out the current object`() async throws {
    let sample = try SampleFolder()
    let plain = try await sample.run("export sample.store")
    // Its objects have no tables.
    #expect(try await sample.run("export sample.store --with-current").text == plain.text)
    // A row of another entity under the key of the change is another object.
    try await sample.sqlite(
      """
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZNAME VARCHAR);
      INSERT INTO ZTRIP VALUES (5, 4, 'x')
      """)
    #expect(try await sample.run("export sample.store --with-current").text == plain.text)
    try await sample.sqlite(
      "UPDATE ZTRIP SET Z_ENT = 5; UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let raw = try await sample.run("export sample.store --with-current --format changes")
    #expect(raw.status == 0)
    let named = raw.lines.filter { $0.contains("\"currentRaw\":{\"ZNAME\":\"x\"}") }
    #expect(named.count == 2)
    #expect(named.allSatisfy { $0.contains("\"object\":\"Trip/p5\"") })
  }

  @Test func `long and special values are exported in bounded form`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let sqlite = try #require(Tool("sqlite3"))
    _ = try await sqlite.run([
      path,
      """
      UPDATE ZSAMPLE SET ZSTRINGVALUE = printf('%.*c', 20000000, 'x'),
        ZBINARYDATAVALUE = zeroblob(30000000), ZDATEVALUE = 'never', ZDOUBLEVALUE = 9e999,
        ZUUIDVALUE = x'00', ZBOOLEANVALUE = 7, ZTRANSFORMABLEVALUE = zeroblob(1025)
      """,
    ])
    let result = try await InProcess.run(["export", path, "--with-current"])
    #expect(result.status == 0)
    #expect(result.output.count < 10_000)
    for text in [
      #""stringValue":{"$size":20000000}"#, #""binaryDataValue":{"$size":30000000}"#,
      #""dateValue":"never""#, #""doubleValue":{"$real":"inf"}"#, #""uuidValue":{"$blob":"AA=="}"#,
      #""booleanValue":7"#, #""transformableValue":{"$size":1025}"#,
    ] {
      #expect(result.text.contains(text), "\(text)")
    }
  }

  @Test(.enabled(if: Tool("python3") != nil)) func `lines fit the published schemas`() async throws
  {
    let python = try #require(Tool("python3"))
    guard try await python.run(["-c", "import jsonschema"]).status == 0 else { return }
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    for (format, schema) in [("jsonl", "histctl-json"), ("changes", "histctl-changes")] {
      for model in [true, false] {
        if !model {
          try StoreQuery(path: path).run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
        }
        let text = try await InProcess.run(
          ["export", path, "--with-current", "--format", format]).text
        #expect(text.contains(model ? "\"current\":" : "\"currentRaw\":") || format == "changes")
        let check = try await python.run(
          [
            Manual.path("Tests/Tools/validate_lines.py"), "--schema",
            Manual.path("man/\(schema).schema.json"),
          ], input: text)
        #expect(check.status == 0, "\(check.errors)")
      }
    }
  }
}
