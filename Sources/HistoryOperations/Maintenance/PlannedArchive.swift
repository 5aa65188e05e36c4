import HistoryArchive
import PersistentHistory
import StoreFormat

/// An archived history as it will be once a part of its store is sealed, to plan what follows the sealing.
///
/// The archive has everything up to the last sealed transaction, and the store everything after it.
final class PlannedArchive: ArchivedHistory {
  let path: String
  let storeIdentifier: String?
  let ranges: [ClosedRange<Int64>]

  private let archived: ArchiveReader?
  private let snapshot: StoreSnapshot
  /// The last transaction that is sealed now; 0 if there is none.
  private let start: Int64
  /// The last transaction that will be sealed.
  private let end: Int64

  /// - Parameters:
  ///   - archived: What is sealed now; `nil` if there is nothing.
  ///   - sealing: What will be sealed.
  ///   - snapshot: The store.
  init(_ archived: ArchiveReader?, _ sealing: SealingPlan, _ snapshot: StoreSnapshot) {
    self.archived = archived
    self.snapshot = snapshot
    path = sealing.archivePath
    storeIdentifier = sealing.store
    start = sealing.sealed?.number ?? 0
    end = sealing.last?.number ?? start
    var ranges = archived?.ranges ?? []
    if let first = sealing.first?.number, let last = sealing.last?.number, first <= last {
      if let known = ranges.last, !sealing.leavesGap {
        ranges[ranges.count - 1] = known.lowerBound...max(known.upperBound, last)
      } else {
        ranges.append(first...last)
      }
    }
    self.ranges = ranges
  }

  func entities() throws -> [HistoryEntity] {
    try HistorySchema(snapshot).entities + (archived?.entities() ?? [])
  }

  func transactionCount(before number: Int64) throws -> Int64 {
    try (archived?.transactionCount(before: number) ?? 0) + addedCount(before: number)
  }

  func position(ofTransaction number: Int64) throws -> TransactionPosition? {
    if number > start {
      return number > end ? nil : try snapshot.timestamp(ofTransaction: number)
    }
    return try archived?.position(ofTransaction: number)
  }

  func firstTransaction(after number: Int64, offset: Int64) throws -> TransactionPosition? {
    if let found = try archived?.firstTransaction(after: number, offset: offset) { return found }
    let skipped =
      try (archived?.transactionCount(before: .max) ?? 0)
      - (archived?.transactionCount(before: number == .max ? .max : number + 1) ?? 0)
    let earlier = try snapshot.transactionCount(after: .min, upTo: max(start, number))
    let found = try snapshot.oldestTransaction(offset: earlier + offset - skipped)
    return found.flatMap { $0.number > end ? nil : $0 }
  }

  func lastTransaction(before number: Int64, offset: Int64) throws -> TransactionPosition? {
    let added = try addedCount(before: number)
    guard offset < added else {
      return try archived?.lastTransaction(before: number, offset: offset - added)
    }
    let later = try snapshot.transactionCount(after: last(before: number))
    return try snapshot.newestTransaction(offset: later + offset)
  }

  func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    if let found = try archived?.firstTransaction(notBefore: moment) { return found }
    return try snapshot.firstTransaction(notBefore: moment)
      .flatMap { $0.number > start && $0.number <= end ? $0 : nil }
  }

  func hasAuthors() throws -> Bool {
    try snapshot.hasText(.author) || archived?.hasAuthors() ?? false
  }

  func transactions(_ query: HistoryQuery) throws -> any TransactionSource {
    let timeline = try archived.map { try HistoryTimeline(snapshot, continuing: $0) }
    var query = query
    query.until = min(query.until ?? .max, end)
    return try SourceOfTimeline(
      TimelineReader(
        timeline ?? HistoryTimeline(snapshot), query: query, schema: HistorySchema(snapshot)))
  }

  /// The number of transactions that will be added and are before a number.
  private func addedCount(before number: Int64) throws -> Int64 {
    let last = last(before: number)
    return last > start ? try snapshot.transactionCount(after: start, upTo: last) : 0
  }

  private func last(before number: Int64) -> Int64 {
    number == .min ? .min : min(number - 1, end)
  }
}

/// The transactions of a timeline, without its gaps.
private final class SourceOfTimeline: TransactionSource {
  private let reader: TimelineReader

  init(_ reader: TimelineReader) { self.reader = reader }

  func nextTransaction() throws -> HistoryTransaction? {
    while let element = try reader.nextElement() {
      if case .transaction(let transaction) = element { return transaction }
    }
    return nil
  }

  func nextChange() throws -> HistoryChange? { try reader.nextChange() }
}
