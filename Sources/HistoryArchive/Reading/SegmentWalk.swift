import PersistentHistory
import StoreFormat

/// Finds single transactions in a part of a segment: by its manifest as far as possible, then in the
/// frame that holds them.
struct SegmentWalk {
  private let reader: SegmentReader
  private let range: ClosedRange<Int64>

  init(_ reader: SegmentReader, _ range: ClosedRange<Int64>) {
    self.reader = reader
    self.range = range
  }

  private var manifest: SegmentManifest { reader.manifest }

  /// Some frames, with the numbers that can be in them and their number of transactions.
  private struct Group {
    let numbers: ClosedRange<Int64>
    let transactionCount: Int64
    let latest: StoreTimestamp?
  }

  /// Each frame in which lines begin, together with those that continue its last line.
  private func groups() -> [Group] {
    let frames = manifest.frames.filter { !$0.isContinuation }
    return frames.indices.map { index in
      let first = frames[index].transaction
      let last =
        index + 1 < frames.count ? frames[index + 1].transaction - 1 : manifest.last.number
      return Group(
        numbers: first...max(first, last), transactionCount: Int64(frames[index].transactionCount),
        latest: frames[index].latest)
    }
  }

  /// The transaction with exactly this number.
  func position(ofTransaction number: Int64) throws(ArchiveError) -> TransactionPosition? {
    if number == manifest.first.number { return manifest.first }
    if number == manifest.last.number { return manifest.last }
    guard range.contains(number) else { return nil }
    return try reader.transactions(in: number...number).nextTransaction()?.position
  }

  /// The number of transactions before a number.
  func transactionCount(before number: Int64) throws(ArchiveError) -> Int64 {
    if range == manifest.range, number > range.upperBound { return manifest.transactionCount }
    guard number > range.lowerBound else { return 0 }
    var rest = Int64.max
    _ = try skip(&rest, range.lowerBound...min(number - 1, range.upperBound), .ascending)
    return .max - rest
  }

  /// The first transaction after a number that is not skipped.
  ///
  /// - Parameter rest: The number to skip; decreased by the number of those skipped.
  func first(
    after number: Int64, skipping rest: inout Int64
  ) throws(ArchiveError) -> TransactionPosition? {
    if range == manifest.range, number < range.lowerBound {
      if rest == 0 { return manifest.first }
      if skipWhole(&rest) { return nil }
    }
    guard number < range.upperBound else { return nil }
    return try skip(&rest, max(number + 1, range.lowerBound)...range.upperBound, .ascending)
  }

  /// The last transaction before a number that is not skipped.
  ///
  /// - Parameter rest: The number to skip; decreased by the number of those skipped.
  func last(
    before number: Int64, skipping rest: inout Int64
  ) throws(ArchiveError) -> TransactionPosition? {
    if range == manifest.range, number > range.upperBound {
      if rest == 0 { return manifest.last }
      if skipWhole(&rest) { return nil }
    }
    guard number > range.lowerBound else { return nil }
    return try skip(&rest, range.lowerBound...min(number - 1, range.upperBound), .descending)
  }

  /// The transaction with the lowest number among those saved at a moment or after it.
  func first(notBefore moment: StoreTimestamp) throws(ArchiveError) -> TransactionPosition? {
    for group in groups() {
      guard let latest = group.latest, latest >= moment, group.numbers.overlaps(range) else {
        continue
      }
      let cursor = reader.transactions(in: group.numbers.clamped(to: range))
      while let transaction = try cursor.nextTransaction() {
        if let time = transaction.timestamp, time >= moment {
          return transaction.position
        }
      }
    }
    return nil
  }

  private func skipWhole(_ rest: inout Int64) -> Bool {
    guard rest >= manifest.transactionCount else { return false }
    rest -= manifest.transactionCount
    return true
  }

  /// Skips transactions, by whole frames if possible, and returns the first that is not skipped; `nil` if
  /// there is none.
  private func skip(
    _ rest: inout Int64, _ bounds: ClosedRange<Int64>, _ order: HistoryQuery.Order
  ) throws(ArchiveError) -> TransactionPosition? {
    let groups = groups().filter { $0.numbers.overlaps(bounds) }
    for group in order == .ascending ? groups : groups.reversed() {
      let numbers = group.numbers.clamped(to: bounds)
      if numbers == group.numbers, rest >= group.transactionCount {
        rest -= group.transactionCount
        continue
      }
      let cursor = reader.transactions(in: numbers, order: order)
      while let transaction = try cursor.nextTransaction() {
        if rest == 0 { return transaction.position }
        rest -= 1
      }
    }
    return nil
  }
}
