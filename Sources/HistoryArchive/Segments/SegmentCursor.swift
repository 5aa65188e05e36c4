import HistoryCoding
import PersistentHistory
import StoreFormat

/// Steps through the transactions of a segment, each with its changes.
///
/// It works like ``/PersistentHistory/HistoryReader`` for a store: memory does not grow with the number
/// of transactions, nor with that of a transaction's changes if they are read one by one.
public final class SegmentCursor {
  private let reader: SegmentReader
  private let range: ClosedRange<Int64>
  private let isAscending: Bool
  /// The frames that are left; `nil` after the last one.
  private var frames: Range<Int>?
  /// The lines of the current frame that are left, the next one last; empty in a long line.
  private var lines: [ArraySlice<UInt8>] = []
  /// The line of the current transaction.
  private var line: TransactionLineReader?
  /// The frames in which a long line continues.
  private var nextPieces: Range<Int> = 0..<0
  /// The beginning of the current line, and the frames in which it continues.
  private var start: (line: ArraySlice<UInt8>, pieces: Range<Int>) = ([], 0..<0)
  private var current: Int64?

  init(_ reader: SegmentReader, range: ClosedRange<Int64>, order: HistoryQuery.Order) {
    self.reader = reader
    isAscending = order == .ascending
    let manifest = reader.manifest
    let lower = max(range.lowerBound, manifest.first.number)
    let upper = min(range.upperBound, manifest.last.number)
    self.range = lower <= upper ? lower...upper : range
    if lower <= upper, let start = manifest.frame(holding: isAscending ? lower : upper) {
      frames = reader.frames(from: start)
    }
  }

  /// Goes to the next transaction and returns it without its changes; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError``.
  public func nextTransaction() throws(ArchiveError) -> HistoryTransaction? {
    while let text = try nextLine() {
      start = (text, nextPieces)
      let transaction = try begin(text)
      if range.contains(transaction.number) { return transaction }
      let isAfter =
        isAscending
        ? transaction.number > range.upperBound : transaction.number < range.lowerBound
      if isAfter {
        lines = []
        frames = nil
      }
    }
    line = nil
    return nil
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError``.
  public func nextChange() throws(ArchiveError) -> HistoryChange? {
    do {
      return try line?.readChange(nextPiece)
    } catch {
      throw damaged(error)
    }
  }

  /// Goes back to before the first change of the current transaction.
  ///
  /// - Throws: ``ArchiveError``.
  func restart() throws(ArchiveError) {
    guard line != nil else { return }
    nextPieces = start.pieces
    var line = TransactionLineReader(start.line, reader.decoder)
    do {
      _ = try line.readHead(nextPiece)
    } catch {
      throw damaged(error)
    }
    self.line = line
  }

  /// Goes to the next transaction and returns it with all its changes; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError``.
  public func next() throws(ArchiveError) -> HistoryTransaction? {
    guard var transaction = try nextTransaction() else { return nil }
    while let change = try nextChange() { transaction.changes.append(change) }
    return transaction
  }

  // MARK: - Lines

  /// The next line, or the first piece of a long one.
  private func nextLine() throws(ArchiveError) -> ArraySlice<UInt8>? {
    nextPieces = 0..<0
    while true {
      if let line = lines.popLast() { return line }
      guard let frames else { return nil }
      moveOn(from: frames)
      if frames.count > 1 {
        nextPieces = frames.dropFirst()
        return try reader.text(ofFrame: frames.lowerBound)[...]
      }
      let found = try reader.lines(ofFrame: frames.lowerBound)
      guard found.count == reader.manifest.frames[frames.lowerBound].transactionCount else {
        throw .damaged(
          path: reader.path, place: "frame \(frames.lowerBound + 1)",
          detail: "its number of lines differs from the manifest")
      }
      lines = isAscending ? found.reversed() : found
    }
  }

  private func moveOn(from frames: Range<Int>) {
    if isAscending {
      let next = frames.upperBound
      self.frames = next < reader.manifest.frames.count ? reader.frames(from: next) : nil
    } else {
      var start = frames.lowerBound - 1
      guard start >= 0 else {
        self.frames = nil
        return
      }
      while start > 0, reader.manifest.frames[start].isContinuation { start -= 1 }
      self.frames = start..<frames.lowerBound
    }
  }

  /// The next piece of a long line.
  private func nextPiece() throws -> ArraySlice<UInt8>? {
    guard let index = nextPieces.popFirst() else { return nil }
    return try reader.text(ofFrame: index)[...]
  }

  /// Begins a line, and checks that its transaction belongs here.
  private func begin(_ text: ArraySlice<UInt8>) throws(ArchiveError) -> HistoryTransaction {
    var line = TransactionLineReader(text, reader.decoder)
    let head: HistoryLine
    do {
      head = try line.readHead(nextPiece)
    } catch {
      throw damaged(error)
    }
    guard case .transaction(let transaction) = head else {
      throw damaged("a line is not a transaction")
    }
    guard transaction.store ?? "" == reader.manifest.store,
      reader.manifest.range.contains(transaction.number)
    else { throw damaged("transaction \(transaction.number) does not belong in this segment") }
    if let current {
      guard isAscending ? transaction.number > current : transaction.number < current else {
        throw damaged("transaction \(transaction.number) is out of order")
      }
    }
    current = transaction.number
    self.line = line
    return transaction
  }

  private func damaged(_ error: any Error) -> ArchiveError {
    if let error = error as? ArchiveError { return error }
    return damaged((error as? LineError)?.message ?? "\(error)")
  }

  private func damaged(_ detail: String) -> ArchiveError {
    .damaged(
      path: reader.path,
      place: current.map { "the line of transaction \($0) or the next one" } ?? "a line",
      detail: detail)
  }
}
