import Foundation
import TestSupport
import Testing

/// Every line of JSON that a command writes, to either stream, against the published schemas.
@Suite(.bounded) struct EveryLineTests {
  /// What is run, one after the other in one folder.
  private static let commands = [
    "demo d", "demo d", "info d/trips.store", "info sample.store", "info none.store",
    "log sample.store --stat", "log sample.store --count",
    "log sample.store -n 3", "log sample.store --after 99", "log sample.store --nonsense",
    "log sample.store --value name=nowhere",
    "log sample.store d/trips.store none.store -n 9", "log sample.store d/trips.store --stat -n 3",
    "log sample.store d/trips.store --count", "stats sample.store d/trips.store --top 1",
    "stats sample.store d/trips.store --sessions", "diff sample.store d/trips.store 1w --stat",
    "log sample.store d/trips.store 5..", "show sample.store 8", "diff sample.store 2 6",
    "diff sample.store 6 2 --stat",
    "diff sample.store 2 6 --each", "object sample.store Trip/p1", "object sample.store Trip/p777",
    "blame sample.store Trip/p9", "object sample.store Trip[score>0]", "show sample.store Trip/p1",
    "blame sample.store Trip/p9 --at 1",
    "recover sample.store Trip/p9", "recover sample.store Trip/p1",
    "recover d/trips.store Trip/p7 -o back.store",
    "export sample.store", "export sample.store -o a.jsonl",
    "export sample.store --format changes --kind delete",
    "export sample.store --output-dir logs --bookmark nightly",
    "export sample.store --output-dir logs --bookmark nightly",
    "stats sample.store --until-size 1G --top 1", "stats sample.store --by day --author app",
    "stats sample.store --weekdays", "stats sample.store --sessions",
    "bookmark set sample.store widget 5", "bookmark set sample.store other 99",
    "bookmark list sample.store", "bookmark check sample.store --keep-last 3 --max-behind 1",
    "info sample.store", "check sample.store --max-size 1B --max-age 1d", "check sample.store none",
    "token check sample.store 3 99 2024-07-29 last @widget", "token show sample.store last",
    "info sample.store --model", "info d/trips.store --model --entity Trip",
    "verify sample.store", "archive sample.store arch --before 9 --dry-run",
    "archive sample.store arch --before 9", "info arch", "info arch --model", "verify arch",
    "compact arch",
    "rehearse sample.store 5 -o copy.store --check-token 4 --check-token last",
    "diff sample.store --with copy.store",
    "maintain --config good.conf --check-config",
    "maintain --config good.conf --dry-run", "maintain --config good.conf",
    "maintain --config bad.conf", "bookmark remove sample.store widget",
    "prune sample.store --keep-last 6 --check-token 2 --archive arch --dry-run",
    "prune sample.store --keep-last 6 --archive arch --yes", "token check sample.store 3",
    "log sample.store --after 3", "log sample.store --after 3 --archive arch",
    "restore sample.store arch --dry-run", "restore sample.store arch --yes",
    "compact sample.store --dry-run", "compact sample.store",
    "prune sample.store --keep-last 2 --yes --ignore-guard bookmarks",
    "log sample.store --archive old", "stats sample.store --archive old",
    "restore sample.store old", "forget old --keep-last 2 --merge --dry-run",
    "forget old --before 2 --ignore-guard @x --yes", "forget old",
    "info open.store", "check open.store",
    "export open.store", "export open.store --format changes", "diff open.store 1",
    "object open.store Trip/p1", "snapshot open.store 2 -o past.store",
    "snapshot open.store 1 -o p", "scrub sample.store -o s --key k --yes",
    "scrub sample.store -o s --dry-run --authors", "scrub sample.store -o s",
    "diff open.store --with changed.store --values", "record open.store --once",
    "info sample.store --hashes", "info open.store --hashes --private-copy d",
    "log open.store --value name=Paris --until 1",
    "find .", "find none", "report open.store -o r.html", "report open.store -o r.html",
    "report open.store none.store -o both.html",
    "export open.store changed.store none.store --output-dir lake",
  ]

  private typealias Object = [String: Any]

  private static func object(_ text: some StringProtocol) throws -> Object {
    try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object, "no JSON: \(text)")
  }

  /// The record types that a schema knows.
  private static func types(_ schema: String) throws -> Set<String> {
    let text = try FileBytes.read(Manual.path(schema))
    let schema = try object(String(decoding: text, as: UTF8.self))
    let change = (schema["$defs"] as? Object)?["change"] as? Object
    let properties = schema["properties"] as? Object ?? change?["properties"] as? Object
    let type = try #require(properties?["type"] as? Object)
    return Set(type["enum"] as? [String] ?? [type["const"] as? String ?? ""])
  }

  @Test
  func `every line of JSON fits the schema, and every type of line is tested`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(
      Array(
        """
        [trips]
        store = sample.store
        export.output-dir = exports
        export.bookmark = cron
        prune.keep-last = 11
        prune.archive = arch
        forget.keep-last = 11
        forget.merge = yes
        compact = yes

        """.utf8), to: sample.folder.file("good.conf"))
    try FileBytes.write(Array("nonsense\n".utf8), to: sample.folder.file("bad.conf"))
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    for suffix in ["", "-wal"] {
      try FileBytes.write(
        FileBytes.read(trips.path + suffix), to: sample.folder.file("open.store" + suffix))
    }
    let changed = sample.folder.file("changed.store")
    try trips.sql("VACUUM INTO '\(changed)'")
    try StoreQuery(path: changed).run("UPDATE ZTRIP SET ZSCORE = 99")
    #expect(try await sample.run("archive sample.store old --before 4 --quiet").status == 0)
    var lines: [(command: String, text: String)] = []
    for command in Self.commands {
      let result = try await sample.run(command + " --json")
      let texts = result.lines + result.errors.split(separator: "\n").map(String.init)
      #expect(!texts.isEmpty || result.status == 0, "\(command) ends with \(result.status)")
      lines += texts.map { (command, $0) }
    }
    let runs = sample.folder.file("lake/_runs")
    for name in try FileManager.default.contentsOfDirectory(atPath: runs) {
      let manifest = String(decoding: try FileBytes.read(runs + "/" + name), as: UTF8.self)
      lines += manifest.split(separator: "\n").map { ("export", String($0)) }
    }
    let tar = try await #require(Tool("tar")).run(
      ["-cf", "stores.tar", "sample.store"], folder: sample.folder.path)
    #expect(tar.status == 0, "\(tar.errors)")
    let found = try await sample.run("find stores.tar --extract found --json")
    let list = try FileBytes.read(sample.folder.file("found/extracted.jsonl"))
    for text in found.lines
      + String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init)
    {
      lines.append(("find", text))
    }
    // Damage, for a finding.
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK = 11")
    for line in try await sample.run("verify sample.store --json").lines {
      lines.append(("verify", line))
    }

    let schemas = ["json", "reports", "changes"].map { "man/histctl-\($0).schema.json" }
    var seen: [String: Set<String>] = [:]
    var texts: [String: String] = [:]
    for (command, text) in lines {
      let object = try Self.object(text)
      #expect(object["schema"] as? Int == 1, "\(command): \(text.prefix(200))")
      let type = try #require(object["type"] as? String)
      let schema = try schemas.first { try Self.types($0).contains(type) }
      guard let schema else {
        Issue.record("\(command): no schema has the type \(type)")
        continue
      }
      seen[schema, default: []].insert(type)
      texts[schema, default: ""] += text + "\n"
    }
    for schema in schemas {
      // Nothing is interrupted here, and nothing runs without end; see InterruptionTests and RecordTests.
      let expected = try Self.types(schema).subtracting(["workDone", "recorded", "valueGap"])
      #expect(expected.subtracting(seen[schema] ?? []) == [], "\(schema)")
      try await SchemaCheck.expectFits(texts[schema] ?? "", schema: schema)
    }
  }

  @Test
  func `the tests of lines run every command with --json`() async throws {
    let dump = try Self.object(try await InProcess.run(["--experimental-dump-help"]).text)
    func names(_ command: Object, _ path: [String]) -> [String] {
      guard command["shouldDisplay"] as? Bool != false else { return [] }
      if let commands = command["subcommands"] as? [Object], !commands.isEmpty {
        return commands.flatMap { next in
          names(next, path + [next["commandName"] as? String ?? ""])
        }
      }
      let options = command["arguments"] as? [Object] ?? []
      let takesJSON = options.contains { $0["valueName"] as? String == "json" }
      return takesJSON ? [path.joined(separator: " ")] : []
    }
    let all = names(try #require(dump["command"] as? Object), [])
    #expect(all.count > 20)
    for name in all {
      #expect(Self.commands.contains { $0.hasPrefix(name + " ") }, "\(name) is not run")
    }
  }
}
