import Foundation
import TestSupport
import Testing

/// Pages that SQLite reads happily although their rows are out of order: nothing is deleted that is not
/// sealed, and no answer that lacks rows ends with 0.
@Suite(.bounded) struct ExchangedCellTests {
  private static let transactions = 300

  /// Two cell pointers of a leaf of a table, exchanged.
  private static func spoil(
    _ bytes: inout [UInt8], pageSize: Int, _ random: inout SeededGenerator
  ) -> String {
    func cellCount(_ page: Int) -> Int { Int(bytes[page + 3]) * 256 + Int(bytes[page + 4]) }
    var leaves: [Int] = []
    for page in stride(from: pageSize, to: bytes.count, by: pageSize) {
      // The schema is another matter.
      let isSchema = Data(bytes[page..<page + pageSize]).firstRange(of: Data("CREATE ".utf8)) != nil
      if bytes[page] == 0x0D, cellCount(page) > 1, !isSchema { leaves.append(page) }
    }
    guard let page = leaves.randomElement(using: &random) else { return "" }
    let count = cellCount(page)
    let first = Int.random(in: 0..<count, using: &random)
    let second = (first + Int.random(in: 1..<count, using: &random)) % count
    for byte in 0..<2 { bytes.swapAt(page + 8 + 2 * first + byte, page + 8 + 2 * second + byte) }
    return "cells \(first) and \(second) of page \(page / pageSize + 1)"
  }

  /// The numbers of the changes in lines of an export.
  private static func changes(_ lines: [String]) throws -> [Int] {
    try lines.flatMap { line -> [Int] in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (object?["changes"] as? [[String: Any]] ?? []).compactMap { $0["change"] as? Int }
    }
  }

  @Test
  func `every deleted row is sealed, and no incomplete answer ends with 0`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.pageSize = 1024
    let original = try FileBytes.read(
      LongHistory.write(
        to: folder.file("x.store"), transactions: Self.transactions, changesEach: 2, shape: shape))
    let all = Set(1...(2 * Self.transactions))
    let seed = Campaign.seed
    var random = SeededGenerator(seed: seed)
    for number in 0..<Campaign.count(100, 2500) {
      var bytes = original
      let what = Self.spoil(&bytes, pageSize: shape.pageSize, &random)
      let place: Comment = "seed \(seed), case \(number): \(what)"
      let (store, archive) = (folder.file("\(number).store"), folder.file("\(number)"))
      try FileBytes.write(bytes, to: store)
      let export = try await Tool.histctl.run(["export", store])
      if export.status == 0 {
        #expect(Set(try Self.changes(export.lines)) == all, place)
      } else {
        #expect(export.status == 5, place)
      }
      let prune = try await Tool.histctl.run(
        ["prune", store, "--keep-last", "5", "--archive", archive, "--yes"])
      #expect(prune.status < 128, place)
      // A scan of the pages gives every row that is there, in whatever order.
      let kept = try StoreQuery(path: store).lines("SELECT Z_PK FROM ACHANGE NOT INDEXED")
        .compactMap { Int($0) }
      let sealed =
        FileManager.default.fileExists(atPath: archive)
        ? try Self.changes(await Tool.histctl.run(["export", archive]).lines) : []
      #expect(all.subtracting(kept).subtracting(sealed) == [], "\(place): \(prune.errors)")
      for name in try folder.names() where name.hasPrefix("\(number).") || name == "\(number)" {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
    }
  }
}
