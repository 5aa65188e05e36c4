import TestSupport
import Testing

/// The name of an entity means its sub-entities too, and names that nothing has are said to be such.
@Suite(.bounded) struct EntityMeaningTests {
  @Test
  func `an entity includes its subentities`() async throws {
    let sample = try SampleFolder()
    let exact = try await sample.run("log sample.store --entity LivingAccommodation")
    let all = try await sample.run("log sample.store --entity Accommodation")
    #expect(all.rows == exact.rows && !all.rows.isEmpty)
    #expect(try await sample.run("log sample.store --exact-entity Accommodation").rows == [])
    let both = try await sample.run(
      "log sample.store --exact-entity Accommodation --entity Trip")
    #expect(both.rows == (try await sample.run("log sample.store --entity Trip")).rows)
    for line in ["export sample.store", "diff sample.store 0 --each --json"] {
      let named = try await sample.run("\(line) --entity Accommodation")
      let own = try await sample.run("\(line) --entity LivingAccommodation")
      #expect(named.text == own.text && !named.lines.isEmpty)
    }
  }

  @Test
  func `only the named entity matches without a known hierarchy, with a note`()
    async throws
  {
    let sample = try SampleFolder()
    _ = try await sample.run("export sample.store -o x.jsonl")
    let result = try await sample.run("log x.jsonl --entity LivingAccommodation")
    #expect(!result.rows.isEmpty)
    #expect(
      result.errors.contains("does not record which entities inherit from LivingAccommodation"))
    let exact = try await sample.run("log x.jsonl --exact-entity LivingAccommodation")
    #expect(exact.rows == result.rows && exact.errors == "")
  }

  @Test(arguments: [
    ("--author wigdet", "no transaction has the author 'wigdet'", "did you mean 'widget'?"),
    ("--process Tripz", "no transaction has the process 'Tripz'", "did you mean 'Trips'?"),
    ("--bundle x.y.z", "no transaction has the bundle 'x.y.z'", "there are: com.example.Trips"),
  ])
  func `an unknown author, process or bundle is reported with similar ones`(
    _ options: String, _ message: String, _ hint: String
  ) async throws {
    let result = try await SampleFolder().run("log sample.store " + options)
    #expect(result.errors == "histctl: warning: \(message)\nhint: \(hint)\n")
    #expect(result.status == 0 && result.text == "")
  }

  @Test
  func `an author missing in store and archive, or in lines, is reported too`()
    async throws
  {
    let sample = try SampleFolder()
    // The last transaction of the widget goes into the archive.
    let pruned = try await sample.run("prune sample.store --keep-last 1 --archive arch --yes")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try await sample.run("log sample.store --author widget").errors != "")
    let joined = try await sample.run("log sample.store --archive arch --author widget --json")
    #expect(!joined.lines.isEmpty && joined.errors == "")
    _ = try await sample.run("export arch -o lines.jsonl")
    for input in ["sample.store --archive arch", "arch", "lines.jsonl"] {
      for command in ["log", "export", "stats", "report -o x.html --overwrite"] {
        let author = try await sample.run("\(command) \(input) --author wigdet")
        #expect(
          author.errors
            == "histctl: warning: no transaction has the author 'wigdet'\nhint: did you mean 'widget'?\n",
          "\(command) \(input)")
        let object = try await sample.run("\(command) \(input) --object Trip/p999999")
        #expect(
          object.errors.contains(
            input.hasPrefix("sample.store")
              ? "Trip/p999999 is neither in the store nor in its history\nhint: "
              : "Trip/p999999 is not in the history\nhint: "),
          "\(command) \(input): \(object.errors)")
        #expect(author.status == 0 && object.status == 1)
      }
      // Another part of the history has it.
      let other = try await sample.run("log \(input) --author widget --until 1")
      #expect(other.errors == "" && other.text == "", "\(input): \(other.errors)")
    }
  }

  @Test
  func `an object missing in the store and its history is named`() async throws {
    let sample = try SampleFolder()
    let message = "Trip/p999999 is neither in the store nor in its history"
    for command in ["log", "export", "stats", "diff sample.store 0"] {
      let line = command.contains(" ") ? command : command + " sample.store"
      let result = try await sample.run(line + " --object Trip/p999999")
      #expect(result.errors.contains("histctl: \(message)\nhint: "), "\(line)")
      #expect(result.status == 1)
    }
    let json = try await sample.run("log sample.store --object Trip/p999999 --json")
    #expect(json.errors.contains(#""kind":"unknownObject","code":1,"message":"\#(message)""#))
    try await SchemaCheck.expectFits(json.errors)
    // Another part of the history has it.
    for command in ["log sample.store --until 1", "diff sample.store 0 1"] {
      let known = try await sample.run(command + " --object Trip/p9")
      #expect(known.status == 0 && known.errors == "" && known.text == "", "\(known.errors)")
    }
  }

  /// However an object is named, it is an error with one kind and status that it is not known.
  @Test(arguments: [
    "log sample.store", "log sample.store --count", "log sample.store --reverse",
    "export sample.store",
    "stats sample.store", "stats sample.store --sessions", "diff sample.store 0",
    "diff sample.store 0 --each", "report sample.store -o page.html --overwrite",
    "log sample.store other.store",
    "stats sample.store other.store", "diff sample.store other.store 0 --stat",
    "log sample.store --archive sealed", "log sealed",
  ])
  func `an unknown object has one status and kind, by its key and by its values`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    _ = try await sample.run("archive sample.store sealed")
    for object in ["Trip/p777", "Trip[name=Paris]"] {
      let arguments = line.split(separator: " ").map(String.init) + ["--object", object]
      let text = try await sample.run(arguments)
      #expect(text.status == 1, "\(object): \(text.errors)")
      #expect(text.errors.ranges(of: object).count == 1, "\(text.errors)")
      #expect(!text.errors.contains("warning: "), "\(text.errors)")
      let json = try await sample.run(arguments + ["--json"])
      #expect(json.status == 1)
      #expect(
        json.errors.contains(#""type":"error","kind":"unknownObject","code":1"#), "\(json.errors)")
    }
  }

  /// Writes a store with the entity Item instead of Trip.
  private func writeOtherStore(_ sample: SampleFolder) async throws {
    try await sample.sqlite(
      """
      VACUUM INTO '\(sample.folder.file("other.store"))';
      UPDATE Z_METADATA SET Z_UUID = 'E8F7C1D2-8F4B-4E3A-9C61-0A5B7C9D2E3F';
      ATTACH '\(sample.folder.file("other.store"))' AS other;
      UPDATE other.Z_PRIMARYKEY SET Z_NAME = 'Item' WHERE Z_NAME = 'Trip'
      """)
  }

  /// A condition names what a store has or not; a store that does not have it has no matches.
  @Test(arguments: [
    "log sample.store other.store", "stats sample.store other.store",
    "report sample.store other.store -o page.html --overwrite",
    "export sample.store other.store --output-dir out",
  ])
  func `what one of several histories has is no error of the others`(_ line: String) async throws {
    let sample = try SampleFolder()
    try await writeOtherStore(sample)
    for (place, condition) in [
      ["--entity", "Item"], ["--object", "Item/p9"], ["--object", "Trip/p9"], ["--entity", "Trip"],
      ["--attribute", "name", "--entity", "Trip"],
    ].enumerated() {
      let result = try await sample.run(
        line.replacing(" out", with: " out\(place)").split(separator: " ").map(String.init)
          + condition)
      #expect(result.status == 0 && result.errors == "", "\(condition): \(result.errors)")
    }
    for (place, (condition, status, message)) in [
      ("--object Trip/p777", 1, "Trip/p777 is neither in the store nor in its history"),
      ("--object Trip[name=Paris]", 1, "'Trip[name=Paris]' is not an object of the store"),
      ("--object Zebra/p1", 64, "no entity is named 'Zebra'"),
      ("--entity Zebra", 64, "no entity is named 'Zebra'"),
      ("--attribute zebra", 64, "has an attribute or relationship named 'zebra'"),
    ].enumerated() {
      let result = try await sample.run(
        line.replacing(" out", with: " none\(place)") + " " + condition)
      #expect(Int(result.status) == status, "\(condition): \(result.errors)")
      #expect(result.errors.ranges(of: message).count == 1, "\(result.errors)")
      #expect(result.errors.ranges(of: "histctl: ").count == 1, "\(result.errors)")
    }
  }

  /// A bookmark must not pass what could not be asked for.
  @Test
  func `a store without what a condition names keeps its bookmark`() async throws {
    let sample = try SampleFolder()
    try await writeOtherStore(sample)
    let result = try await sample.run(
      "export sample.store other.store --entity Trip --bookmark n --output-dir out --json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("\"exported\":1,\"unchanged\":1,\"failed\":0"), "\(result.text)")
    #expect(try await sample.run("token check other.store @n").status == 64)
    let mistyped = try await sample.run(
      "export sample.store other.store --entity Tripp --bookmark m --output-dir out2")
    #expect(mistyped.status == 64 && mistyped.errors.contains("did you mean Trip?"))
    for store in ["sample.store", "other.store"] {
      #expect(try await sample.run("token check \(store) @m").status == 64)
    }
  }

  @Test(arguments: [
    "export sample.store", "stats sample.store", "log sample.store", "diff sample.store 0",
    "report sample.store -o page.html", "export sample.store other.store --output-dir out",
  ])
  func `one unknown object of several is reported`(_ line: String) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    try await sample.sqlite("UPDATE Z_METADATA SET Z_UUID = 'E8F7C1D2-8F4B-4E3A-9C61-0A5B7C9D2E3F'")
    let result = try await sample.run(line + " --object Trip/p9 --object Trip/p777")
    #expect(result.status == 1)
    #expect(result.errors.ranges(of: "Trip/p777 is neither").count == 1, "\(result.errors)")
  }

  @Test(arguments: [
    "report sample.store other.store -o page.html",
    "export sample.store other.store --output-dir out",
  ])
  func `what none of several histories has is reported once`(_ line: String) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    try await sample.sqlite("UPDATE Z_METADATA SET Z_UUID = 'E8F7C1D2-8F4B-4E3A-9C61-0A5B7C9D2E3F'")
    let object = try await sample.run(line + " --object Trip/p777")
    #expect(object.status == 1)
    #expect(object.errors.ranges(of: "Trip/p777 is neither").count == 1, "\(object.errors)")
    let author = try await sample.run(
      line.replacing(" out", with: " out2").replacing("page", with: "2") + " --author wigdet")
    #expect(author.status == 0)
    #expect(author.errors.ranges(of: "has the author 'wigdet'").count == 1, "\(author.errors)")
    let known = try await sample.run(
      line.replacing(" out", with: " out3").replacing("page", with: "3") + " --author widget")
    #expect(known.status == 0 && known.errors == "", "\(known.errors)")
  }

  @Test
  func `transactions of other objects are shown beside an unknown one`() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("log sample.store --object Trip/p777 --object Trip/p9 --json")
    #expect(result.status == 1 && !result.lines.isEmpty)
    #expect(result.errors.contains("Trip/p777 is neither"), "\(result.errors)")
    // One of two stores has the object.
    try SampleStore.write(to: sample.folder.file("other.store"))
    try await sample.sqlite("DELETE FROM ACHANGE WHERE ZENTITYPK = 9")
    let several = try await sample.run("log sample.store other.store --object Trip/p9 --json")
    #expect(several.status == 0 && !several.lines.isEmpty, "\(several.errors)")
  }

  @Test
  func `the hint for an expired token loses no history and is omitted if it does not apply`()
    async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 6")
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    let expired = try await sample.run("log sample.store --after 2")
    #expect(expired.status == 4 && expired.errors.contains("--after 0"))
    #expect(!expired.errors.contains("--after 6"))
    let foreign = try await sample.run(
      "log sample.store --after 00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F:2")
    #expect(foreign.status == 4 && !foreign.errors.contains("--after"))
  }

  @Test
  func `a diverged copy is reported with the point of divergence`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store arch")
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK > 8")
    let result = try await sample.run("archive sample.store arch")
    #expect(result.status == 4)
    #expect(
      result.errors.contains("of copies of a store that diverged: transaction 9 is the first"))
    #expect(!result.errors.contains("older copy"))
  }
}
