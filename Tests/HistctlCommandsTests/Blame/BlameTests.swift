import Foundation
import TestSupport
import Testing

/// `blame`: the transaction that last set each attribute of an object.
@Suite(.bounded) struct BlameTests {
  private typealias Object = [String: Any]

  private static func objects(_ result: Tool.Result) throws -> [Object] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Object)
    }
  }

  /// The demo store and its objects, with the transaction that set each attribute as its exported lines
  /// say.
  private static func demo(
    in folder: TemporaryFolder
  ) async throws -> (path: String, objects: [String: [String: Int]], inserts: [String: Int]) {
    _ = try await InProcess.run(["demo", ".", "--ending", "2026-11-20"], folder: folder.path)
    let path = folder.file("trips.store")
    var objects: [String: [String: Int]] = [:]
    var inserts: [String: Int] = [:]
    for line in try Self.objects(try await InProcess.run(["export", path])) {
      let number = try #require(line["transaction"] as? Int)
      for change in line["changes"] as? [Object] ?? [] {
        let name = "\(change["entity"] ?? "?")/p\(change["pk"] ?? "?")"
        if change["kind"] as? String == "insert" {
          (objects[name], inserts[name]) = ([:], number)
        }
        for attribute in change["attributes"] as? [String] ?? [] {
          objects[name, default: [:]][attribute] = number
        }
      }
    }
    return (path, objects, inserts)
  }

  @Test func `every attribute names the last transaction that set it`() async throws {
    let folder = try TemporaryFolder()
    let (path, known, inserts) = try await Self.demo(in: folder)
    var compared = 0
    for (name, settings) in known {
      let result = try await InProcess.run(["blame", path, name, "--json"])
      #expect(result.status == 0, "\(result.errors)")
      let object = try Self.objects(try await InProcess.run(["object", path, name, "--json"])).last
      let current = object?["current"] as? Object
      for line in try Self.objects(result) where line["type"] as? String == "blame" {
        let attribute = try #require(line["attribute"] as? String)
        #expect(
          line["transaction"] as? Int == settings[attribute] ?? inserts[name],
          "\(name) \(attribute)")
        guard object?["state"] as? String == "present" else { continue }
        // Nil is written here, and left out there.
        let value = line["value"].flatMap { $0 is NSNull ? nil : $0 }
        #expect("\(value ?? "nil")" == "\(current?[attribute] ?? "nil")", "\(name) \(attribute)")
        compared += 1
      }
    }
    #expect(compared > 100)
  }

  @Test func `an earlier token ignores later transactions`() async throws {
    let trips = try RecordedTrips()
    func value(_ token: Int, _ attribute: String) async throws -> Object? {
      try Self.objects(
        try await InProcess.run(
          ["blame", "Trips.store", "Trip/p1", "--at", "\(token)", "--json"],
          folder: trips.folder.path)
      ).first { $0["attribute"] as? String == attribute }
    }
    // Transaction 4 changed the name from Roma to Rom, and the score from 1 to 9.
    let before = try #require(try await value(3, "name"))
    #expect(before["value"] as? String == "Roma" && before["transaction"] as? Int ?? 0 < 4)
    let after = try #require(try await value(4, "name"))
    #expect(after["value"] as? String == "Rom" && after["old"] as? String == "Roma")
    #expect(after["transaction"] as? Int == 4)
    #expect(try await value(3, "score")?["value"] as? Int == 1)
    // Without recorded values, what was replaced is not known.
    let text = try await InProcess.run(
      ["blame", "Trips.store", "Trip/p1", "--at", "3", "--no-values", "--attribute", "name"],
      folder: trips.folder.path)
    #expect(text.lines.last?.contains("not known") == true, "\(text.text)")
  }

  @Test func `an object that never existed or not yet is an error`() async throws {
    let folder = try TemporaryFolder()
    let (path, _, inserts) = try await Self.demo(in: folder)
    let (name, number) = try #require(inserts.max { $0.value < $1.value })
    let early = try await InProcess.run(["blame", path, name, "--at", "\(number - 1)"])
    #expect(early.status == 1 && early.text == "")
    #expect(early.errors.contains("did not exist yet: transaction \(number) inserted it"))
    #expect(try await InProcess.run(["blame", path, name, "--at", "\(number)"]).status == 0)
    let unknown = try await InProcess.run(["blame", path, "Trip/p4711"])
    #expect(unknown.status == 1 && unknown.errors.contains("neither in the store"))
    let wrong = try await InProcess.run(["blame", path, name, "--attribute", "nonsense"])
    #expect(wrong.status == 64 && wrong.errors.contains("'nonsense'"))
  }

  @Test func `a deleted object shows its tombstone`() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("blame sample.store Trip/p9 --date utc")
    #expect(
      result.lines.first
        == "Trip/p9  deleted in transaction 12, 2024-07-29T00:53:40Z, by app")
    #expect(result.lines.contains { $0.hasPrefix("name ") && $0.contains(#""Rome 12""#) })
    let lines = try Self.objects(try await sample.run("blame sample.store Trip/p9 --json"))
    let name = try #require(lines.first { $0["attribute"] as? String == "name" })
    #expect(name["transaction"] as? Int == 10 && name["author"] as? String == "widget")
  }

  @Test func `missing history is not guessed`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store arch --before 12")
    _ = try await sample.run("prune sample.store --before 11 --yes")
    let pruned = try await sample.run("blame sample.store Trip/p9 --json")
    let text = try await sample.run("blame sample.store Trip/p9")
    #expect(text.errors.contains("history begins at 11"))
    let lines = try Self.objects(pruned)
    #expect(lines.contains { $0["type"] as? String == "gap" })
    #expect(lines.allSatisfy { $0["transaction"] == nil })
    // The archive has the rest.
    let joined = try await sample.run("blame sample.store Trip/p9 --archive arch --json")
    let name = try Self.objects(joined).first { $0["attribute"] as? String == "name" }
    #expect(name?["transaction"] as? Int == 10 && joined.errors == "")
    let alone = try await sample.run("blame arch Trip/p9 --json")
    #expect(try Self.objects(alone).contains { $0["transaction"] as? Int == 10 })
    // Without a model, updates have no attribute names.
    try await sample.sqlite("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let nameless = try await sample.run("blame sample.store Trip/p9")
    #expect(nameless.status == 0 && nameless.text.contains("no attribute of it is known"))
  }

  @Test func `history missing from the store and the archive is reported`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store arch --before 10")
    _ = try await sample.run("prune sample.store --before 12 --yes")
    // Its name was set in transaction 10.
    let text = try await sample.run("blame sample.store Trip/p9 --archive arch")
    #expect(text.status == 4 && text.errors.contains("history has a gap"))
    let json = try await sample.run("blame sample.store Trip/p9 --archive arch --json")
    let lines = try Self.objects(json)
    let gap = try #require(lines.first { $0["type"] as? String == "gap" })
    #expect(json.status == 4 && gap["after"] as? Int == 9 && gap["oldest"] as? Int == 12)
    #expect(lines.allSatisfy { $0["transaction"] == nil })
  }

  @Test func `a missing transaction may have set a value last, which is said`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 11; DELETE FROM ATRANSACTION WHERE Z_PK = 11")
    let text = try await sample.run("blame sample.store Trip/p9")
    #expect(text.status == 0 && text.errors.contains("11 is missing and may have set a value last"))
    #expect(try await sample.run("blame sample.store Trip/p9 --at 10").errors == "")
    let json = try await sample.run("blame sample.store Trip/p9 --json")
    try await SchemaCheck.expectFits(json.errors)
    #expect(json.errors.contains(#""kind":"missingTransactions""#), "\(json.errors)")
  }

  @Test func `real stores agree with their lines`() async throws {
    for path in RealStores.paths {
      let folder = try TemporaryFolder()
      let store = try folder.copy(store: path)
      let names = try await InProcess.run(["diff", store, "0", "--name-only"])
      for name in names.lines.shuffled().prefix(4) {
        let life = try await InProcess.run(["object", store, name, "--json"])
        var last: [String: Int] = [:]
        var inserted: Int?
        var isNamed = true
        for line in try Self.objects(life) where line["type"] as? String == "transaction" {
          let number = line["transaction"] as? Int
          for change in line["changes"] as? [Object] ?? [] {
            if change["kind"] as? String == "insert" { (last, inserted) = ([:], number) }
            guard change["kind"] as? String == "update" else { continue }
            guard let attributes = change["attributes"] as? [String] else {
              isNamed = false
              continue
            }
            for attribute in attributes { last[attribute] = number }
          }
        }
        guard isNamed else { continue }
        let result = try await InProcess.run(["blame", store, name, "--json"])
        for line in try Self.objects(result) where line["type"] as? String == "blame" {
          if line["derived"] as? Bool == true {
            #expect(line["transaction"] == nil, "\(path) \(name)")
            continue
          }
          let attribute = (line["attribute"] as? String ?? "").prefix { $0 != "." }
          #expect(
            line["transaction"] as? Int == last[String(attribute)] ?? inserted,
            "\(path) \(name) \(attribute)")
        }
      }
    }
  }
}
