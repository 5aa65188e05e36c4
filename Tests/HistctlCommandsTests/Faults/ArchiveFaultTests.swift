#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Whatever fails or ends `archive` and `prune --archive`, every transaction is in the store or in the
/// archive, and the next run finishes and leaves no temporary file.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible && ArchivedLines.isPossible))
struct ArchiveFaultTests {
  private static let name = SampleFolder.name
  private static let all = Array(1...Int64(SampleStore.transactionCount))

  /// What there is to begin with: a store, and perhaps an archive of its beginning.
  static func files(
    hasArchive: Bool
  ) async throws -> (
    files: [String: [UInt8]], lines: [Int64: [UInt8]]
  ) {
    let sample = try SampleFolder()
    try await sample.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let place = try FaultLoop.Folder([name: FileBytes.read(sample.store)])
    if hasArchive {
      let result = try await Tool.histctl.run(
        ["archive", name, "arch", "--before", "5"], folder: place.folder.path)
      #expect(result.status == 0, "\(result.errors)")
    }
    let exported = try await Tool.histctl.run(["export", name], folder: place.folder.path)
    return (
      try place.files().filter { !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("-wal") },
      try ArchivedLines.byNumber(exported.output)
    )
  }

  /// What is missing in store and archive together, and what in the archive is not as it was.
  static func problems(
    _ place: FaultLoop.Folder, _ lines: [Int64: [UInt8]], _ original: StoreRows, keeps: Int64
  ) throws -> [String] {
    try ArchivedLines.problems(
      in: place, store: name, archive: "arch", lines, original, keeps: keeps)
  }

  @Test(arguments: [false, true])
  func `archive survives any failing or killing system call`(_ hasArchive: Bool) async throws {
    let (files, lines) = try await Self.files(hasArchive: hasArchive)
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    let check: @Sendable (FaultLoop.Folder) throws -> [String] = {
      try Self.problems($0, lines, original, keeps: 1)
    }
    let statuses = try await FaultLoop(
      files: files,
      arguments: ["archive", Self.name, "arch", "--segment-size", "64K", "--quiet"],
      problemsAfterFault: { place, status in
        let archived = try ArchivedLines(place, "arch").lines.keys.sorted()
        return try check(place)
          + (status == 0 && archived != Array(Self.all.dropLast()) ? ["said to be done"] : [])
      },
      problemsInTheEnd: { place in
        let archived = try ArchivedLines(place, "arch").lines.keys.sorted()
        return try check(place)
          + (archived == Array(Self.all.dropLast()) ? [] : ["archived: \(archived)"])
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }

  @Test(arguments: [false, true])
  func `prune with an archive survives any failing or killing system call`(
    _ hasArchive: Bool
  ) async throws {
    let (files, lines) = try await Self.files(hasArchive: hasArchive)
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    let check: @Sendable (FaultLoop.Folder) throws -> [String] = {
      try Self.problems($0, lines, original, keeps: 9)
    }
    var loop = FaultLoop(
      files: files,
      arguments: ["prune", Self.name, "--keep-last", "4", "--archive", "arch", "--yes", "--quiet"],
      problemsAfterFault: { place, status in
        let numbers = try StoreRows(place, Self.name).numbers
        return try check(place)
          + (status == 0 && numbers.first != 9 ? ["said to be done: \(numbers)"] : [])
      },
      problemsInTheEnd: { place in
        let numbers = try StoreRows(place, Self.name).numbers
        return try check(place) + (numbers == Array(9...12) ? [] : ["left: \(numbers)"])
      })
    loop.clockStep = 40
    let statuses = try await loop.run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }

  @Test
  func `prune with an archive survives faults in two runs`() async throws {
    let (files, lines) = try await Self.files(hasArchive: true)
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let arguments = ["prune", Self.name, "--keep-last", "4", "--archive", "arch", "--yes", "-q"]
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    let clean = try FaultLoop.Folder(files)
    let calls = try await injector.calls(
      of: .histctl, arguments, files: clean.folder.path, folder: clean.folder.path
    ).calls.count
    var random = SeededGenerator(seed: Campaign.rotatingSeed)
    for _ in 0..<Campaign.count(6, 400) {
      let place = try FaultLoop.Folder(files)
      var steps = ["HISTCTL_SEED=\(Campaign.rotatingSeed)"]
      for _ in 0..<2 {
        let kind = FaultInjector.Kind.allCases.randomElement(using: &random) ?? .kill
        let fault = FaultInjector.Fault(
          kind, at: .random(in: 1...calls, using: &random), lasts: kind == .full)
        steps.append("\(fault)")
        _ = try await injector.run(
          .histctl, arguments, files: place.folder.path, fault, folder: place.folder.path)
        #expect(try Self.problems(place, lines, original, keeps: 9) == [], "\(steps)")
      }
      let result = try await Tool.histctl.run(arguments, folder: place.folder.path)
      #expect(result.status == 0, "\(steps): \(result.errors)")
      #expect(try Self.problems(place, lines, original, keeps: 9) == [], "\(steps)")
      #expect(try StoreRows(place, Self.name).numbers == Array(9...12), "\(steps)")
      #expect(try !place.files().keys.contains { $0.contains("partial") }, "\(steps)")
    }
  }
}

/// The lines of an archive, read with sha256sum, zstd and a JSON parser, none of which is ours.
struct ArchivedLines {
  static let isPossible = Tool("zstd") != nil && Tool("sha256sum") != nil && Tool("sh") != nil

  /// The lines by the number of their transaction.
  private(set) var lines: [Int64: [UInt8]] = [:]
  /// What is wrong with the archive.
  private(set) var problems: [String] = []

  private struct Entry: Decodable {
    let type: String
    let store: String
    let first: Int64
    let last: Int64
    let manifestSHA256: String
    let previousSHA256: String

    /// Whether a later line says that this one's segment is gone.
    func isGone(by later: Entry) -> Bool {
      guard later.store == store, later.type != "segment" else { return false }
      return later.first <= first && last <= later.last
        || later.type == "forget" && first < later.first
    }
  }
  private struct Manifest: Decodable { let sha256: String }
  private struct Line: Decodable { let transaction: Int64 }

  /// What is missing in store and archive together, and what in the archive is not as it was.
  static func problems(
    in place: FaultLoop.Folder, store name: String, archive folder: String,
    _ lines: [Int64: [UInt8]], _ original: StoreRows, keeps: Int64
  ) throws -> [String] {
    let rows = try StoreRows(place, name)
    var problems = rows.integrity == ["ok"] ? [] : rows.integrity
    if rows.transactions != original.transactions.suffix(rows.transactions.count) {
      problems.append("the store has \(rows.numbers)")
    }
    if let oldest = rows.numbers.first, oldest > keeps {
      problems.append("\(oldest) is the oldest, \(keeps) was to stay")
    }
    let archived = try ArchivedLines(place, folder)
    problems += archived.problems
    for (number, line) in archived.lines where lines[number] != line {
      problems.append("the sealed transaction \(number) is another")
    }
    let missing = lines.keys.filter { archived.lines[$0] == nil && !rows.numbers.contains($0) }
    if !missing.isEmpty { problems.append("lost: \(missing.sorted())") }
    return problems
  }

  static func byNumber(_ text: [UInt8]) throws -> [Int64: [UInt8]] {
    var lines: [Int64: [UInt8]] = [:]
    for line in text.split(separator: 0x0A) {
      lines[try JSONDecoder().decode(Line.self, from: Data(line)).transaction] = Array(line)
    }
    return lines
  }

  init(_ place: FaultLoop.Folder, _ folder: String) throws {
    let files = try place.files()
    let catalog = files[folder + "/catalog.jsonl"] ?? []
    var previous = String(repeating: "0", count: 64)
    var entries: [Entry] = []
    // What is behind the last line end was never finished.
    for line in catalog.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      let entry = try JSONDecoder().decode(Entry.self, from: Data(line))
      if entry.previousSHA256 != previous { problems.append("the chain is broken") }
      previous = try Self.output(["sha256sum"], Array(line) + [0x0A]).prefix(64).text
      entries.append(entry)
    }
    for (index, entry) in entries.enumerated() {
      if entries[(index + 1)...].contains(where: entry.isGone) { continue }
      let name =
        "\(folder)/\(entry.store)/" + Self.padded(entry.first) + "-"
        + Self.padded(entry.last)
      guard let manifest = files[name + ".json"], let segment = files[name + ".jsonl.zst"] else {
        problems.append("\(name) is missing")
        continue
      }
      if try Self.output(["sha256sum"], manifest).prefix(64).text != entry.manifestSHA256 {
        problems.append("\(name).json is another")
      }
      let digest = try JSONDecoder().decode(Manifest.self, from: Data(manifest)).sha256
      if try Self.output(["sha256sum"], segment).prefix(64).text != digest {
        problems.append("\(name).jsonl.zst is another")
      }
      lines.merge(try Self.byNumber(Self.output(["zstd", "-dc"], segment))) { $1 }
    }
  }

  private static func padded(_ number: Int64) -> String {
    String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }

  /// What a program makes of its input, read from a file.
  private static func output(_ arguments: [String], _ input: [UInt8]) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try FileBytes.write(input, to: folder.file("input"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = try FileHandle(
      forReadingFrom: URL(fileURLWithPath: folder.file("input")))
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(output)
  }
}

extension Sequence where Element == UInt8 {
  fileprivate var text: String { String(decoding: Array(self), as: UTF8.self) }
}
#endif
