import Foundation
import TestSupport
import Testing

/// Exports of several stores into one folder.
@Suite(.bounded) struct ExportSeveralTests {
  private let folder: TemporaryFolder
  private static let names = ["a.store", "b.store", "c.store"]
  private static let count = 40

  /// Writes three stores, each with a save every three days.
  init() throws {
    folder = try TemporaryFolder()
    for (number, name) in Self.names.enumerated() {
      try LongHistory.write(to: folder.file(name), transactions: Self.count, changesEach: 2)
      try StoreQuery(path: folder.file(name)).run(
        """
        UPDATE Z_METADATA SET Z_UUID = '\(Self.identifier(number))';
        UPDATE ATRANSACTION SET ZTIMESTAMP = 7e8 + Z_PK * 259200
        """)
    }
  }

  private static func identifier(_ number: Int) -> String {
    "0000000\(number)-0000-0000-0000-000000000000"
  }

  private func run(_ line: String) async throws -> Tool.Result {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), folder: folder.path)
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The paths of the folder's exported files, from the folder on.
  private func files() throws -> [String] {
    let root = folder.file("lake")
    let names = try FileManager.default.subpathsOfDirectory(atPath: root)
    return names.filter { $0.hasSuffix(".jsonl") && !$0.hasPrefix("_runs/") }.sorted()
  }

  /// The transactions in the files, by store, sorted.
  private func exported() throws -> [String: [Int]] {
    var numbers: [String: [Int]] = [:]
    for file in try files() {
      let text = try String(contentsOfFile: folder.file("lake/" + file), encoding: .utf8)
      for line in try objects(text) {
        let store = try #require(line["store"] as? String)
        numbers[store, default: []].append(try #require(line["transaction"] as? Int))
      }
    }
    return numbers.mapValues { $0.sorted() }
  }

  private var everything: [String: [Int]] {
    Dictionary(
      uniqueKeysWithValues: Self.names.indices.map {
        (Self.identifier($0), Array(1...Self.count))
      })
  }

  private let line =
    "export a.store b.store c.store --output-dir lake --bookmark n --compress none"

  @Test func `each store has its folder and its bookmark`() async throws {
    let result = try await run(line + " --json")
    #expect(result.status == 0, "\(result.errors)")
    let lines = try objects(result.text)
    #expect(
      Set(lines.dropLast().compactMap { $0["source"] as? String }) == Set(Self.names))
    #expect(lines.last?["type"] as? String == "exportRunEnd")
    #expect(lines.last?["transactions"] as? Int == 3 * Self.count)
    #expect(try exported() == everything)
    for name in Self.names {
      let check = try await run("token check \(name) @n --json")
      #expect(check.text.contains("\"transaction\":\(Self.count)"))
    }
    // Nothing is new.
    let again = try await run(line + " --json")
    #expect(try objects(again.text).last?["unchanged"] as? Int == 3)
    #expect(try exported() == everything)
  }

  @Test func `files of partitions hold the stores and months of their names`() async throws {
    let result = try await run(line + " --partition store,month")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try exported() == everything)
    var months: Set<Substring> = []
    for file in try files() {
      let parts = file.split(separator: "/")
      try #require(parts.count == 3)
      let month = parts[1].dropFirst("month=".count)
      months.insert(month)
      let text = try String(contentsOfFile: folder.file("lake/" + file), encoding: .utf8)
      for line in try objects(text) {
        #expect((line["timestamp"] as? String)?.hasPrefix(month + "-") == true)
        #expect("store=\(line["store"] as? String ?? "")" == parts[0])
      }
    }
    #expect(months.count >= 4)
    // The same transactions are not exported a second time in another arrangement.
    let plain = try await run("export a.store --output-dir lake --compress none")
    #expect(plain.status == 9)
    #expect(plain.errors.contains("would be in two files"))
  }

  @Test func `a store that fails does not stop the others`() async throws {
    let result = try await run(line.replacing("b.store", with: "missing.store b.store"))
    #expect(result.status == 3)
    #expect(result.errors.contains("missing.store"))
    #expect(try exported() == everything)
    let runs = try FileManager.default.contentsOfDirectory(atPath: folder.file("lake/_runs"))
    let manifest = try objects(
      String(contentsOfFile: folder.file("lake/_runs/\(try #require(runs.first))"), encoding: .utf8)
    )
    #expect(manifest.first?["type"] as? String == "exportRun")
    #expect(manifest.first?["stores"] as? Int == 4)
    #expect(manifest.count { $0["type"] as? String == "error" } == 1)
    for file in manifest where file["type"] as? String == "export" {
      let path = folder.file("lake/" + (try #require(file["path"] as? String)))
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      #expect(size == file["bytes"] as? Int)
    }
    let end = try #require(manifest.last)
    #expect(end["exported"] as? Int == 3)
    #expect(end["failed"] as? Int == 1)
  }

  @Test func `runs killed at any moment lose and repeat nothing`() async throws {
    let shell = try #require(Tool("sh"))
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed of the kills: \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      let pause = Int.random(in: 5...120, using: &generator)
      _ = try await shell.run(
        [
          "-c",
          """
          "$1" \(line) --partition store,month -q & pid=$!
          sleep 0.\(String(pause + 1000).dropFirst()); kill -9 $pid 2>/dev/null
          wait $pid 2>/dev/null; exit 0
          """, "sh", Tool.histctl.path,
        ], folder: folder.path)
    }
    let last = try await run(line + " --partition store,month")
    #expect(last.status == 0, "\(last.errors)")
    #expect(try exported() == everything)
    let runs = try FileManager.default.contentsOfDirectory(atPath: folder.file("lake/_runs"))
    let newest = try #require(runs.max())
    // A run without its last line is told of.
    let path = folder.file("lake/_runs/" + newest)
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    try whole.split(separator: "\n").dropLast().map { $0 + "\n" }.joined()
      .write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try await run(line).errors.contains("has not ended"))
  }

  @Test func `contradictory options are refused`() async throws {
    for wrong in [
      "export a.store b.store", "export a.store b.store -o x.jsonl",
      "export a.store b.store --output-dir lake --bookmark n --bookmark-file x.json",
      "export a.store --partition store", "export a.store --output-dir lake --partition month",
    ] {
      let result = try await run(wrong)
      #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty, "\(wrong)")
    }
  }

  @Test func `times that jump back and forth begin new files`() async throws {
    try StoreQuery(path: folder.file("a.store")).run(
      """
      UPDATE ATRANSACTION SET ZTIMESTAMP = 7e8 + (Z_PK % 2) * 40 * 86400 WHERE Z_PK <= 10;
      UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 20
      """)
    let result = try await run(line + " --partition store,month")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try exported() == everything)
    #expect(try files().contains { $0.contains("month=__HIVE_DEFAULT_PARTITION__/") })
  }
}
