import Foundation
import TestSupport
import Testing

/// What `info` says of an archive.
@Suite(.bounded) struct ArchiveInfoTests {
  private static let other = "2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"

  /// The sample, sealed in two segments.
  private static func folder() async throws -> SampleFolder {
    let sample = try SampleFolder()
    for token in ["4", "9"] {
      try #require(
        try await sample.run("archive sample.store sealed --before \(token)").status == 0)
    }
    return sample
  }

  @Test
  func `info about an archive is a page`() async throws {
    let sample = try await Self.folder()
    let info = try await sample.run("info sealed --date raw")
    let head = try #require(
      try await sample.run("verify sealed --json").text.firstMatch(of: #/2:[0-9a-f]{64}/#)
    ).output
    #expect(
      info.text.replacing(#/\d+(\.\d)? K?i?B/#, with: "N B") == """
        archive     sealed
        segments    2 segments of 1 store, 2 frames
        history     8 transactions, 18 changes
        size        N B in 5 files; segments N B for N B of text
        head        \(head)

        STORE                                 TRANSACTIONS  FROM         TO           COUNT  SEGMENTS     SIZE
        \(SampleFolder.identifier)  1-8           743906560.0  743906980.0      8         2  N B

        ENTITY               INSERTS  UPDATES  DELETES
        BucketListItem             2        2        2
        LivingAccommodation        2        2        2
        Trip                       2        2        2

        """, "\(info.text)")
    #expect(info.status == 0 && info.errors == "")
  }

  @Test(.enabled(if: Tool("jq") != nil))
  func `the JSON of an archive agrees with its files`() async throws {
    let sample = try await Self.folder()
    var shape = StoreWriter.Shape()
    shape.identifier = Self.other
    try SampleStore.write(to: sample.folder.file("other.store"), shape: shape)
    _ = try await sample.run("archive other.store sealed --before 3")
    // Its history is gone up to 6, so what is sealed next stands behind a gap.
    _ = try await sample.run("prune other.store --before 6 --yes")
    _ = try await sample.run("archive other.store sealed --before 9 --allow-gap")
    let info = try await sample.run("info sealed --json")
    #expect(info.status == 0 && info.lines.count == 1)
    try await SchemaCheck.expectFits(info.text)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(info.output)) as? [String: Any])
    #expect(object["segments"] as? Int == 4)
    #expect(object["transactions"] as? Int == 13)
    let stores = try #require(object["stores"] as? [[String: Any]])
    #expect(stores.map { $0["store"] as? String } == [SampleFolder.identifier, Self.other])
    let ranges = stores[1]["ranges"] as? [[String: Int]]
    #expect(ranges == [["first": 1, "last": 2], ["first": 6, "last": 8]])
    let notices = try #require(object["notices"] as? [[String: String]])
    #expect(notices.map { $0["kind"] } == ["gap"])
    #expect(notices[0]["message"]?.contains("transactions 3 to 5 are gone") == true)
    // Bytes and frames are those of the files.
    let folder = sample.folder.file("sealed/\(Self.other)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let sizes = try names.filter { $0.hasSuffix(".zst") }.map {
      try FileBytes.read(folder + "/" + $0).count
    }
    #expect(stores[1]["bytes"] as? Int == sizes.reduce(0, +))
    if let zstd = Tool("zstd") {
      var count = 0
      for name in names where name.hasSuffix(".zst") {
        count += try await zstd.run(["-dc", folder + "/" + name]).output.count
      }
      #expect(stores[1]["textBytes"] as? Int == count)
    }
    let text = try await sample.run("info sealed")
    #expect(text.text.contains("1-2 6-8") && text.text.contains("note: store \(Self.other)"))
  }

  @Test
  func `a torn catalog is a note, and a damaged one an error`() async throws {
    let sample = try await Self.folder()
    let catalog = sample.folder.file("sealed/catalog.jsonl")
    let bytes = try FileBytes.read(catalog)
    try FileBytes.write(bytes + Array("{\"sch".utf8), to: catalog)
    let torn = try await sample.run("info sealed")
    #expect(torn.status == 0 && torn.text.contains("note: the catalog ends in the middle"))
    try FileBytes.write([], to: catalog)
    let cut = try await sample.run("info sealed")
    #expect(cut.status == 5 && cut.errors.contains("is not in the catalog"), "\(cut.errors)")
    try FileManager.default.createDirectory(
      atPath: sample.folder.file("empty"), withIntermediateDirectories: true)
    try FileBytes.write([], to: sample.folder.file("empty/catalog.jsonl"))
    let empty = try await sample.run("info empty --json")
    #expect(empty.status == 0 && empty.text.contains("\"stores\":[]"))
    try await SchemaCheck.expectFits(empty.text)
    #expect(try await sample.run("info empty").text.contains("0 segments of 0 stores"))
    var flipped = bytes
    flipped[20] ^= 1
    try FileBytes.write(flipped, to: catalog)
    let damaged = try await sample.run("info sealed")
    #expect(damaged.status == 5 && damaged.errors.contains("catalog.jsonl"))
    try FileBytes.write(bytes, to: catalog)
    let manifest = sample.folder.file(
      "sealed/\(SampleFolder.identifier)/000000000004-000000000008.json")
    try FileBytes.remove(manifest)
    #expect(try await sample.run("info sealed").status == 5)
  }
}
