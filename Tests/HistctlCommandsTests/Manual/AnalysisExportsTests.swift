import Foundation
import TestSupport
import Testing

/// The files that the recipes of analysis read are written by a script that nobody runs every day.
@Suite(.bounded) struct AnalysisExportsTests {
  /// Writes the exports of one sample store, of which the script makes two files of each kind.
  private static let script = """
    import collections, sys
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[1])
    import exports
    Store = collections.namedtuple("Store", "path")
    exports.export(sys.argv[2], [Store(sys.argv[3])], sys.argv[4])
    """

  @Test
  func `exports for the recipes hold every transaction once, in each kind`() async throws {
    let sample = try SampleFolder()
    let python = try #require(Tool("python3"))
    let shell = try #require(Tool("sh"))
    let folder = sample.folder.file("analysis")
    let written = try await python.run(
      [
        "-c", Self.script, Manual.path("Benchmarks/analysis"), Tool.histctl.path, sample.store,
        folder,
      ], folder: sample.folder.path)
    #expect(written.status == 0, "\(written.errors)")
    for (ending, unpacking) in [("zst", "zstd -dc"), ("gz", "gzip -dc")] {
      let numbers = try await shell.run(
        ["-c", "\(unpacking) exports/*/*.jsonl.\(ending) | jq .transaction"],
        folder: folder + "/" + ending)
      #expect(
        numbers.text.split(separator: "\n").map(String.init)
          == (1...SampleStore.transactionCount).map(String.init))
      let files = try FileManager.default.subpathsOfDirectory(atPath: folder + "/" + ending)
      #expect(files.count { $0.hasSuffix(".changes.jsonl." + ending) } == 2)
    }
  }
}
