import Foundation
import TestSupport
import Testing

/// One section for many stores, each with paths of its own, and the metrics of a run.
@Suite(.bounded) struct MaintainPlacesTests {
  private static let paths = ["a/default.store", "b/default.store", "b/other.store"]

  /// A folder with copies of one store.
  private static func folder(_ config: String) throws -> SampleFolder {
    let sample = try SampleFolder()
    for path in paths {
      let file = sample.folder.file(path)
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try SampleStore.write(to: file)
    }
    try FileBytes.write(Array(config.utf8), to: sample.folder.file("m.conf"))
    return sample
  }

  @Test func `copies of a store have paths of their own`() async throws {
    let sample = try Self.folder(
      """
      [apps]
      store = ?/*.store
      bookmark-file = {parent}-{name}.json
      export.output-dir = out/{parent}/{name}
      export.bookmark = nightly
      prune.keep-last = 2
      prune.archive = sealed/{parent}-{name}
      forget.keep-last = 1

      """)
    let dry = try await sample.run("maintain --config m.conf --dry-run")
    #expect(dry.status == 0 && dry.errors == "", "\(dry.errors)")
    #expect(dry.lines.count == 3, "\(dry.text)")
    let run = try await sample.run("maintain --config m.conf")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.lines.count == 3, "\(run.text)")
    for place in ["a/default", "b/default", "b/other"] {
      let folder = sample.folder.file("out/\(place)/\(SampleFolder.identifier)")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files == ["000000000001-000000000012.jsonl.zst"], "\(files)")
      let name = place.replacing("/", with: "-")
      #expect(FileManager.default.fileExists(atPath: sample.folder.file(name + ".json")))
      let archive = try await sample.run("log sealed/\(name) --count")
      #expect(archive.text == "1\n", "\(archive.errors)")
      #expect(
        try StoreQuery(path: sample.folder.file(place + ".store")).lines(
          "SELECT count(*) FROM ATRANSACTION") == ["2"])
    }
    let again = try await sample.run("maintain --config m.conf")
    #expect(again.status == 0 && again.output.isEmpty && again.errors == "", "\(again.errors)")
  }

  @Test func `the identifier stands for a store too, and copies that share a place are refused`()
    async throws
  {
    let config = """
      [apps]
      store = ?/default.store
      export.output-dir = out/{identifier}
      export.bookmark = nightly

      """
    let sample = try Self.folder(config)
    let shared = try await sample.run("maintain --config m.conf")
    #expect(shared.status == 6, "\(shared.errors)")
    #expect(shared.errors.contains("FOLDER/{parent}/{name}"), "\(shared.errors)")
    try StoreQuery(path: sample.folder.file("b/default.store")).run(
      "UPDATE Z_METADATA SET Z_UUID = '00000000-0000-4000-8000-00000000000B'")
    let own = try await sample.run("maintain --config m.conf")
    #expect(own.status == 0, "\(own.errors)")
    let folders = try FileManager.default.contentsOfDirectory(atPath: sample.folder.file("out"))
    #expect(
      Set(folders) == [SampleFolder.identifier, "00000000-0000-4000-8000-00000000000B"])
    // A hostile identifier does not lead out of the folder.
    try StoreQuery(path: sample.folder.file("b/default.store")).run(
      "UPDATE Z_METADATA SET Z_UUID = '../../x'")
    let hostile = try await sample.run("maintain --config m.conf")
    #expect(hostile.status != 0 && hostile.errors.contains("b/default.store"), "\(hostile.errors)")
  }

  @Test(arguments: [
    ("export.output-dir = out/{store}", "{store} stands for nothing"),
    ("bookmark-file = b.json", "bookmark-file is for one store, and there are 2"),
    ("bookmark-file = {name}.json", "is"),
  ])
  func `paths that stores would share are refused`(_ line: String, _ message: String) async throws {
    let sample = try Self.folder(
      "[apps]\nstore = ?/default.store\nexport.bookmark = n\ncompact = yes\n"
        + (line.hasPrefix("export") ? "" : "export.output-dir = out/{parent}\n") + line + "\n")
    let result = try await sample.run("maintain --config m.conf --check-config")
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    // One refusal for all of them.
    #expect(result.errors.components(separatedBy: "histctl: ").count == 2, "\(result.errors)")
  }

  private static func metrics(_ path: String) throws -> [String: Double] {
    let lines = String(decoding: try FileBytes.read(path), as: UTF8.self)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    return Dictionary(
      lines.compactMap { line in
        line.lastIndex(of: " ").flatMap { end in
          Double(line[line.index(after: end)...]).map { (String(line[..<end]), $0) }
        }
      }, uniquingKeysWith: { $1 })
  }

  @Test func `metrics say when each store was maintained, and how often it failed since`()
    async throws
  {
    let sample = try Self.folder(
      """
      [apps]
      store = a/default.store
      store = b/default.store
      store = b/none.store
      prune.keep-last = 3
      compact = yes

      """)
    let file = sample.folder.file("m.prom")
    func key(_ name: String, _ path: String) -> String {
      "histctl_maintain_\(name){section=\"apps\",path=\"\(path)\"}"
    }
    let start = Date().timeIntervalSince1970
    let first = try await sample.run("maintain --config m.conf --metrics m.prom --quiet")
    #expect(first.status == 9, "\(first.errors)")
    let one = try Self.metrics(file)
    for path in ["a/default.store", "b/default.store"] {
      #expect(one[key("deleted_transactions", path)] == 9)
      #expect(one[key("failures", path)] == 0)
      #expect((one[key("freed_bytes", path)] ?? -1) >= 0)
      #expect((one[key("duration_seconds", path)] ?? -1) >= 0)
      let success = try #require(one[key("last_success_timestamp_seconds", path)])
      #expect(success > start - 60 && success < start + 600)
      #expect(one[key("last_run_timestamp_seconds", path)] == success)
    }
    #expect(one[key("failures", "b/none.store")] == 1)
    #expect(one[key("last_success_timestamp_seconds", "b/none.store")] == nil)

    // A store that fails keeps its last success, and one that is not maintained everything.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    try FileBytes.write(Array("no store".utf8), to: sample.folder.file("b/default.store"))
    for run in 1...2 {
      let failed = try await sample.run(
        "maintain --config m.conf --only b/default.store --metrics m.prom")
      #expect(failed.status == 8, "\(failed.errors)")
      let two = try Self.metrics(file)
      #expect(two[key("failures", "b/default.store")] == Double(run))
      #expect(
        two[key("last_success_timestamp_seconds", "b/default.store")]
          == one[key("last_success_timestamp_seconds", "b/default.store")])
      #expect(
        two[key("last_run_timestamp_seconds", "a/default.store")]
          == one[key("last_run_timestamp_seconds", "a/default.store")])
      #expect(two[key("failures", "b/none.store")] == 1)
    }
    let status = try FileManager.default.attributesOfItem(atPath: file)
    #expect(status[.posixPermissions] as? Int == 0o644)
    let all = try await sample.run("maintain --config m.conf --metrics m.prom")
    #expect(all.status == 9 || all.status == 8)
    #expect(try Self.metrics(file)[key("failures", "b/none.store")] == 2)
    // Each sample of a metric follows its description.
    if let promtool = Tool("promtool") {
      let text = String(decoding: try FileBytes.read(file), as: UTF8.self)
      let checked = try await promtool.run(["check", "metrics"], input: text)
      #expect(checked.status == 0, "\(checked.errors)")
    }
  }

  @Test func `hostile metrics of before are not trusted`() async throws {
    let sample = try Self.folder("[apps]\nstore = a/default.store\nprune.keep-last = 3\n")
    let labels = #"{section="apps",path="a/default.store"}"#
    try FileBytes.write(
      Array(
        "histctl_maintain_failures\(labels) nan\nhistctl_maintain_failures\nother 1\n\u{0} \u{7}\n"
          .utf8), to: sample.folder.file("m.prom"))
    let result = try await sample.run("maintain --config m.conf --only apps --metrics m.prom")
    #expect(result.status == 0, "\(result.errors)")
    let text = String(decoding: try FileBytes.read(sample.folder.file("m.prom")), as: UTF8.self)
    #expect(!text.contains("other 1") && !text.contains("\u{0}"))
    #expect(text.contains("histctl_maintain_failures\(labels) 0\n"), "\(text)")
    for line in ["--metrics a/default.store", "--metrics -", "--metrics m.prom --dry-run"] {
      let refused = try await sample.run("maintain --config m.conf " + line)
      #expect(refused.status != 0, "\(line)")
    }
    #expect(
      try StoreQuery(path: sample.folder.file("a/default.store")).lines("PRAGMA integrity_check")
        == ["ok"])
  }

  @Test func `check replaces its file of metrics in one step, also if a store is missing`()
    async throws
  {
    let sample = try SampleFolder()
    let expected = try await sample.run("check sample.store none.store --prometheus")
    #expect(expected.status == 9)
    try FileBytes.write(Array("old\n".utf8), to: sample.folder.file("h.prom"))
    let link = sample.folder.file("link.prom")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "h.prom")
    for name in ["h.prom", "new.prom", "link.prom"] {
      let result = try await sample.run("check sample.store none.store --prometheus -o \(name)")
      #expect(result.status == expected.status && result.output.isEmpty, "\(result.errors)")
      #expect(result.errors == expected.errors)
      #expect(try FileBytes.read(sample.folder.file(name)) == Array(expected.output))
    }
    let store = try FileBytes.read(sample.store)
    for line in [
      "check sample.store --prometheus -o sample.store", "check sample.store -o x.prom",
      "check sample.store --prometheus -o none/x.prom",
    ] {
      let refused = try await sample.run(line)
      #expect(refused.status != 0 && refused.errors.contains("hint: "), "\(line)")
    }
    #expect(try FileBytes.read(sample.store) == store)
  }
}
