import Foundation
import TestSupport
import Testing

/// Exports into one folder at the same time.
@Suite(.bounded) struct ConcurrentExportTests {
  /// The other run comes to its end between the look at the folder and the moment in which the file
  /// gets its name.
  @Test func `a concurrent run leaves a finished export`() async throws {
    let folder = try SampleFolder()
    let directory = folder.folder.file("logs/\(SampleFolder.identifier)")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let held = open(directory, O_RDONLY | O_CLOEXEC)
    #expect(held >= 0 && flock(held, LOCK_EX) == 0)
    async let run = folder.run("export sample.store --output-dir logs")
    // A draft is begun after the export has looked at the folder; the run may have to wait for its
    // turn among those of all other tests.
    try await wait(until: "a draft is begun", seconds: 900) { try !names().isEmpty }
    let other = "000000000001-000000000013.jsonl.zst"
    try FileBytes.write([1], to: directory + "/" + other)
    close(held)
    let result = try await run
    #expect(result.status == 9, "\(result.errors)")
    #expect(result.errors.contains(other))
    #expect(try names() == [other])
  }

  /// A link and the file that it leads to are one file of bookmarks, and have one lock.
  @Test func `a run through a link to the bookmarks takes the same lock`() async throws {
    let folder = try SampleFolder()
    let set = try await folder.run("bookmark set sample.store n 5 --bookmark-file real.json")
    #expect(set.status == 0, "\(set.errors)")
    try FileManager.default.createSymbolicLink(
      atPath: folder.folder.file("link.json"), withDestinationPath: "real.json")
    let held = open(folder.folder.file("real.json.n.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(held >= 0 && flock(held, LOCK_EX) == 0)
    defer { close(held) }
    let result = try await folder.run(
      "export sample.store --output-dir logs --bookmark n --bookmark-file link.json")
    #expect(result.status == 7, "\(result.errors)")
  }
}
