import DurableFiles
import Foundation
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

@Suite(.bounded) struct ArchiveCatalogTests {
  private static let store = "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
  private static let other = "2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"

  private static func entries(
    _ ranges: [(String, ClosedRange<Int64>, Int64?)]
  ) -> [CatalogEntry] {
    var entries: [CatalogEntry] = []
    for (store, range, after) in ranges {
      entries.append(
        CatalogEntry(
          store: store, first: range.lowerBound, last: range.upperBound, after: after,
          manifestDigest: ArchiveDigest(of: Array("\(range)".utf8)),
          previousDigest: entries.last?.digest ?? .none))
    }
    return entries
  }

  private static let sample = entries([
    (store, 1...10, nil), (other, 5...8, nil), (store, 13...20, 10), (store, 25...30, nil),
  ])

  /// Reads bytes as a catalog.
  private static func catalog(_ bytes: [UInt8]) throws -> ArchiveCatalog {
    let folder = try TemporaryFolder()
    try FileBytes.write(bytes, to: folder.file("catalog.jsonl"))
    return try ArchiveCatalog(FilePlace(folder.file("catalog.jsonl")))
  }

  @Test
  func `written lines are read back`() throws {
    let bytes = Self.sample.flatMap(\.line)
    let catalog = try Self.catalog(bytes)
    #expect(catalog.entries == Self.sample)
    #expect(catalog.tornByteCount == 0)
    #expect(catalog.head.count == 4)
    #expect(try ArchiveAnchor(catalog.head.description) == catalog.head)
    #expect(catalog.entries[1].digest == Self.sample[2].previousDigest)
    #expect(throws: ArchiveError.self) { try ArchiveAnchor("4:xyz") }
  }

  @Test(.enabled(if: Tool("sha256sum") != nil))
  func `digests in the catalog are those of sha256sum`() async throws {
    let sha = try #require(Tool("sha256sum"))
    let text = String(decoding: Self.sample[2].line, as: UTF8.self)
    let end = try #require(text.range(of: ",\"lineSHA256\":\"")).lowerBound
    let own = try await sha.run([], input: String(text[..<end])).text.prefix(64)
    #expect(text.hasSuffix(",\"lineSHA256\":\"\(own)\"}\n"))
    let next = String(decoding: Self.sample[3].line, as: UTF8.self)
    #expect(
      next.contains("\"previousSHA256\":\"\(try await sha.run([], input: text).text.prefix(64))"))
  }

  @Test
  func `every flipped bit, missing line and exchanged line is an error`() throws {
    let bytes = Self.sample.flatMap(\.line)
    for place in bytes.indices {
      var flipped = bytes
      flipped[place] ^= 1 << UInt8(place % 8)
      // A last line without its end is one that was never finished.
      guard let catalog = try? Self.catalog(flipped) else { continue }
      #expect(catalog.tornByteCount > 0 && catalog.entries.count == 3, "byte \(place)")
    }
    for missing in 0..<3 {
      var rest = Self.sample
      rest.remove(at: missing)
      #expect(throws: ArchiveError.self) {
        try Self.catalog(rest.flatMap(\.line))
      }
    }
    for length in stride(from: 0, through: bytes.count, by: 3) {
      let catalog = try Self.catalog(Array(bytes[..<length]))
      let lines = bytes[..<length].filter { $0 == UInt8(ascii: "\n") }.count
      #expect(catalog.entries.count == lines)
    }
  }

  @Test
  func `gaps and overlaps are found`() throws {
    let catalog = try Self.catalog(Self.sample.flatMap(\.line))
    #expect(catalog.stores.map(\.identifier) == [Self.store, Self.other])
    let store = try #require(catalog.store(Self.store.lowercased()))
    #expect(store.runs.map(\.first) == [1, 25])
    #expect(store.runs.map(\.last) == [20, 30])
    let overlapping = ArchivedStore(
      identifier: Self.store,
      entries: Self.entries([
        (Self.store, 5...20, nil), (Self.store, 1...10, nil), (Self.store, 8...9, nil),
        (Self.store, 21...30, nil),
      ]))
    #expect(overlapping.runs.count == 1)
    #expect(overlapping.overlapping.map(\.first) == [5, 8])
    #expect(overlapping.parts().map(\.range) == [1...10, 11...20, 21...30])
    #expect(overlapping.parts(after: 9, until: 25).map(\.range) == [10...10, 11...20, 21...25])
    #expect(overlapping.parts(after: 30).isEmpty)
    #expect(overlapping.parts(after: 25, until: 25).isEmpty)
  }

  @Test
  func `a store's name cannot lead to another folder`() {
    for store in ["..", "../../etc", "", "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F/..", "a\u{0}b"] {
      let line = CatalogEntry(
        store: store, first: 1, last: 2, after: nil, manifestDigest: .none, previousDigest: .none
      ).line
      #expect(throws: ArchiveError.self) { try Self.catalog(line) }
    }
    for (first, last, after): (Int64, Int64, Int64?) in [
      (0, 1, nil), (-5, 3, nil), (3, 2, nil), (3, 4, 3), (.max, .min, nil),
    ] {
      let line = CatalogEntry(
        store: Self.store, first: first, last: last, after: after, manifestDigest: .none,
        previousDigest: .none
      ).line
      #expect(throws: ArchiveError.self) { try Self.catalog(line) }
    }
  }

  @Test
  func `an archive is a folder with a catalog`() throws {
    let folder = try TemporaryFolder()
    #expect(!Archive.isArchive(folder.path))
    #expect(throws: ArchiveError.notAnArchive(path: folder.path, reason: .withoutCatalog)) {
      try Archive(path: folder.path)
    }
    #expect(throws: ArchiveError.notAnArchive(path: folder.file("none"), reason: .missing)) {
      try Archive(path: folder.file("none"))
    }
    try FileBytes.write([], to: folder.file("catalog.jsonl"))
    #expect(Archive.isArchive(folder.path))
    #expect(try Archive(path: folder.path).stores().isEmpty)
    #expect(
      throws: ArchiveError.notAnArchive(path: folder.file("catalog.jsonl"), reason: .notAFolder)
    ) {
      try Archive(path: folder.file("catalog.jsonl"))
    }
  }
}
