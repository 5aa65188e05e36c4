import DurableFiles
import StoreFormat
import StoreTransactions

/// Keeps the values that a store's log holds in the file of recorded values, so that they are not lost when
/// the log is restarted.
///
/// The store is only read, each time in short snapshots. The file also says which transactions were kept as a
/// whole, to distinguish missed transactions from those that set no values. A transaction is reported after its
/// values are on the disk.
package final class ValueRecorder {
  /// The result for one or several transactions.
  package enum Event: Hashable, Sendable {
    /// The values of a transaction are kept.
    ///
    /// - `changes`: The number of its changes.
    /// - `values`: The number of values, also those that were recorded before.
    /// - `isComplete`: Whether all of its values are known.
    case kept(TransactionPosition, changes: Int, values: Int, isComplete: Bool)
    /// Transactions were saved after the last one that was kept, and the log does not hold them any more.
    case missed(first: Int64, last: Int64)
    /// The transactions that were kept last are not in the store: an older copy was put in its place. Those up to
    /// this one are the same; 0 if that is not known.
    case otherHistory(common: Int64)
    /// The values of the log cannot be read, and why.
    case unreadable(reason: String)
  }

  /// The approximate size of a batch of values, in bytes.
  private static let batchSize = 1 << 20

  private let path: String
  private let busyTimeout: Double
  private let makesEmptyFile: Bool
  private var storeIdentifier: String?
  private var file: RecordedValuesFile?
  private var editor: RecordedValuesEditor?
  /// The last transaction that was looked at.
  private var position: TransactionPosition?
  /// The frames of the log up to it.
  private var frames: LogFrames?
  /// The open store whose log that is.
  private var store: StoreFile?
  private var batch = Batch()

  /// - Parameters:
  ///   - path: The file of recorded values, which is made if it is missing.
  ///   - busyTimeout: Seconds to wait for a locked file.
  ///   - makesEmptyFile: Whether the file is also made for transactions without values.
  package init(path: String, busyTimeout: Double = 5, makesEmptyFile: Bool = true) {
    self.path = path
    self.busyTimeout = busyTimeout
    self.makesEmptyFile = makesEmptyFile
  }

  /// Keeps the values of all transactions that were saved since the last time.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - first: The oldest transaction whose values are kept; `nil` for all.
  ///   - observer: Receives the result for each transaction.
  /// - Returns: The number of values that were written.
  /// - Throws: ``/StoreTransactions/StoreWriteError/unrecordedValues(path:reason:)``, and
  ///   ``/StoreFormat/StoreError``, such as `busy` if other programs save all the time. Transactions that
  ///   were not reported are kept the next time.
  @discardableResult
  package func record(
    _ store: StoreFile, from first: Int64? = nil, _ observer: (Event) -> Void = { _ in }
  ) throws -> Int {
    if store !== self.store { (self.store, frames) = (store, nil) }
    let start = ContinuousClock.now
    var count = 0
    while true {
      batch = Batch()
      let pass = try store.read { try read($0, from: first) }
      if let pass {
        // Written after the end of the snapshot, which keeps the log from being restarted.
        count += try write(store.location, observer)
        position = pass.position
        if pass.isAtEnd {
          frames = pass.frames
          return count
        }
      } else {
        guard start.secondsAgo < max(busyTimeout, 1) else {
          throw StoreError.busy(path: store.location.path, seconds: busyTimeout)
        }
        Pause.take(seconds: 0.001)
      }
    }
  }

  /// Closes the file.
  package func close() throws {
    try editor?.close()
    editor = nil
  }

  /// The result of reading one snapshot.
  private struct Pass {
    /// The last transaction that was looked at.
    var position: TransactionPosition?
    /// Whether it is the store's last one.
    var isAtEnd = true
    var frames: LogFrames?
  }

  /// Collects a batch of what is new in a snapshot; returns `nil` if it does not say where in the log it ends,
  /// because it began during a save.
  private func read(_ snapshot: StoreSnapshot, from first: Int64?) throws -> Pass? {
    guard let identifier = snapshot.metadata.storeIdentifier, snapshot.layout.history != nil,
      let newest = try snapshot.newestTransaction(), newest.number < .max
    else { return Pass() }
    if storeIdentifier != identifier {
      try close()
      (file, position, frames, storeIdentifier) = (nil, nil, nil, identifier)
    }
    let file = try openFile(identifier)
    let end = try end(snapshot, newest, file)
    let next = max(first ?? 0, end.map { $0 + 1 } ?? 0)
    let log = try LogCommits.continuing(frames, in: snapshot)
    guard log.problem != .changing else { return nil }
    var pass = Pass(position: newest, frames: log.frames)
    guard next <= newest.number else { return pass }
    let values = try ChangeValues(RecordedValues(file), snapshot, readsLogAgain: true)
    if values.firstInLog == nil, let reason = try snapshot.logValueExtent()?.problem {
      batch.events.append(.unreadable(reason: reason))
    }
    let start = max(next, values.firstInLog ?? newest.number + 1)
    if end != nil, let oldest = try snapshot.oldestTransaction()?.number,
      case let missed = max(next, oldest), missed < start
    {
      batch.events.append(.missed(first: missed, last: start - 1))
    } else if let end, next == end + 1 {
      batch.end = end
    }
    guard start <= newest.number else { return pass }
    var query = HistoryQuery(after: start - 1)
    query.checksCompleteness = false
    let reader = try HistoryReader(snapshot, query, nil, values)
    while let transaction = try reader.nextTransaction() {
      let position = try add(transaction, reader, values)
      if batch.byteCount >= Self.batchSize {
        pass.position = position
        pass.isAtEnd = position.number >= newest.number
        break
      }
    }
    return pass
  }

  /// Returns the transaction after which to continue; `nil` if nothing was kept before.
  private func end(
    _ snapshot: StoreSnapshot, _ newest: TransactionPosition, _ file: RecordedValuesFile?
  ) throws -> Int64? {
    let ranges = try file?.ranges() ?? []
    guard let last = position ?? ranges.last?.last else { return nil }
    func isOther(_ position: TransactionPosition) throws -> Bool {
      guard position.number <= newest.number else { return true }
      // One that is missing was pruned, with those before it.
      return try snapshot.timestamp(ofTransaction: position.number).map { $0 != position } ?? false
    }
    guard try isOther(last) else { return last.number }
    frames = nil
    var common = try ranges.last { try !isOther($0.last) }?.last.number ?? 0
    // A range that reaches further may begin with transactions that are the same.
    var next = newest.number
    for _ in 0..<Self.maxComparisons {
      guard let found = try file?.lastPosition(upTo: next), found.number > common else { break }
      if try !isOther(found) {
        if ranges.contains(where: { $0.first <= found.number && found.number <= $0.last.number }) {
          common = found.number
        }
        break
      }
      guard found.number > 0 else { break }
      next = found.number - 1
    }
    batch.events.append(.otherHistory(common: common))
    batch.firstOther = common + 1
    return common > 0 ? common : nil
  }

  /// The maximum number of transactions that are compared to find the last common one.
  private static let maxComparisons = 10_000

  private func add(
    _ transaction: HistoryTransaction, _ reader: HistoryReader, _ values: ChangeValues
  ) throws -> TransactionPosition {
    let position = TransactionPosition(
      number: transaction.number, timestamp: transaction.timestamp)
    var counts = (changes: 0, values: 0)
    while let change = try reader.nextChange() {
      counts.changes += 1
      counts.values += change.values.count
      guard change.valueSource == .log, let name = change.entity?.name,
        let primaryKey = change.primaryKey
      else { continue }
      for value in change.values {
        batch.rows.append(
          RecordedValueRow(
            transaction: position.number, timestamp: position.timestamp, change: change.number,
            entityName: name, primaryKey: primaryKey, value: value, source: .log))
        batch.byteCount += value.byteCount + 128
      }
    }
    batch.add(position, isComplete: values.isComplete)
    batch.events.append(
      .kept(
        position, changes: counts.changes, values: counts.values, isComplete: values.isComplete))
    return position
  }

  private func openFile(_ identifier: String) throws -> RecordedValuesFile? {
    if let file, file.storeIdentifier == identifier { return file }
    guard RecordedValuesFile.exists(path) else { return nil }
    file = try RecordedValuesFile(
      path: path, storeIdentifier: identifier, busyTimeout: busyTimeout)
    return file
  }

  /// Writes what was collected, and reports it; returns the number of values.
  private func write(_ store: StoreLocation, _ observer: (Event) -> Void) throws -> Int {
    let batch = batch
    self.batch = Batch()
    let isWanted =
      !batch.isEmpty && (makesEmptyFile || !batch.rows.isEmpty || RecordedValuesFile.exists(path))
    if let storeIdentifier, isWanted {
      let editor =
        try editor
        ?? RecordedValuesEditor(
          path: path, storeIdentifier: storeIdentifier, beside: store, busyTimeout: busyTimeout)
      self.editor = editor
      try editor.write(batch.rows, ranges: batch.ranges, replacingFrom: batch.firstOther)
    }
    batch.events.forEach(observer)
    return batch.rows.count
  }

  /// The values and ranges that are written together.
  private struct Batch {
    var rows: [RecordedValueRow] = []
    private(set) var ranges: [RecordedRange] = []
    var events: [Event] = []
    var byteCount = 0
    /// The transaction up to which everything before is kept; `nil` after one that is not.
    var end: Int64?
    /// The first transaction that another copy of the store had.
    var firstOther: Int64?

    var isEmpty: Bool { rows.isEmpty && ranges.isEmpty && firstOther == nil }

    /// Adds a transaction to the ranges if it is kept as a whole. Numbers between two transactions may be
    /// unused.
    mutating func add(_ position: TransactionPosition, isComplete: Bool) {
      byteCount += 64
      defer { end = isComplete ? position.number : nil }
      guard isComplete else { return }
      if end != nil, !ranges.isEmpty {
        ranges[ranges.count - 1].last = position
      } else {
        ranges.append(RecordedRange(first: end.map { $0 + 1 } ?? position.number, last: position))
      }
    }
  }
}

extension StoreFile {
  /// Keeps the values that the store's log holds in the file beside it, before the log is emptied.
  ///
  /// - Parameter first: The oldest transaction whose values are kept; `nil` for all.
  /// - Returns: The number of values that were written.
  /// - Throws: ``/StoreTransactions/StoreWriteError/unrecordedValues(path:reason:)``, and
  ///   ``/StoreFormat/StoreError``.
  @discardableResult
  package func keepLogValues(from first: Int64? = nil) throws -> Int {
    // Where the store cannot be written either, values are not the obstacle to name.
    try location.checkIsWritable()
    let recorder = ValueRecorder(
      path: RecordedValuesFile.path(besideStore: location.resolvedPath), busyTimeout: busyTimeout,
      makesEmptyFile: false)
    let count = try recorder.record(self, from: first)
    try recorder.close()
    return count
  }
}
