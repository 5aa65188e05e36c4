#if os(Linux)
import Foundation
import StoreFormat
import TestSupport
import Testing

/// After a loss of power, at whatever point and with whatever part of what the disk had not been asked to
/// keep, the same command goes on.
///
/// What a program writes reaches the disk in any order until it waits for it. So each state is what was
/// safe at some point, and of the later writes of each file a part chosen at random.
@Suite(.enabled(if: FaultInjector.isPossible)) struct PowerLossTests {
  private static let transactions = 240

  /// What the files can be after a loss of power.
  private static func state(
    _ original: [String: [UInt8]], _ steps: ArraySlice<FaultInjector.Step>,
    _ random: inout SeededGenerator
  ) -> [String: [UInt8]] {
    var files = original
    let safe = Dictionary(
      steps.indices.compactMap { index in
        if case .synchronize = steps[index].kind { (steps[index].path, index) } else { nil }
      }, uniquingKeysWith: { max($0, $1) })
    // Mostly few are lost, for then it is a later one that survives.
    let share = [1, 3, 9].randomElement(using: &random) ?? 1
    for index in steps.indices {
      let step = steps[index]
      // File systems keep the order of names, so a name that is gone stays gone.
      if case .remove = step.kind {
        files[step.path] = nil
        continue
      }
      let isSafe = index < safe[step.path] ?? -1
      guard isSafe || Int.random(in: 0...share, using: &random) > 0 else { continue }
      var bytes = files[step.path] ?? []
      switch step.kind {
      case .write(let offset, let content):
        if bytes.count < offset + content.count {
          bytes += [UInt8](repeating: 0, count: offset + content.count - bytes.count)
        }
        bytes.replaceSubrange(offset..<offset + content.count, with: content)
      case .truncate(let length):
        if length < bytes.count { bytes.removeLast(bytes.count - length) }
      case .synchronize, .remove: continue
      }
      files[step.path] = bytes
    }
    return files
  }

  @Test("prune continues", arguments: [true, false])
  func prune(_ usesLog: Bool) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    shape.keepsLog = usesLog
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: Self.transactions, changesEach: 3, shape: shape)
    let paths = [store, store + "-wal", store + "-journal"]
    var original: [String: [UInt8]] = [:]
    for path in paths { original[path] = try? FileBytes.read(path) }
    let line = ["prune", store, "--keep-last", "20", "--yes", "--quiet"]
    // Each step of the work is then a batch of its own.
    let (steps, result) = try await injector.steps(
      of: Tool.histctl, line, files: folder.file("x.store"), clockStep: 40)
    #expect(result.status == 0, "\(result.errors)")
    // What is in the index of the log is made anew.
    let written = steps.filter { !$0.path.hasSuffix("-shm") }
    #expect(written.count > 20)

    let seed = Campaign.seed
    var random = SeededGenerator(seed: seed)
    for number in 0..<Campaign.count(120, 4000) {
      let end = Int.random(in: 1...written.count, using: &random)
      let files = Self.state(original, written[..<end], &random)
      let place = try TemporaryFolder()
      for (path, bytes) in files {
        let name = URL(fileURLWithPath: path).lastPathComponent
        try FileBytes.write(bytes, to: place.file(name))
      }
      let comment: Comment = "seed \(seed), state \(number), after \(end) of \(written.count) steps"
      let again = try await Tool.histctl.run(
        ["prune", place.file("x.store"), "--keep-last", "20", "--yes", "--quiet"])
      #expect(again.status == 0, "\(comment): \(again.errors)")
      let query = try StoreQuery(path: place.file("x.store"))
      #expect(try query.lines("PRAGMA integrity_check") == ["ok"], comment)
      #expect(
        try query.lines("SELECT count(*), min(Z_PK) FROM ATRANSACTION") == ["20|221"], comment)
      #expect(try query.lines("SELECT count(*) FROM ACHANGE") == ["60"], comment)
    }
  }
}
#endif
