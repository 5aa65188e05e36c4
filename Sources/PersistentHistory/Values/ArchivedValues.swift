import StoreFormat

/// Finds the values of changes that a store's archive holds, for transactions that the store still has.
///
/// An archive permanently keeps the values that were known when it was sealed. The store's log and the file beside
/// it may have lost them since.
final class ArchivedValues {
  /// The number of transactions that are read at a time, so that an archive is not opened for each.
  private static let windowLength: Int64 = 64
  /// The approximate maximum size of the values that are kept, in bytes.
  private static let maxBytes = 8 << 20

  /// The values of one transaction by the number of the change.
  private struct Values {
    let timestamp: StoreTimestamp?
    var changes: [Int64: HistoryChange] = [:]
  }

  private let archive: any ArchivedHistory
  private var window: ClosedRange<Int64>?
  private var known: [Int64: Values] = [:]
  private var position: TransactionPosition?

  init(_ archive: any ArchivedHistory) { self.archive = archive }

  func start(_ position: TransactionPosition) {
    // The frameworks count from 1.
    let numbers = 1...(Int64.max - Self.windowLength)
    let isInArchive = numbers.contains(position.number) && mayHave(upTo: position.number)
    self.position = isInArchive ? position : nil
  }

  /// Whether the current transaction may be in the archive.
  var isInArchive: Bool { position != nil }

  /// Whether the archive may have values of transactions up to one.
  func mayHave(upTo number: Int64) -> Bool {
    archive.ranges.contains { $0.contains(number) }
  }

  /// Returns the values of a change of the current transaction, and where they come from; none if the archive has
  /// none.
  ///
  /// - Throws: What the archive throws.
  func values(
    ofChange number: Int64, primaryKey: Int64?
  ) throws -> (values: [RecordedValue], source: ValueSource) {
    guard let position else { return ([], .program) }
    if !(window?.contains(position.number) ?? false) { try read(position.number) }
    guard let found = known[position.number], found.timestamp == position.timestamp,
      let change = found.changes[number], change.primaryKey == primaryKey
    else { return ([], .program) }
    return (change.values, change.valueSource)
  }

  /// Reads the transactions around one, in the direction in which they are asked for.
  private func read(_ number: Int64) throws {
    let isBackward = window.map { number < $0.lowerBound } ?? false
    let first = isBackward ? max(number - Self.windowLength + 1, 1) : number
    var last = isBackward ? number : number + Self.windowLength - 1
    known = [:]
    var byteCount = 0
    let source = try archive.transactions(HistoryQuery(after: first - 1, until: last))
    while let transaction = try source.nextTransaction() {
      var values = Values(timestamp: transaction.timestamp)
      while let change = try source.nextChange() {
        guard !change.values.isEmpty else { continue }
        byteCount += change.values.byteCount
        values.changes[change.number] = change
      }
      known[transaction.number] = values
      if byteCount > Self.maxBytes, transaction.number >= number {
        last = transaction.number
        break
      }
    }
    window = min(first, number)...max(last, number)
  }
}
