import Foundation
import StoreFormat
import TestSupport
import Testing

/// Stores that were damaged by chance: an answer or an error, never a crash, never without end.
@Suite(.bounded) struct FuzzTests {
  /// How many copies are spoiled in each way; `HISTCTL_FUZZ_COPIES` asks for more.
  static let count =
    ProcessInfo.processInfo.environment["HISTCTL_FUZZ_COPIES"].flatMap { Int($0) }
    ?? Campaign.count(10, 10)

  /// Ways to spoil a store.
  enum Damage: String, CaseIterable, Sendable {
    case bytes, page, truncation, modelCache, modelArchive
  }

  @Test(arguments: Damage.allCases) func `reading a damaged store ends with a status`(
    _ damage: Damage
  ) async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(SampleStore.write(to: folder.file("sample.store")))
    var random = SeededGenerator(seed: UInt64(damage.rawValue.utf8.reduce(0) { $0 * 31 + Int($1) }))
    let tool = Tool("timeout") ?? Tool.histctl
    let start = Tool("timeout") == nil ? [] : ["-s", "KILL", "180", Tool.histctl.path]
    for index in 0..<Self.count {
      let path = folder.file("\(index).store")
      try spoil(original, damage, &random, path)
      let store = try FileBytes.read(path)
      // The lines always; the others, which read much the same, in turn.
      let others = [
        ["info", path], ["report", path, "-o", "-"], ["show", path, "last"],
        ["diff", path, "0", "--json"],
        ["object", path, "Trip/p5"],
        ["prune", path, "--keep-last", "3", "--dry-run"],
        ["archive", path, path + "-archive", "--quiet"],
        ["bookmark", "list", path], ["compact", path, "--dry-run", "--full"],
        ["check", path, "--max-size", "1B"], ["verify", path, "--full", "--json"],
        ["rehearse", path, "last~1", "-o", folder.file("copy"), "--overwrite"],
        ["scrub", path, "-o", folder.file("copy"), "--overwrite", "--yes"],
      ]
      async let lines = tool.run(start + ["log", path, "--json"])
      async let page = tool.run(start + others[index % others.count])
      for result in try await [lines, page] {
        let status = result.status
        #expect(
          [0, 1, 4, 5, 6, 7, 8, 9].contains(status)
            || status == 64 && result.errors.contains("'last")
            || status == 64 && result.errors.contains("no entity is named 'Trip'"),
          "\(damage) \(index): \(status) \(result.errors)")
      }
      #expect(try FileBytes.read(path) == store)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Whatever a file holds, deleting in it ends with a status, and tables of entities stay.
  @Test(arguments: Damage.allCases) func `pruning a damaged store ends with a status`(
    _ damage: Damage
  ) async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(SampleStore.write(to: folder.file("sample.store")))
    var random = SeededGenerator(seed: UInt64(damage.rawValue.utf8.count) &* 31)
    let tool = Tool("timeout") ?? Tool.histctl
    let start = Tool("timeout") == nil ? [] : ["-s", "KILL", "180", Tool.histctl.path]
    for index in 0..<(Self.count / 2) {
      let path = folder.file("\(index).store")
      try spoil(original, damage, &random, path)
      let result = try await tool.run(
        start + ["prune", path, "--keep-last", "3", "--yes", "--busy-timeout", "0.5"])
      #expect(
        [0, 2, 3, 5, 7, 8, 9].contains(result.status),
        "\(damage) \(index): \(result.status) \(result.errors)")
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// A schedule meets a damaged store: its line or its words, and the other store is maintained.
  @Test(arguments: Damage.allCases) func `maintaining a damaged store ends with a status`(
    _ damage: Damage
  ) async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(SampleStore.write(to: folder.file("sample.store")))
    var random = SeededGenerator(seed: UInt64(damage.rawValue.utf8.count) &* 37)
    let tool = Tool("timeout") ?? Tool.histctl
    let start = Tool("timeout") == nil ? [] : ["-s", "KILL", "180", Tool.histctl.path]
    for index in 0..<(Self.count / 2) {
      let path = folder.file("\(index).store")
      try spoil(original, damage, &random, path)
      let sound = folder.file("\(index)-sound.store")
      try FileBytes.write(original, to: sound)
      let config = """
        [defaults]
        busy-timeout = 0.5
        prune.keep-last = 3
        compact = yes
        [damaged]
        store = \(path)
        export.output-dir = \(folder.file("damaged-\(index)"))
        export.bookmark = nightly
        [sound]
        store = \(sound)
        export.output-dir = \(folder.file("sound-\(index)"))
        export.bookmark = nightly
        """
      try FileBytes.write(Array(config.utf8), to: folder.file("maintain.conf"))
      let result = try await tool.run(
        start + ["maintain", "--config", folder.file("maintain.conf")])
      #expect(
        [0, 2, 3, 4, 5, 6, 7, 8, 9].contains(result.status),
        "\(damage) \(index): \(result.status) \(result.errors)")
      let left = try StoreQuery(path: sound).lines("SELECT count(*) FROM ATRANSACTION")
      #expect(left == ["3"], "\(result.errors)")
    }
  }

  /// Whatever a store and a segment hold, putting the one into the other ends with a status.
  @Test(arguments: Damage.allCases) func `restoring into a damaged store ends with a status`(
    _ damage: Damage
  ) async throws {
    let sample = try SampleFolder()
    for line in ["archive sample.store archive", "prune sample.store --keep-last 4 --yes"] {
      #expect(try await sample.run(line + " --quiet").status == 0)
    }
    let original = try FileBytes.read(sample.store)
    let catalog = sample.folder.file("archive/catalog.jsonl")
    let lines = try FileBytes.read(catalog)
    var random = SeededGenerator(seed: UInt64(damage.rawValue.utf8.count) &* 17)
    let tool = Tool("timeout") ?? Tool.histctl
    let start = Tool("timeout") == nil ? [] : ["-s", "KILL", "180", Tool.histctl.path]
    for index in 0..<max(2, Self.count / 3) {
      let path = sample.folder.file("\(index).store")
      try spoil(original, damage, &random, path)
      let archive = sample.folder.file("archive")
      if index % 3 == 2 {
        var spoiled = lines
        spoiled[Int.random(in: lines.indices, using: &random)] ^= 1
        try FileBytes.write(spoiled, to: catalog)
      }
      let result = try await tool.run(
        start + ["restore", path, archive, "--yes", "--busy-timeout", "0.5"])
      #expect(
        [0, 2, 3, 4, 5, 6, 7, 8, 9].contains(result.status),
        "\(damage) \(index): \(result.status) \(result.errors)")
      try FileManager.default.removeItem(atPath: path)
      try FileBytes.write(lines, to: catalog)
    }
  }

  private func spoil(
    _ original: [UInt8], _ damage: Damage, _ random: inout SeededGenerator, _ path: String
  ) throws {
    var bytes = original
    switch damage {
    case .bytes:
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
    case .page:
      // The heads of pages and their cells, where SQLite's own structure is.
      let page = Int.random(in: 0..<bytes.count / 4096, using: &random) * 4096
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        bytes[page + Int.random(in: 0..<64, using: &random)] = .random(in: 0...255, using: &random)
      }
    case .truncation:
      bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
    case .modelCache, .modelArchive:
      var shape = StoreWriter.Shape()
      var cache =
        damage == .modelCache
        ? try ModelArchive.cache(of: TripsModel.model)
        : try ModelArchive.archive(of: TripsModel.model)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        cache[Int.random(in: 0..<cache.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      shape.modelCache = .some(
        damage == .modelCache ? cache : ModelArchive.deflate(cache))
      try SampleStore.write(to: path, shape: shape)
      return
    }
    try FileBytes.write(bytes, to: path)
  }
}
