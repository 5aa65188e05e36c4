#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Whatever fails or ends `maintain` with `prune.archive`, every transaction is exported or still to be
/// exported, and in the store or in the archive; the next run does the rest.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible && ArchivedLines.isPossible))
struct MaintainArchiveFaultTests {
  private static let name = "Trips.store"
  private static let transactions: Int64 = 30
  private static let kept: Int64 = 8
  private static let arguments = ["maintain", "--config", "maintain.conf", "--quiet"]

  private static let config = """
    [trips]
    store = Trips.store
    export.output-dir = logs
    export.bookmark = nightly
    export.compress = none
    prune.keep-last = \(kept)
    prune.archive = arch
    compact = yes
    """

  /// What there is to begin with.
  private struct Beginning: Sendable {
    let files: [String: [UInt8]]
    let lines: [Int64: [UInt8]]
    let original: StoreRows

    init() async throws {
      let folder = try TemporaryFolder()
      let store = try LongHistory.write(
        to: folder.file(name), transactions: Int(transactions), changesEach: 9)
      files = [name: try FileBytes.read(store), "maintain.conf": Array(config.utf8)]
      let exported = try await Tool.histctl.run(["export", store])
      lines = try ArchivedLines.byNumber(exported.output)
      original = try StoreRows(FaultLoop.Folder(files), name)
    }

    /// What is wrong with what a run has left.
    func problems(_ place: FaultLoop.Folder) throws -> [String] {
      var problems = try ArchivedLines.problems(
        in: place, store: name, archive: "arch", lines, original, keeps: transactions - kept + 1)
      let exported = try exported(place)
      if exported != Array((1...transactions).prefix(exported.count)) {
        problems.append("exported: \(exported)")
      }
      let left = try StoreRows(place, name)
      if exported.isEmpty, left.numbers.count < transactions {
        problems.append("deleted before it was exported: \(left.numbers)")
      }
      return problems + left.problems(asPartOf: original)
    }

    /// What is wrong with what the last run has left.
    func problemsInTheEnd(_ place: FaultLoop.Folder) throws -> [String] {
      let left = try StoreRows(place, name).numbers
      let sealed = try ArchivedLines(place, "arch").lines.keys.sorted()
      let exported = try exported(place)
      return try problems(place)
        + (left == Array((1...transactions).suffix(Int(kept))) ? [] : ["left: \(left)"])
        + (sealed == Array(1...transactions - kept + 1) ? [] : ["sealed: \(sealed)"])
        + (exported == Array(1...transactions) ? [] : ["exported: \(exported)"])
    }

    private func exported(_ place: FaultLoop.Folder) throws -> [Int64] {
      try place.files().filter { $0.key.hasPrefix("logs/") && $0.key.hasSuffix(".jsonl") }
        .sorted { $0.key < $1.key }
        .flatMap { try ArchivedLines.byNumber($0.value).keys.sorted() }
    }
  }

  @Test func `maintain with an archive survives any failing or killing system call`() async throws {
    let beginning = try await Beginning()
    var loop = FaultLoop(
      files: beginning.files, arguments: Self.arguments,
      problemsAfterFault: { place, status in
        let problems = try beginning.problems(place)
        return try status == 0 ? problems + beginning.problemsInTheEnd(place) : problems
      },
      problemsInTheEnd: { try beginning.problemsInTheEnd($0) })
    loop.clockStep = 40
    let statuses = try await loop.run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [137]))
  }

  @Test
  func `maintain with an archive survives faults in two runs`() async throws {
    let beginning = try await Beginning()
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let clean = try FaultLoop.Folder(beginning.files)
    let calls = try await injector.calls(
      of: .histctl, Self.arguments, files: clean.folder.path, folder: clean.folder.path
    ).calls.count
    var random = SeededGenerator(seed: Campaign.rotatingSeed)
    for _ in 0..<Campaign.count(6, 400) {
      let place = try FaultLoop.Folder(beginning.files)
      var steps = ["HISTCTL_SEED=\(Campaign.rotatingSeed)"]
      for _ in 0..<2 {
        let kind = FaultInjector.Kind.allCases.randomElement(using: &random) ?? .kill
        let fault = FaultInjector.Fault(
          kind, at: .random(in: 1...calls, using: &random), lasts: kind == .full)
        steps.append("\(fault)")
        _ = try await injector.run(
          .histctl, Self.arguments, files: place.folder.path, fault, folder: place.folder.path)
        #expect(try beginning.problems(place) == [], "\(steps)")
      }
      let result = try await Tool.histctl.run(Self.arguments, folder: place.folder.path)
      #expect(result.status == 0, "\(steps): \(result.errors)")
      #expect(try beginning.problemsInTheEnd(place) == [], "\(steps)")
      #expect(try !place.files().keys.contains { $0.contains("partial") }, "\(steps)")
    }
  }
}
#endif
