#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Runs a command line, takes away the power after each of its changes of files, and looks at what is left; then runs
/// it again.
///
/// A few moments have their turn, others in every run; the seed that chose them is printed with a failure. With
/// HISTCTL_EVERY_FAULT=1 every moment has its turn, with every order in which changes reach the disk.
struct PowerLossLoop: Sendable {
  /// What it begins with.
  let files: [String: [UInt8]]
  /// The command line, with paths relative to the folder of the files.
  let arguments: [String]
  /// That of the run after the loss; nil for the same.
  var again: [String]?
  /// By how many milliseconds clocks advance each time they are read.
  var clockStep = 0
  /// How many losses a usual run tries.
  var count = 12
  /// Files that may be left when the run after a loss has nothing to do with them.
  var mayStay: Set<String> = []
  /// Whether a path is that of a file which appears complete or not at all, and stays once the command has ended.
  var isOutput: @Sendable (_ path: String) -> Bool = { _ in false }
  /// Whether an output that is replaced is at its place until then, unchanged. A store with files beside it may wait in
  /// the folder of the draft, until the next run puts it back.
  var keepsFormer = true
  /// What is wrong with what a loss left; it may be changed by looking at it.
  var problemsAfterLoss:
    @Sendable (_ place: FaultLoop.Folder, _ hasEnded: Bool) throws -> [String] = {
      _, _ in []
    }
  /// What is wrong with what the run after it left.
  let problemsInTheEnd: @Sendable (_ place: FaultLoop.Folder) throws -> [String]

  /// A moment, and what survives until then.
  private struct Loss: Sendable {
    let moment: Int
    let order: DiskRecord.Order
    let seed: UInt64
  }

  /// The outputs of the run without a loss, and the names of all files.
  private struct Outcome: Sendable {
    let outputs: [String: [UInt8]]
    let names: Set<String>
  }

  func run() async throws {
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let undisturbed = try FaultLoop.Folder(files)
    let (record, result) = try await injector.disk(
      of: .histctl, arguments, folder: undisturbed.folder.path, clockStep: clockStep)
    #expect(result.status == 0, "\(result.errors)")
    let end = record.changes.count
    try #require(end > 0)
    let final = try undisturbed.files()
    var random = SeededGenerator(seed: 1)
    func kept(_ files: [String: [UInt8]]) -> [String: [UInt8]] {
      files.filter { !$0.key.hasSuffix("-shm") }
    }
    #expect(
      kept(record.state(after: end, .everything, &random).files) == kept(final),
      "the record is not complete")
    let outcome = Outcome(
      outputs: final.filter { isOutput($0.key) }, names: try undisturbed.names())
    #expect(try problemsInTheEnd(undisturbed) == [])

    let seed = Campaign.rotatingSeed
    let afterwards = [.strict, .ordered, .ordered, .everything].map { order in
      Loss(moment: end, order: order, seed: .random(in: 0...(.max), using: &random))
    }
    let before = (0..<end).flatMap { moment in
      DiskRecord.Order.allCases.map { order in
        Loss(moment: moment, order: order, seed: seed &+ UInt64(moment))
      }
    }
    var choice = SeededGenerator(seed: seed)
    let losses =
      afterwards
      + before.shuffled(using: &choice).prefix(Campaign.count(count, before.count))
    // Two at a time, for each of them is as busy as a program can be.
    async let ones: Void = run(losses, part: 0, record, outcome)
    async let others: Void = run(losses, part: 1, record, outcome)
    _ = try await (ones, others)
    if Campaign.isEverything { print("\(arguments[0]): \(losses.count) losses of power") }
  }

  private func run(
    _ losses: [Loss], part: Int, _ record: DiskRecord, _ outcome: Outcome
  ) async throws {
    for (number, loss) in losses.enumerated() where number % 2 == part {
      let problems: [String]
      do {
        problems = try await run(loss, record, outcome)
      } catch {
        problems = ["\(error)"]
      }
      #expect(
        problems == [],
        """
        \(loss.order.rawValue), after \(loss.moment) of \(record.changes.count) changes; \
        HISTCTL_SEED=\(Campaign.rotatingSeed)
        """)
    }
  }

  private func run(
    _ loss: Loss, _ record: DiskRecord, _ outcome: Outcome
  ) async throws -> [String] {
    var random = SeededGenerator(seed: loss.seed)
    let hasEnded = loss.moment == record.changes.count
    var state = record.state(after: loss.moment, loss.order, &random)
    // An index of a log is made anew after a loss of power.
    state.files = state.files.filter { !$0.key.hasSuffix("-shm") }
    let left = state.files
    var problems: [String] = []
    for name in Set(left.keys.filter(isOutput)).union(outcome.outputs.keys).sorted() {
      let bytes = left[name]
      if bytes == outcome.outputs[name] { continue }
      if !hasEnded, bytes == files[name] || files[name] != nil && !keepsFormer { continue }
      problems.append(bytes == nil ? "\(name) is lost" : "\(name) is not complete")
    }
    problems += try problemsAfterLoss(try FaultLoop.Folder(state), hasEnded)

    let place = try FaultLoop.Folder(state)
    let rerun = try await Tool.histctl.run(again ?? arguments, folder: place.folder.path)
    if rerun.status != 0 { problems.append("again \(rerun.status): \(rerun.errors)") }
    let more = try place.names().subtracting(outcome.names).subtracting(mayStay).sorted()
    if !more.isEmpty { problems.append("left over: \(more)") }
    problems += try problemsInTheEnd(place).map { "in the end: " + $0 }
    return problems
  }
}
#endif
