import Foundation
import HistoryCoding
import TestSupport
import Testing

/// Every command that reads archives, over archives that somebody made who knows the format.
@Suite(.bounded, .needsOptimization) struct ForgedArchiveCommandTests {
  /// The command lines; `S` stands for the archive by itself, or for the store with the archive.
  private static let commands = [
    "log S", "log S --changes --reverse", "log S --json --entity Trip",
    "log S --json --only-matching --kind delete", "show S 5 --json", "show S 4", "diff S 0",
    "diff S 0 --each --json", "export S --format csv", "export S --after 2 --until 6",
    "object S Trip/p1 --json", "stats S --json", "token check S 3 5 last~2 --json",
    "report S -o -",
  ]
  private static let others = [
    "info sealed", "info sealed --json", "verify sealed", "verify sealed --full --json",
    "log sample.store --json --archive sealed", "diff sample.store 0 --archive sealed",
    "verify sample.store --archive sealed --json", "restore sample.store sealed --dry-run",
    "archive sample.store sealed --dry-run --json", "archive sample.store sealed",
    "prune sample.store --keep-last 1 --archive sealed --dry-run",
  ]
  /// Those that every forgery meets; the others take turns.
  private static let always = ["log sealed --json", "export sealed", "diff sealed 0 --json"]
  private static let turns = 6
  private static let statuses: Set<Int> = [0, 1, 2, 4, 5, 6, 64]

  /// The files of a store, pruned, whose beginning is sealed.
  private static let files = Task { () throws -> [String: [UInt8]] in
    let sample = try SampleFolder()
    for line in [
      "archive sample.store sealed --before 9 -q", "prune sample.store --before 9 --yes -q",
    ] {
      try #require(try await sample.run(line).status == 0)
    }
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: sample.folder.path)
    where !name.hasSuffix("-shm") {
      files[name] = try? FileBytes.read(sample.folder.file(name))
    }
    return files
  }

  /// A folder with those files.
  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    for (name, bytes) in try await files.value {
      let path = sample.folder.file(name)
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try FileBytes.write(bytes, to: path)
    }
    return sample
  }

  @Test(arguments: ForgedArchive.all)
  func `every command on a forged archive ends, and every line is JSON`(
    _ forged: ForgedArchive
  ) async throws {
    let sample = try await Self.sample()
    try forged.forge(sample.folder.file("sealed"))
    let commands =
      Self.commands.map { $0.replacing("S", with: "sealed", maxReplacements: 1) } + Self.others
    let turn = ForgedArchive.all.firstIndex { $0.testDescription == forged.testDescription } ?? 0
    let isEvery = Campaign.isEverything
    let chosen = commands.enumerated().filter { isEvery || ($0.offset + turn) % Self.turns == 0 }
    for line in Self.always + chosen.map({ $0.element }) {
      let result = try await sample.run(line)
      #expect(Self.statuses.contains(result.status), "\(line): \(result.status) \(result.errors)")
      #expect(!result.errors.contains("fault of histctl"), "\(line): \(result.errors)")
      #expect(result.status == 0 || !result.errors.isEmpty || !result.text.isEmpty, "\(line)")
      let isLines = line.contains("--json") || line.hasPrefix("export") && !line.contains("csv")
      for part in isLines ? result.output.split(separator: UInt8(ascii: "\n")) : [] {
        #expect(
          throws: Never.self, "\(line): \(String(decoding: part.prefix(200), as: UTF8.self))"
        ) { _ = try JSONSerialization.jsonObject(with: Data(part)) }
      }
    }
  }

  @Test(
    .enabled(if: Tool.hasTerminals),
    arguments: ForgedArchive.all.filter {
      $0.testDescription.contains("escape") || $0.testDescription == "backwards"
    })
  func `control characters are escaped on a terminal`(_ forged: ForgedArchive) async throws {
    let sample = try await Self.sample()
    let archive = sample.folder.file("sealed")
    try forged.forge(archive)
    for arguments in [
      ["log", archive], ["log", archive, "--changes"], ["show", archive, "5"],
      ["diff", archive, "0"],
      ["stats", archive], ["verify", archive], ["info", archive],
      ["restore", sample.store, archive, "--dry-run"], ["log", sample.store, "--archive", archive],
    ] {
      let result = try await Tool.histctl.runOnTerminal(
        arguments + ["--color", "never"] + (arguments[0] == "restore" ? [] : ["--no-pager"]),
        columns: 300, environment: ["TERM": "dumb"])
      #expect(HostileTextTests.isHarmless(result.text), "\(arguments): \(result.text)")
    }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `memory is at most 64 MB and twice the largest value`() async throws {
    // The maximum memory of a command, as the system counts it.
    let script = """
      import resource, subprocess, sys
      status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024) >> 20)
      """
    let python = try #require(Tool("python3"))
    for forged in ForgedArchive.all
    where forged.testDescription.contains("end") || forged.testDescription.contains("frame") {
      let sample = try await Self.sample()
      try forged.forge(sample.folder.file("sealed"))
      for line in [
        ["diff", "sealed", "0"], ["verify", "sealed"], ["verify", "sealed", "--full"],
      ] {
        let result = try await python.run(
          ["-c", script, Tool.histctl.path] + line, folder: sample.folder.path)
        let megabytes = try #require(Int(result.lines.first ?? ""))
        // No value larger than the limit is kept.
        let limit = 64 + 2 * (TransactionLineReader.partLimit >> 20)
        #expect(megabytes <= limit, "\(forged.testDescription), \(line)")
      }
    }
  }

  @Test
  func `a value beyond the limit is reported with the limit`() async throws {
    let sample = try await Self.sample()
    let forged = try #require(
      ForgedArchive.all.first { $0.testDescription == "a line of many frames that has no end" })
    try forged.forge(sample.folder.file("sealed"))
    for (line, isInOutput) in [("verify sealed --full", true), ("log sealed", false)] {
      let result = try await sample.run(line)
      #expect(result.status == 5)
      #expect((isInOutput ? result.text : result.errors).contains("limit 32 MiB"), "\(line)")
    }
    // The digests are right.
    #expect(try await sample.run("verify sealed").status == 0)
  }
}
