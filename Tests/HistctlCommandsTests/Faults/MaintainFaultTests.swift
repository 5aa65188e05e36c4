#if os(Linux)
import Foundation
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends `maintain`, every transaction is in the exported files or still in the store,
/// in none of them twice, and the next run does the rest.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct MaintainFaultTests {
  private static let name = "Trips.store"
  private static let transactions: Int64 = 60
  private static let kept: Int64 = 10

  private static let config = """
    [trips]
    store = Trips.store
    export.output-dir = logs
    export.bookmark = nightly
    export.compress = none
    prune.keep-last = \(kept)
    compact = yes
    """

  /// A store with enough history for free pages when most of it is gone.
  private static func bytes() throws -> [UInt8] {
    let folder = try TemporaryFolder()
    return try FileBytes.read(
      LongHistory.write(
        to: folder.file(name), transactions: Int(transactions), changesEach: 12))
  }

  /// The numbers of the transactions in the exported files.
  private static func exported(_ place: FaultLoop.Folder) throws -> [Int64] {
    struct Line: Decodable { let transaction: Int64 }
    return try place.files().filter { $0.key.hasPrefix("logs/") && $0.key.hasSuffix(".jsonl") }
      .sorted { $0.key < $1.key }
      .flatMap { $0.value.split(separator: 0x0A).map { Data($0) } }
      .map { try JSONDecoder().decode(Line.self, from: $0).transaction }
  }

  @Test func `maintain survives any failing or killing system call`() async throws {
    let files = [
      Self.name: try Self.bytes(), "maintain.conf": Array(Self.config.utf8),
    ]
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    let all = Array(1...Self.transactions)
    let statuses = try await FaultLoop(
      files: files, arguments: ["maintain", "--config", "maintain.conf", "--quiet"],
      problemsAfterFault: { place, status in
        let left = try StoreRows(place, Self.name)
        let exported = try Self.exported(place)
        var problems = left.problems(asPartOf: original)
        if exported != Array(all.prefix(exported.count)) {
          problems.append("exported: \(exported)")
        }
        if Set(exported).union(left.numbers) != Set(all) {
          problems.append("lost: \(Set(all).subtracting(exported).subtracting(left.numbers))")
        }
        if left.numbers.count < Self.kept { problems.append("left: \(left.numbers)") }
        if status == 0, exported != all { problems.append("said to be done") }
        return problems
      },
      problemsInTheEnd: { place in
        let left = try StoreRows(place, Self.name)
        let exported = try Self.exported(place)
        let free = try StoreQuery(path: place.folder.file(Self.name)).lines("PRAGMA freelist_count")
        return left.problems(asPartOf: original)
          + (left.numbers == Array(all.suffix(Int(Self.kept))) ? [] : ["left: \(left.numbers)"])
          + (exported == all ? [] : ["exported: \(exported)"])
          + (free == ["0"] ? [] : ["free pages: \(free)"])
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [137]))
  }
}
#endif
