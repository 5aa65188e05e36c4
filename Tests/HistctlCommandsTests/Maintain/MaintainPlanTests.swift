import Foundation
import TestSupport
import Testing

/// A dry run of `maintain` shows what a run then does.
@Suite(.bounded) struct MaintainPlanTests {
  private typealias Record = [String: Any]

  private func record(_ text: String) throws -> Record {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Record)
  }

  private func part(_ record: Record, _ name: String, _ keys: [String]) -> [String: Int]? {
    (record[name] as? Record).map { part in
      Dictionary(
        uniqueKeysWithValues: keys.compactMap { key in (part[key] as? Int).map { (key, $0) } })
    }
  }

  /// Returns a config file with random steps.
  private func config(_ random: inout SeededGenerator) -> String {
    func chance() -> Bool { Bool.random(using: &random) }
    func rule(_ step: String) -> String {
      chance()
        ? "\(step).keep-last = \(Int.random(in: 1...8, using: &random))\n"
        : "\(step).keep-within = 1d\n"
    }
    var text = "[a]\nstore = sample.store\n"
    if chance() { text += "export.output-dir = logs\nexport.bookmark = nightly\n" }
    if Int.random(in: 0..<4, using: &random) > 0 {
      text += rule("prune")
      if Int.random(in: 0..<4, using: &random) > 0 {
        text += "prune.archive = sealed\n"
        if Int.random(in: 0..<4, using: &random) > 0 { text += rule("forget") }
        if chance() { text += "forget.merge = yes\n" }
      }
    } else {
      text += "compact = yes\n"
    }
    if chance(), !text.contains("compact") { text += "compact = yes\n" }
    return text
  }

  @Test
  func `a run does what its dry run shows, for random configurations`() async throws {
    let seed = Campaign.rotatingSeed
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Campaign.count(12, 200) {
      let text = config(&random)
      let sample = try SampleFolder()
      try FileBytes.write(Array(text.utf8), to: sample.folder.file("m.conf"))
      if Bool.random(using: &random) {
        _ = try await sample.run(
          "bookmark set sample.store reader \(Int.random(in: 1...12, using: &random))")
      }
      var next = 13
      for round in 1...3 {
        let place = Comment(rawValue: "seed \(seed), run \(round) of:\n\(text)")
        let dry = try await sample.run("maintain --config m.conf --dry-run --json")
        let act = try await sample.run("maintain --config m.conf --json")
        try await SchemaCheck.expectFits(dry.text + act.text)
        let (plan, done) = (try record(dry.text), try record(act.text))
        #expect(dry.status == act.status, place)
        for (name, keys) in [
          ("export", ["transactions", "first", "last"]), ("archive", ["transactions"]),
          ("prune", ["transactions", "changes", "cut"]),
          ("forget", ["transactions", "first", "last"]),
        ] {
          let wanted = part(plan, name, keys)
          let mayMerge = (plan[name] as? Record)?["mayMerge"] != nil
          if part(done, name, keys) == nil, mayMerge, wanted?.isEmpty == true { continue }
          #expect(wanted == part(done, name, keys), place)
        }
        if let merged = part(plan, "forget", ["mergedSegments", "mergedInto"]),
          (plan["forget"] as? Record)?["mayMerge"] == nil, plan["archive"] == nil,
          (plan["forget"] as? Record)?["first"] == nil
        {
          #expect(merged == part(done, "forget", ["mergedSegments", "mergedInto"]), place)
        }
        if done["compact"] != nil { #expect(plan["compact"] != nil, place) }
        if plan["changed"] as? Bool == false { #expect(done["changed"] as? Bool == false, place) }
        let count = Int.random(in: 1...4, using: &random)
        try await sample.append(next...next + count - 1)
        next += count
      }
    }
  }

  @Test
  func `a dry run shows what would be sealed and forgotten`() async throws {
    let sample = try SampleFolder()
    let text = """
      [a]
      store = sample.store
      prune.keep-last = 3
      prune.archive = sealed
      forget.keep-last = 4
      compact = yes

      """
    try FileBytes.write(Array(text.utf8), to: sample.folder.file("m.conf"))
    let dry = try await sample.run("maintain --config m.conf --dry-run")
    for words in [
      "would seal 10 transactions in sealed", "would delete 9 transactions",
      "would forget 6 transactions, 1 to 6 (keep-last) in sealed", "the pages that pruning empties",
    ] {
      #expect(dry.text.contains(words), "\(dry.text)")
    }
    #expect(try !sample.folder.names().contains("sealed"))
    let act = try await sample.run("maintain --config m.conf")
    #expect(act.text.contains("sealed 10 transactions in sealed"), "\(act.text)")
    #expect(act.text.contains("forgot 6 transactions, 1 to 6 (keep-last) in sealed"), "\(act.text)")
  }

  @Test
  func `a dry run of prune with an archive shows what would be sealed`() async throws {
    let sample = try SampleFolder()
    let line = "prune sample.store --keep-last 3 --archive sealed"
    let dry = try await sample.run(line + " --dry-run")
    #expect(dry.text.contains("sample.store: would seal 10 transactions, 1 to 10"), "\(dry.text)")
    let json = try await sample.run(line + " --dry-run --json")
    #expect(json.lines.count == 2 && json.lines[1].contains(#""type":"archivePlan""#))
    #expect(try !sample.folder.names().contains("sealed"))
  }
}
