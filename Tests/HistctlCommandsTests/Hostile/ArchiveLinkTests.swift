import Foundation
import TestSupport
import Testing

/// Links in an archive: nothing is read, written or deleted through one.
@Suite(.bounded) struct ArchiveLinkTests {
  private static let folder = "sealed/" + SampleFolder.identifier

  /// A pruned store whose beginning is in two segments.
  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    for line in [
      "archive sample.store sealed --before 4 -q", "archive sample.store sealed --before 7 -q",
      "prune sample.store --before 7 --yes -q",
    ] {
      try #require(try await sample.run(line).status == 0)
    }
    return sample
  }

  /// Moves a file or a folder out of the archive, and leaves a link.
  private static func link(_ name: String, in sample: SampleFolder) throws -> String {
    let outside = sample.folder.file("outside")
    try FileManager.default.moveItem(atPath: sample.folder.file(name), toPath: outside)
    try FileManager.default.createSymbolicLink(
      atPath: sample.folder.file(name), withDestinationPath: outside)
    return outside
  }

  private static let readers = [
    "verify sealed", "verify sealed --full", "log sealed --json", "export sealed",
    "log sample.store --archive sealed --after 0", "restore sample.store sealed --yes",
  ]

  @Test(arguments: [
    "sealed/catalog.jsonl", folder + "/000000000001-000000000003.jsonl.zst",
    folder + "/000000000001-000000000003.json",
  ])
  func `a file that is a link is damage`(_ name: String) async throws {
    let sample = try await Self.sample()
    let outside = try Self.link(name, in: sample)
    let before = try FileBytes.read(outside)
    for line in Self.readers + ["forget sealed --merge --yes"] {
      let result = try await sample.run(line)
      #expect(result.status == 5, "\(line): \(result.status) \(result.errors)")
      #expect((result.text + result.errors).contains("symbolic link"), "\(line): \(result.errors)")
    }
    #expect(try FileBytes.read(outside) == before)
  }

  @Test
  func `a store's folder that is a link is damage, and nothing in it changes`() async throws {
    let sample = try await Self.sample()
    let outside = try Self.link(Self.folder, in: sample)
    let before = try FileManager.default.contentsOfDirectory(atPath: outside).sorted()
    for line in Self.readers + [
      "archive sample.store sealed", "forget sealed --keep-last 1 --yes",
      "forget sealed --merge --yes", "prune sample.store --keep-last 1 --archive sealed --yes",
    ] {
      let result = try await sample.run(line)
      #expect(result.status == 5, "\(line): \(result.status) \(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).sorted() == before)
  }

  @Test
  func `the folder of the archive may be a link, because the user names it`() async throws {
    let sample = try await Self.sample()
    _ = try Self.link("sealed", in: sample)
    for line in [
      "verify sealed", "log sealed --json", "archive sample.store sealed",
      "restore sample.store sealed --yes",
    ] {
      let result = try await sample.run(line)
      #expect(result.status == 0, "\(line): \(result.errors)")
    }
  }

  @Test
  func `an export writes no file through a link that has the name of one of its folders`()
    async throws
  {
    let sample = try SampleFolder()
    let outside = sample.folder.file("outside")
    for folder in ["outside", "out"] {
      try FileManager.default.createDirectory(
        atPath: sample.folder.file(folder), withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: sample.folder.file("out/" + SampleFolder.identifier), withDestinationPath: outside)
    let result = try await sample.run("export sample.store --output-dir out")
    #expect(result.status == 9, "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
  }
}
