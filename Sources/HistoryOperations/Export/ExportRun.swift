import Dispatch
import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Exports several histories into one folder, as many large ones at a time as there are processors, and three
/// times as many small ones, which wait for the disk most of the time.
///
/// Each history is exported as ``ExportFolder`` does it, with a bookmark of the same name beside each store. An
/// error in one does not affect the others, and a run that was killed continues when it is run again. An
/// ``ExportManifest`` lists what the run reads and writes.
package struct ExportRun {
  /// The outcome of one history's export.
  package struct Outcome {
    package let path: String
    package fileprivate(set) var storeIdentifier: String?
    /// The files; none if nothing was new.
    package fileprivate(set) var files: [ExportFolder.File] = []
    package fileprivate(set) var error: (any Error)?
    /// Whether a store of a list was skipped, because it keeps no history.
    package fileprivate(set) var isWithoutHistory = false
  }

  /// The totals of a run.
  package struct Summary: Sendable {
    /// The path of the manifest.
    package internal(set) var manifest = ""
    package internal(set) var exported = 0
    package internal(set) var unchanged = 0
    package internal(set) var failed = 0
    /// The number of stores of a list that keep no history.
    package internal(set) var skipped = 0
    package internal(set) var files = 0
    package internal(set) var transactions: Int64 = 0
    package internal(set) var bytes: Int64 = 0

    fileprivate mutating func add(_ outcome: Outcome) {
      if outcome.error != nil {
        failed += 1
      } else if outcome.isWithoutHistory {
        skipped += 1
      } else if outcome.files.isEmpty {
        unchanged += 1
      } else {
        exported += 1
      }
      for file in outcome.files {
        files += 1
        transactions += Int64(file.summary.transactions)
        bytes += file.byteCount
      }
    }
  }

  /// Creates the export of an open history; `nil` to leave it out as one without anything new.
  package typealias Preparation = (
    HistoryTimeline, SnapshotHelpers?, TokenResolver
  ) throws -> ExportOperation?

  /// The stores, archives and exported lines, each once.
  let inputs: [HistoryInput]
  /// Those of the paths that only a list has: of them, stores without history are skipped.
  package var listedStores: Set<FilePath> = []
  package var folder: String
  package var format: ExportFormat
  package var layout = ExportFolder.Layout.plain
  /// The name of the bookmarks; `nil` for an export without bookmarks.
  package var consumer: String?
  /// Seconds to wait for another run for the same consumer.
  package var lockWait: Double = 0
  /// The program that exports, for the manifest.
  package var maker: String
  /// The moment that relative times are counted from.
  package var now: StoreTimestamp
  private let observer: OperationObserver
  /// The size in bytes up to which a store counts as small.
  private static let smallSize: Int64 = 4 << 20
  /// Lets one thread at a time call closures, choose the next history, or write into the manifest.
  private let turn = DispatchSemaphore(value: 1)

  /// - Parameters:
  ///   - inputs: The stores, archives and exported lines, each once.
  ///   - folder: Where to.
  ///   - maker: The program that exports, for the manifest.
  ///   - now: The moment that relative times are counted from.
  ///   - observer: Receives warnings, and how many histories are done; called on any thread, one at a time.
  package init(
    _ inputs: [HistoryInput], to folder: String, format: ExportFormat, maker: String,
    now: StoreTimestamp, observer: @escaping OperationObserver
  ) {
    self.inputs = inputs
    self.folder = folder
    self.format = format
    self.maker = maker
    self.now = now
    self.observer = observer
  }

  /// Exports the histories, on a quarter of the threads the largest first and on the others the smallest, until
  /// only large ones are left.
  ///
  /// The closures are called on any thread, one at a time.
  ///
  /// - Parameters:
  ///   - prepare: Called with each history.
  ///   - ended: Called with its outcome; returns the manifest's record of an error. If it throws, no other
  ///     history is begun, and the run throws the error.
  /// - Throws: ``OperationError`` if the manifest cannot be written, and what `ended` throws.
  package func run(
    _ prepare: @escaping Preparation, ended: @escaping (Outcome) throws -> JSONValue?
  ) throws -> Summary {
    var waiting = Self.largestFirst(inputs)[...]
    let total = Int64(waiting.count)
    let manifest = try ExportManifest(self, storeCount: waiting.count, observer: observer)
    var summary = Summary()
    summary.manifest = manifest.path
    var problem: (any Error)?
    func next(onlySmall: Bool) -> HistoryInput? {
      guard problem == nil else { return nil }
      guard onlySmall else { return waiting.popFirst()?.input }
      guard let smallest = waiting.last, smallest.size <= Self.smallSize else { return nil }
      return waiting.popLast()?.input
    }
    func work(onlySmall: Bool) {
      while let input = inTurn({ next(onlySmall: onlySmall) }) {
        let outcome = export(input, prepare)
        inTurn {
          guard problem == nil else { return }
          do {
            summary.add(outcome)
            try manifest.add(outcome, error: ended(outcome))
            observer(
              .exportedHistories(
                Int64(summary.exported + summary.unchanged + summary.failed + summary.skipped),
                of: total))
          } catch {
            problem = error
          }
        }
      }
    }
    // The shared state is used by one thread at a time.
    nonisolated(unsafe) let share = work
    let threads = DispatchGroup()
    let processors = StoreReading.helperCount + 1
    let scope = ReadingScope()
    for number in 0..<min(waiting.count, 4 * processors) {
      DispatchQueue(label: "histctl.export").async(group: threads) {
        scope.run { share(number >= processors) }
      }
    }
    threads.wait()
    observer(.finished)
    if let problem { throw problem }
    try manifest.end(summary)
    return summary
  }

  private func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    turn.wait()
    defer { turn.signal() }
    return try body()
  }

  private func export(_ input: HistoryInput, _ prepare: Preparation) -> Outcome {
    var outcome = Outcome(path: input.path)
    // Progress counts histories, not transactions.
    let warn: OperationObserver = { [observer, turn] event in
      guard case .warning = event else { return }
      turn.wait()
      defer { turn.signal() }
      observer(event)
    }
    do {
      let lock = try consumer.flatMap {
        try RunLock.forExport(
          of: input.path, for: $0, bookmarkPath: nil, wait: lockWait)
      }
      defer { withExtendedLifetime(lock) {} }
      var input = input
      input.context.observer = warn
      try input.open().read { timeline, helpers, resolver in
        outcome.storeIdentifier = timeline.storeIdentifier
        guard var operation = try inTurn({ try prepare(timeline, helpers, resolver) }) else {
          return
        }
        operation.observer = warn
        let target = try ExportFolder(
          operation, to: folder, layout: layout, resolver: resolver,
          bookmarkPath: nil)
        outcome.files = try target.write(target.plan(consumer: consumer))
      }
    } catch StoreError.withoutHistory where listedStores.contains(FilePath(input.path)) {
      outcome.isWithoutHistory = true
    } catch {
      outcome.error = error
    }
    return outcome
  }

  /// Returns the inputs with the sizes of their files, the largest first: at the end all threads have work.
  private static func largestFirst(_ inputs: [HistoryInput]) -> [(input: HistoryInput, size: Int64)]
  {
    let files = inputs.map { (input: $0, size: (try? FileStatus(path: $0.path))?.size ?? 0) }
    return files.enumerated().sorted {
      ($1.element.size, $0.offset) < ($0.element.size, $1.offset)
    }.map(\.element)
  }
}
