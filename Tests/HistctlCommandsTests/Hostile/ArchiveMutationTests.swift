import Foundation
import HistoryCoding
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// A way in which an archive is changed.
private enum ArchiveMutation: String, CaseIterable {
  case flip, cut, droppedLine, swappedLines, olderCatalog, swappedFiles, removedFile, link
  case linkedFolder
}

/// What commands answer.
private struct ArchiveAnswers {
  /// The status and the output of each command.
  var outputs: [String: (status: Int, text: String)] = [:]
  /// The rows of the store after a restore.
  var restored: [String: [[StoredValue]]]?
  var restoreStatus = 0

  /// The commands that end with 0 and another answer.
  func differences(from original: ArchiveAnswers) -> [String] {
    var names = outputs.filter { name, answer in
      answer.status == 0 && answer.text != original.outputs[name]?.text
    }.map(\.key)
    if restoreStatus == 0, restored != original.restored { names.append("restore") }
    return names.sorted()
  }
}

/// Archives that were changed: no command ends with 0 and another answer than before.
@Suite(.bounded) struct ArchiveMutationTests {
  /// Files by their path in the folder.
  private typealias Files = [String: [UInt8]]

  private static let store = "sample.store"
  private static let folder = "sealed/" + SampleFolder.identifier
  private static let catalog = "sealed/catalog.jsonl"

  /// A pruned store and its archive of three segments; with a merge, of two.
  private static func files(isMerged: Bool) async throws -> Files {
    let sample = try SampleFolder()
    for cut in isMerged ? [3, 5, 10] : [4, 7, 10] {
      let result = try await sample.run("archive sample.store sealed --before \(cut) -q")
      try #require(result.status == 0, "\(result.errors)")
    }
    if isMerged {
      let result = try await sample.run("forget sealed --merge --yes -q")
      try #require(result.status == 0, "\(result.errors)")
    }
    let result = try await sample.run("prune sample.store --before 10 --yes -q")
    try #require(result.status == 0, "\(result.errors)")
    var files: Files = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: sample.folder.path)
    where name.hasPrefix("sealed/") || name == store {
      files[name] = try? FileBytes.read(sample.folder.file(name))
    }
    return files
  }

  private static let commands = [
    "log A --json", "show A 5 --json", "diff A 0 --json", "export A", "log S --json --archive A",
    "stats A --json",
  ]

  private static func answers(_ folder: TemporaryFolder) async throws -> ArchiveAnswers {
    let (path, archive) = (folder.file(store), folder.file("sealed"))
    var answers = ArchiveAnswers()
    for command in commands {
      let arguments = command.split(separator: " ").map {
        $0 == "A" ? archive : $0 == "S" ? path : String($0)
      }
      let result = try await InProcess.run(arguments)
      let text = result.text.replacing(folder.path, with: "")
      answers.outputs[command] = (result.status, text)
    }
    let before = try FileBytes.read(path)
    let result = try await InProcess.run(["restore", path, archive, "--yes", "-q"])
    answers.restoreStatus = result.status
    if result.status == 0 {
      answers.restored = try StoreQuery(path: path).contents()
    } else if result.status == 5 {
      #expect(try FileBytes.read(path) == before, "a refused restore has changed the store")
    }
    return answers
  }

  private static func write(_ files: Files, to folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(
      atPath: folder.file(Self.folder), withIntermediateDirectories: true)
    for (name, bytes) in files { try FileBytes.write(bytes, to: folder.file(name)) }
  }

  // MARK: - Mutations

  /// Returns changed files, or `nil` if nothing has changed.
  private static func mutate(
    _ files: Files, _ kind: ArchiveMutation, _ random: inout SeededGenerator
  ) -> (files: Files, description: String)? {
    var changed = files
    let names = files.keys.filter { $0 != store }.sorted()
    var lines = (files[catalog] ?? []).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true
    ).map { Array($0) + [UInt8(ascii: "\n")] }
    guard let name = names.randomElement(using: &random), let bytes = files[name],
      let line = lines.indices.randomElement(using: &random)
    else { return nil }
    var description = name
    switch kind {
    case .flip:
      let place = Int.random(in: 0..<bytes.count * 8, using: &random)
      changed[name]?[place / 8] ^= 1 << UInt8(place % 8)
      description += " bit \(place)"
    case .cut:
      let count = Int.random(in: 0..<bytes.count, using: &random)
      changed[name] = Array(bytes.prefix(count))
      description += " to \(count)"
    case .droppedLine:
      lines.remove(at: line)
      changed[catalog] = lines.flatMap { $0 }
      description = "line \(line)"
    case .swappedLines:
      let other = lines.indices.randomElement(using: &random) ?? line
      lines.swapAt(line, other)
      changed[catalog] = lines.flatMap { $0 }
      description = "lines \(line) and \(other)"
    case .olderCatalog:
      changed[catalog] = lines.prefix(line).flatMap { $0 }
      description = "of \(line) lines"
    case .swappedFiles:
      let other =
        names.filter { $0.hasSuffix(String(name.suffix(5))) }.randomElement(using: &random) ?? name
      changed.swapAt(name, other)
      description += " and \(other)"
    case .removedFile:
      changed[name] = nil
    case .link, .linkedFolder: break
    }
    guard kind == .link || kind == .linkedFolder || changed != files else { return nil }
    return (changed, description)
  }

  /// Moves a file or a folder out of the archive, and leaves a link.
  private static func link(_ name: String, in folder: TemporaryFolder) throws {
    let outside = folder.file("outside")
    try FileManager.default.moveItem(atPath: folder.file(name), toPath: outside)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file(name), withDestinationPath: outside)
  }

  @Test(arguments: [false, true])
  func `no command on a changed archive ends with 0 and a different answer`(
    isMerged: Bool
  ) async throws {
    let files = try await Self.files(isMerged: isMerged)
    let original = try await {
      let folder = try TemporaryFolder()
      try Self.write(files, to: folder)
      return try await Self.answers(folder)
    }()
    try #require(original.outputs.values.allSatisfy { $0.status == 0 }, "\(original.outputs)")
    try #require(original.restoreStatus == 0)
    let seed = Campaign.rotatingSeed
    print("HISTCTL_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    var counts: [String: Int] = [:]
    for _ in 0..<Campaign.count(90, 2500) {
      guard let kind = ArchiveMutation.allCases.randomElement(using: &random),
        let (changed, description) = Self.mutate(files, kind, &random)
      else { continue }
      let folder = try TemporaryFolder()
      try Self.write(changed, to: folder)
      for name in files.keys where changed[name] == nil {
        _ = try? FileBytes.remove(folder.file(name))
      }
      if kind == .link { try Self.link(description, in: folder) }
      if kind == .linkedFolder { try Self.link(Self.folder, in: folder) }
      let answers = try await Self.answers(folder)
      let differences = answers.differences(from: original)
      let isNoticed =
        answers.restoreStatus != 0 || answers.outputs.values.contains { $0.status != 0 }
      counts["\(kind.rawValue) \(isNoticed ? "noticed" : "without effect")", default: 0] += 1
      #expect(differences.isEmpty, "seed \(seed), \(kind) of \(description)")
    }
    print(
      counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
  }

  // MARK: - Digests made anew

  /// Texts that are replaced in the lines of a segment; all digests are made anew.
  private static let forgeries: [(String, String, String)] = [
    ("no key", #","pk":1}"#, "}"), ("no entity", #""entity":"Trip","pk":1}"#, #""pk":1}"#),
    ("a key below 1", #""pk":1}"#, #""pk":0}"#), ("no kind", #""kind":"insert","#, ""),
    ("no mask", #""columnsRaw""#, #""other""#),
    (
      "a mask that is text", #""pk":1}"#,
      #""pk":1,"extra":{"ZCOLUMNS":"text"}}"#
    ),
    ("a second key", #""pk":1}"#, #""pk":1,"extra":{"ZENTITYPK":"text"}}"#),
    (
      "a time that is text", #""timestampRaw":743906860.0"#,
      #""timestampRaw":743906860.0,"extra":{"ZTIMESTAMP":"text"}"#
    ),
  ]

  @Test(arguments: Self.forgeries)
  func `a restore writes no row that would damage the store`(
    _ name: String, _ old: String, _ new: String
  ) async throws {
    let sample = try SampleFolder()
    for line in [
      "archive sample.store sealed --before 9 -q", "prune sample.store --before 9 --yes -q",
    ] {
      try #require(try await sample.run(line).status == 0)
    }
    let sound = try await sample.run("verify sample.store")
    try ForgedArchive.lines(name, old, new).forge(sample.folder.file("sealed"))
    let before = try FileBytes.read(sample.store)
    let verified = try await sample.run("verify sealed --full")
    #expect(verified.status == 5, "\(verified.text)")
    let restored = try await sample.run("restore sample.store sealed --yes")
    #expect(restored.status == 5, "\(restored.text) \(restored.errors)")
    #expect(restored.errors.contains("sealed/"), "\(restored.errors)")
    #expect(try FileBytes.read(sample.store) == before)
    #expect(try await sample.run("verify sample.store").status == sound.status)
  }
}

extension Dictionary {
  fileprivate mutating func swapAt(_ one: Key, _ other: Key) {
    (self[one], self[other]) = (self[other], self[one])
  }
}
