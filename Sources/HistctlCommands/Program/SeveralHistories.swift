import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import SystemPackage
import Terminal

/// What is read of one of several histories.
struct HistoryPart {
  var query: HistoryQuery
  let schema: HistorySchema
  let resolver: TokenResolver
  /// Whether the tokens of the range were given in reverse order.
  var isReversed = false
}

/// One history or several, which are read at the same time and shown as one.
///
/// An error of one of several is reported, and the others are shown; that of a single one is thrown.
final class SeveralHistories: FieldPage {
  let session: Session
  /// The histories that could be opened.
  let readings: [HistoryReading]
  /// What is read of each; `nil` for one that is left out. Empty before ``prepare(_:)``.
  private(set) var parts: [HistoryPart?] = []
  /// Whether the command takes a range as an argument, and not `--after` and `--until`.
  var takesRange = false
  private let resolvers: [TokenResolver]
  /// Reports errors of several; `nil` for a single one.
  private let isolation: StoreIsolation?
  /// The histories that failed.
  private var failed: Set<Int> = []
  /// Whether one of them could be prepared.
  fileprivate private(set) var isAnyPrepared = false

  fileprivate init(
    _ session: Session, _ readings: [HistoryReading], _ resolvers: [TokenResolver],
    _ isolation: StoreIsolation?
  ) {
    (self.session, self.readings) = (session, readings)
    (self.resolvers, self.isolation) = (resolvers, isolation)
  }

  /// Whether several were given.
  var areSeveral: Bool { isolation != nil }

  /// Prepares what is read of each history.
  ///
  /// Of several, those that do not have an entity, attribute or object that a condition names are left out, unless
  /// none has it.
  ///
  /// - Parameter body: Returns what is read of one.
  func prepare(_ body: (HistoryReading, TokenResolver) throws -> HistoryPart) throws {
    let names = UnknownNames()
    for (place, reading) in readings.enumerated() {
      parts.append(
        try run(place) {
          guard areSeveral else { return try body(reading, resolvers[place]) }
          return try names.unlessUnknown {
            let part = try body(reading, resolvers[place])
            // Unknown names are found before anything is written.
            _ = try TimelineReader(
              reading.timeline, query: part.query.readingNewestFirst, schema: part.schema)
            return part
          }
        } ?? nil)
    }
    isAnyPrepared = failed.count < readings.count
    if let unknown = names.unfitForAll, failed.isEmpty { throw unknown }
  }

  /// Runs work on one of the histories. If it fails and there are others, its error is reported, and no work runs on
  /// it any more.
  ///
  /// - Parameters:
  ///   - place: Its place among the histories.
  ///   - reader: What reads it. An error of damage says what can be read on both sides of where it is.
  /// - Returns: The result; `nil` if it failed, now or before.
  func run<Result>(
    _ place: Int, _ reader: TimelineReader? = nil, body: () throws -> Result
  ) throws -> Result? {
    func read() throws -> Result {
      do { return try body() } catch { throw explaining(error, of: place, reader) }
    }
    guard let isolation else { return try read() }
    guard !failed.contains(place) else { return nil }
    var result: Result?
    try isolation.run(readings[place].timeline.path) {
      failed.insert(place)
      result = try read()
      failed.remove(place)
    }
    return result
  }

  /// Returns an error of damage with what can be read beside it, and any other as it is.
  func explaining(
    _ error: any Error, of place: Int, _ reader: TimelineReader? = nil
  ) -> any Error {
    guard parts.indices.contains(place), let part = parts[place] else { return error }
    return readings[place].explaining(
      error, around: reader?.lastNumber, of: part, takesRange: takesRange)
  }

  /// Says why there is no answer, or which of several objects are unknown.
  ///
  /// - Parameter skipped: The number of newest matches that were to be left out.
  func explainAnswer(isEmpty: Bool, skipped: Int = 0) throws {
    let present = zip(readings, parts).compactMap { reading, part in
      part.map { (reading: reading, query: $0.query) }
    }
    if isEmpty, !areSeveral {
      try present.first.map { try $0.reading.explainEmptyAnswer(to: $0.query, skipped: skipped) }
      return
    }
    // Others of several objects may have made the answer.
    guard isEmpty || present.contains(where: { $0.query.change.objects.count > 1 }) else { return }
    let names = UnknownNames()
    for (reading, query) in present {
      try names.search(reading, for: query, onlyObjects: !isEmpty)
    }
    guard !names.report(session), isEmpty, !session.options.json,
      session.environment.isErrorTerminal
    else { return }
    session.diagnostics.note("no transaction of the stores matches")
  }

  /// Whether one of the histories could not be read.
  func hasFailed(_ place: Int) -> Bool { failed.contains(place) }

  /// Notes which of the histories are copies of one store, where their transactions are counted.
  func noteCopies() {
    var copies: [String: [String]] = [:]
    for (place, reading) in readings.enumerated() where !hasFailed(place) {
      guard let identifier = reading.timeline.storeIdentifier else { continue }
      copies[identifier, default: []].append(reading.timeline.path)
    }
    for paths in copies.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
      session.diagnostics.note(
        "copies of one store, in which the same transactions are counted more than once: "
          + paths.listed(3),
        kind: "countedCopies", ["paths": paths])
    }
  }

  /// Merges the elements of all histories by time; those of one that fails end.
  ///
  /// - Parameter next: Returns the next element of a history and its time.
  func merge<Element>(
    isAscending: Bool,
    _ next: @escaping (Int) throws -> (element: Element, time: StoreTimestamp?)?
  ) -> TimeMerge<Element> {
    TimeMerge(readings.count, isAscending: isAscending) { place in
      try self.run(place) { try next(place) } ?? nil
    }
  }

  /// Merges the transactions that readers return. Values of large ones are read again when their turn comes.
  func merge(_ readers: [TimelineReader?], isAscending: Bool) -> TimeMerge<TimelineReader.Element> {
    typealias Element = TimelineReader.Element
    return TimeMerge(
      readings.count, isAscending: isAscending,
      completing: { place, element in
        try self.run(place, readers[place]) {
          try readers[place]?.transactionAgain().map { Element.transaction($0) } ?? element
        }
      },
      { place in
        try self.run(place, readers[place]) { () -> (element: Element, time: StoreTimestamp?)? in
          guard let reader = readers[place], let element = try reader.nextElement() else {
            return nil
          }
          guard case .transaction(let transaction) = element else { return (element, nil) }
          let rest = self.areSeveral ? reader.releaseLarge(transaction) : nil
          return (rest.map { Element.transaction($0) } ?? element, transaction.timestamp)
        } ?? nil
      })
  }

  /// Keeps a number of the newest transactions of all histories together: their queries get that range.
  ///
  /// - Parameters:
  ///   - count: The maximum number of transactions; `nil` for all.
  ///   - skipped: The number of newer transactions to leave out.
  func keepNewest(_ count: Int?, skipping skipped: Int) throws {
    guard count != nil || skipped > 0 else { return }
    let wanted = count.map { $0.addingReportingOverflow(skipped) }
    let limit = wanted.map { $0.overflow ? .max : $0.partialValue } ?? skipped
    let readers = try parts.enumerated().map { place, part -> TimelineReader? in
      guard let part else { return nil }
      var newest = part.query.readingNewestFirst
      newest.limit = limit
      return try run(place) {
        try TimelineReader(readings[place].timeline, query: newest, schema: part.schema)
      }
    }
    var oldest: [Int: Int64] = [:]
    var merge = merge(readers, isAscending: false)
    var seen = 0
    while seen < limit, let (place, element) = try merge.next() {
      guard case .transaction(let transaction) = element else { continue }
      seen += 1
      if seen <= skipped {
        parts[place]?.query.until = max(transaction.number, .min + 1) - 1
      } else {
        oldest[place] = transaction.number
      }
    }
    // With fewer, everything that is not skipped is kept, with all gaps.
    let isCut = seen == limit
    for place in parts.indices {
      parts[place]?.query.limit = seen < skipped || seen == skipped && count == 0 ? 0 : nil
      guard isCut, count != nil else { continue }
      if let first = oldest[place] {
        let after = parts[place]?.query.after ?? .min
        parts[place]?.query.after = max(after, max(first, .min + 1) - 1)
      } else {
        parts[place]?.query.limit = 0
      }
    }
  }
}

extension Session {
  /// Reads stores, archives and exported lines at the same time, and writes what `body` finds.
  func readHistories(
    _ stores: SeveralStoresOptions, _ archive: ArchiveOptions, usesPager: Bool = true,
    _ body: (SeveralHistories) throws -> Void
  ) throws {
    let given = try inputs(stores, archive)
    if given.count == 1 {
      return try read(given[0], usesPager: usesPager) { reading, _, resolver in
        try body(SeveralHistories(self, [reading], [resolver], nil))
      }
    }
    let isolation = StoreIsolation(session: self, amongSeveral: true)
    var inputs: [HistoryInput] = []
    for input in given {
      try isolation.run(input.path) { inputs += try input.histories() }
    }
    guard inputs.count <= JointReading.maxCount else {
      throw Failure(
        .usage,
        "\(inputs.count.grouped) histories are given, and at most \(JointReading.maxCount) are read together",
        hint: "give fewer stores, or run the command for parts of the list")
    }
    let names = HistoryInput.names(of: inputs)
    var isAnyRead = false
    try write(usesPager: usesPager) { writer in
      try JointReading.read(
        inputs,
        failed: { place, error in try isolation.run(inputs[place].path) { throw error } }
      ) { opened in
        var readings: [HistoryReading] = []
        var resolvers: [TokenResolver] = []
        for (place, timeline, resolver) in opened {
          try isolation.run(inputs[place].path) {
            let reading = HistoryReading(
              session: self, timeline: timeline, name: names[place])
            try reading.warnOfTornCopy()
            readings.append(reading)
            resolvers.append(resolver)
          }
        }
        guard !readings.isEmpty else { return }
        let histories = SeveralHistories(self, readings, resolvers, isolation)
        try body(histories)
        isAnyRead = histories.isAnyPrepared
      }
    }
    isolation.noteSkipped()
    end(with: isolation.status(isAnyDone: isAnyRead))
  }
}

/// Runs work on several stores: reports the errors of one store and continues with the next.
final class StoreIsolation {
  /// The worst status of the stores.
  private(set) var status = ExitStatus.success

  /// The stores without history that a list or a pattern has, which are skipped.
  private(set) var skipped: [String] = []

  private let session: Session
  private let amongSeveral: Bool

  /// - Parameter amongSeveral: Whether messages must name their store.
  init(session: Session, amongSeveral: Bool) {
    self.session = session
    self.amongSeveral = amongSeveral
  }

  /// Runs work on one store and reports its errors; rethrows errors of the output.
  func run(_ path: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as OutputError {
      throw error
    } catch StoreError.withoutHistory where session.listedStores.contains(FilePath(path)) {
      skipped.append(path)
    } catch {
      let failure = Failure(error, time: session.time.text).naming(path, amongSeveral: amongSeveral)
      session.diagnostics.report(failure)
      if failure.status != .partlyDone {
        session.console.workDone.tell(after: failure, session.diagnostics)
      }
      session.console.workDone.clear()
      end(with: failure.status)
    }
  }

  /// Notes how many stores of a list were skipped, because they keep no history.
  func noteSkipped() {
    guard !skipped.isEmpty else { return }
    session.diagnostics.note(
      Self.text(ofSkipped: skipped), kind: "withoutHistory", ["paths": skipped])
  }

  /// Returns a note on stores that were skipped, because they keep no history.
  static func text(ofSkipped paths: [String]) -> String {
    paths.count.counted("store") + " without history "
      + (paths.count == 1 ? "was skipped: " : "were skipped: ")
      + paths.listed(3)
  }

  /// Returns the status of a command that does what it can: the worst of the stores, if none could be done.
  func status(isAnyDone: Bool) -> ExitStatus {
    status != .success && isAnyDone ? .partlyDone : status
  }

  /// Ends with this status unless an earlier one is worse.
  func end(with status: ExitStatus) {
    if status.severity > self.status.severity { self.status = status }
  }
}
