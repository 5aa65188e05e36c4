#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Whatever fails or ends `forget`, everything that was to stay is in an archive without damage, and the
/// next run finishes and leaves no other file.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible && ArchivedLines.isPossible))
struct ForgetFaultTests {
  /// A store with an archive of segments of the transactions before each of some.
  private static func files(_ cuts: [Int]) async throws -> [String: [UInt8]] {
    let sample = try SampleFolder()
    for cut in cuts {
      let result = try await sample.run(
        "archive \(SampleFolder.name) arch --before \(cut) --quiet")
      #expect(result.status == 0, "\(result.errors)")
    }
    return try FaultLoop.Folder(folder: sample.folder).files()
      .filter { $0.key.hasPrefix("arch/") }
  }

  @Test(arguments: [
    ("--merge", [2, 3, 4, 5, 7, 8, 9, 12], 1),
    ("--before 5 --yes", [3, 8, 12], 5),
    ("--before 5 --merge --yes", [3, 8, 9, 10, 11, 12], 5),
  ])
  func `forget survives any failing or killing system call`(
    _ options: String, _ cuts: [Int], _ firstKept: Int64
  ) async throws {
    let files = try await Self.files(cuts)
    let before = try FaultLoop.Folder(files)
    let lines = try ArchivedLines(before, "arch").lines
    let expected = lines.filter { $0.key >= firstKept }
    let verified = try await Tool.histctl.run(
      ["verify", "arch", "--json"], folder: before.folder.path)
    let anchor = String(try #require(verified.text.firstMatch(of: #/"head":"([^"]+)"/#)?.1))
    let problems: @Sendable (FaultLoop.Folder) throws -> [String] = { place in
      let archived = try ArchivedLines(place, "arch")
      let altered = archived.lines.filter { lines[$0.key] != $0.value }.keys.sorted()
      let lost = expected.keys.filter { archived.lines[$0] == nil }.sorted()
      return archived.problems + (altered.isEmpty ? [] : ["altered: \(altered)"])
        + (lost.isEmpty ? [] : ["lost: \(lost)"])
        + Self.verify(place, anchor, allowed: [0, 1])
    }
    let arguments = ["forget", "arch", "--quiet"] + options.split(separator: " ").map(String.init)
    let statuses = try await FaultLoop(
      files: files, arguments: arguments,
      problemsAfterFault: { place, status in
        let archived = try ArchivedLines(place, "arch").lines
        return try problems(place)
          + (status == 0 && archived != expected ? ["said to be done"] : [])
      },
      problemsInTheEnd: { place in
        let archived = try ArchivedLines(place, "arch").lines
        return try problems(place) + Self.verify(place, anchor, allowed: [0])
          + (archived == expected ? [] : ["archived: \(archived.keys.sorted())"])
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }

  /// What `verify` says, which the chain of the archive as it was has to satisfy.
  private static func verify(
    _ place: FaultLoop.Folder, _ anchor: String, allowed: Set<Int32>
  ) -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Tool.histctl.path)
    process.arguments = ["verify", "arch", "--full", "--anchor", anchor, "--quiet"]
    process.currentDirectoryURL = URL(fileURLWithPath: place.folder.path)
    let pipe = Pipe()
    process.standardOutput = pipe
    do {
      try process.run()
      let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return allowed.contains(process.terminationStatus)
        ? [] : [String(decoding: text, as: UTF8.self)]
    } catch {
      return ["\(error)"]
    }
  }
}
#endif
