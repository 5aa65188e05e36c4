import StoreEditing
import StoreFormat

/// Finds the cut that leaves a history of at most a number of bytes, as
/// ``HistoryHealth/historyByteCount`` measures it after the deletion.
struct SizeRule {
  private let snapshot: StoreSnapshot
  private let size: HistorySize
  private let limit: Int64
  private let looseChanges: HistoryDeletion.LooseChanges
  /// Measures exactly what a deletion leaves; `nil` if the store is too large for that.
  private let trial: ErasureTrial?

  /// - Parameter trial: Returns the trial; called if the history is larger than the limit.
  init(
    _ snapshot: StoreSnapshot, _ size: HistorySize, limit: Int64,
    _ looseChanges: HistoryDeletion.LooseChanges, trial: () throws -> ErasureTrial?
  ) throws {
    self.snapshot = snapshot
    self.looseChanges = looseChanges
    self.size = size
    self.limit = limit
    self.trial = size.pageByteCount > limit ? try trial() : nil
  }

  /// Returns the first transaction that stays: the newest one, if not even that fits.
  func firstKept() throws -> TransactionPosition? {
    guard size.pageByteCount > limit else { return try snapshot.oldestTransaction() }
    guard let newest = try snapshot.newestTransaction() else { return nil }
    var target = trial == nil ? limit - (try margin()) : limit
    while target > 0 {
      guard
        let first = try snapshot.oldestTransaction(
          fittingIntoRecordBytes: size.recordByteCount(fittingIntoPageBytes: target)),
        first.number < newest.number
      else { break }
      guard let left = try byteCount(keepingFrom: first.number) else { return first }
      if left <= limit { return first }
      target -= max(left - limit, Self.step)
    }
    return newest
  }

  /// Returns the size of a history that begins with a transaction; `nil` if it is not known exactly.
  func byteCount(keepingFrom number: Int64) throws -> Int64? {
    guard size.pageByteCount > limit, number > .min else { return size.pageByteCount }
    return try trial?.historyByteCount(
      after: snapshot.deletion(
        ofTransactionsThrough: number - 1, looseChanges: looseChanges))
  }

  /// The minimum difference between two attempts, in bytes.
  private static let step: Int64 = 4096

  /// Returns the bytes that partly filled pages may occupy beyond their rows: two pages at the cut in each table
  /// and index, and one for each text by which an index is ordered.
  private func margin() throws -> Int64 {
    try snapshot.pagesLeftInPart() + limit / 100
  }
}
