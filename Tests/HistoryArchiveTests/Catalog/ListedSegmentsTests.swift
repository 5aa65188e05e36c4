import DurableFiles
import Foundation
import TestSupport
import Testing

@testable import HistoryArchive

/// Which segments are left by lines that replace and remove some.
@Suite(.bounded) struct ListedSegmentsTests {
  private static let stores = [
    "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F", "2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F",
  ]

  /// The rule as the manual states it, line by line.
  private static func left(_ lines: [CatalogEntry]) -> [CatalogEntry] {
    lines.enumerated().filter { index, entry in
      !lines[(index + 1)...].contains { later in
        guard later.store == entry.store, later.kind != .segment else { return false }
        return later.first <= entry.first && entry.last <= later.last
          || later.kind == .forget && entry.first < later.first
      }
    }.map(\.element)
  }

  @Test
  func `lines in any order are read as the manual says`() throws {
    var random = SeededGenerator(seed: Campaign.rotatingSeed)
    for _ in 0..<Campaign.count(200, 5000) {
      var lines: [CatalogEntry] = []
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let first = Int64.random(in: 1...20, using: &random)
        lines.append(
          CatalogEntry(
            kind: [.segment, .segment, .merge, .forget].randomElement(using: &random) ?? .segment,
            store: Self.stores.randomElement(using: &random) ?? "", first: first,
            last: first + Int64.random(in: 0...6, using: &random), after: nil,
            manifestDigest: .none, previousDigest: lines.last?.digest ?? .none))
      }
      let folder = try TemporaryFolder()
      try FileBytes.write(lines.flatMap(\.line), to: folder.file("catalog.jsonl"))
      let catalog = try ArchiveCatalog(FilePlace(folder.file("catalog.jsonl")))
      // Every line is proven, whether its segment is left or not.
      #expect(catalog.head == ArchiveAnchor(count: lines.count, digest: lines.last!.digest))
      let expected = Self.left(lines)
      let comment: Comment = "HISTCTL_SEED=\(Campaign.rotatingSeed)"
      #expect(catalog.entries.map(\.line) == expected.map(\.line), comment)
      #expect(catalog.storeIdentifiers == Set(expected.map(\.store)).sorted(), comment)
      for store in Self.stores {
        let first = lines.filter { $0.kind == .forget && $0.store == store }.map(\.first).max()
        #expect(catalog.forgotten(ofStore: store) == first, comment)
      }
      var grown = ArchiveCatalog(emptyAt: "catalog.jsonl")
      for line in lines { grown.append(line) }
      #expect(grown.entries.map(\.line) == expected.map(\.line), comment)
      #expect(grown.head == catalog.head)
    }
  }

  @Test func `a hundred thousand lines that replace each other are read`() throws {
    for step in [Int64(1), -1] {
      let lines = (0..<Int64(50_000)).map { index in
        let first = step > 0 ? 2 * index + 1 : 200_000 - 2 * index
        return CatalogEntry(
          kind: .merge, store: Self.stores[0], first: first, last: first + 1, after: nil,
          manifestDigest: .none, previousDigest: .none)
      }
      var listed = ListedSegments()
      listed.add(lines + lines)
      #expect(listed.entries.count == lines.count)
    }
  }
}
