import HistoryCoding
import PersistentHistory
import StoreFormat

/// Goes through the transactions of a segment one after the other, each with its changes.
///
/// It is to a segment what ``/PersistentHistory/HistoryReader`` is to a store: memory does not grow
/// with the number of transactions, nor with that of a transaction's changes where they are read one
/// by one.
public final class SegmentCursor {
  private let reader: SegmentReader
  private let decoder: TransactionLineDecoder
  private let range: ClosedRange<Int64>
  private let isAscending: Bool
  /// Whether a line need be read; nil for all. What is not read is not checked either.
  var isWanted: ((ArraySlice<UInt8>) -> Bool)?
  /// The frames at which to go on; `nil` after the last one.
  private var frames: Range<Int>?
  /// The lines of the current frame that are left, the next one last; empty in a long line.
  private var lines: [ArraySlice<UInt8>] = []
  /// The line of the current transaction.
  private var parts: LineParts?
  /// The frame from which a long line goes on.
  private var nextPiece: Range<Int> = 0..<0
  /// The line of the current transaction from its beginning, and the frames in which it goes on.
  private var line: (start: ArraySlice<UInt8>, pieces: Range<Int>) = ([], 0..<0)
  /// What every line of the store begins with, up to the number of its transaction.
  private let beginning: [UInt8]
  private var current: Int64?

  init(_ reader: SegmentReader, range: ClosedRange<Int64>, order: HistoryQuery.Order) {
    self.reader = reader
    decoder = reader.decoder
    let manifest = reader.manifest
    beginning = Array(
      "{\"schema\":1,\"type\":\"transaction\",\"store\":\"\(manifest.store)\",\"transaction\":".utf8
    )
    isAscending = order == .ascending
    let lower = max(range.lowerBound, manifest.first.number)
    let upper = min(range.upperBound, manifest.last.number)
    self.range = lower <= upper ? lower...upper : range
    if lower <= upper, let start = manifest.frame(holding: isAscending ? lower : upper) {
      frames = reader.frames(from: start)
    }
  }

  /// Goes to the next transaction and gives it without its changes; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError``.
  public func nextTransaction() throws(ArchiveError) -> HistoryTransaction? {
    while true {
      guard let line = try nextLine() else {
        parts = nil
        return nil
      }
      if isBefore(line) { continue }
      if nextPiece.isEmpty, let isWanted, !isWanted(line) { continue }
      self.line = (line, nextPiece)
      let transaction = try begin(line)
      if range.contains(transaction.number) { return transaction }
      let isBehind =
        isAscending
        ? transaction.number > range.upperBound : transaction.number < range.lowerBound
      if isBehind {
        lines = []
        frames = nil
        parts = nil
        return nil
      }
    }
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError``.
  public func nextChange() throws(ArchiveError) -> HistoryChange? {
    guard parts != nil else { return nil }
    let changes = reader.changes
    if let known = parts?.takeKnownChange({ changes.readKnown($0) }) { return known }
    do {
      return try parts?.takeChange(more) { try changes.read($0) }
    } catch {
      throw damaged(error)
    }
  }

  /// Goes back to before the first change of the current transaction.
  ///
  /// - Throws: ``ArchiveError``.
  func restart() throws(ArchiveError) {
    guard parts != nil else { return }
    nextPiece = line.pieces
    var parts = LineParts(line.start)
    do {
      _ = try parts.takeHead(more)
    } catch {
      throw damaged(error)
    }
    self.parts = parts
  }

  /// Lends the line of the current transaction, with its line end, and tells whether it has.
  ///
  /// It is looked through before: whoever shows it relies on it that it is what the encoder writes. A
  /// line that is longer than a frame is not lent.
  ///
  /// - Throws: ``ArchiveError``, or what the closure throws.
  func readLine(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    guard parts != nil, line.pieces.isEmpty else { return false }
    do {
      if let check = reader.lineCheck {
        try line.start.withUnsafeBufferPointer { try check.check(line: $0) }
      }
    } catch {
      throw damaged(error)
    }
    parts = nil
    try line.start.withUnsafeBytes { try body($0) }
    try [UInt8(ascii: "\n")].withUnsafeBytes { try body($0) }
    return true
  }

  /// Whether a line is sure to be of a transaction that comes before the range, without reading it.
  private func isBefore(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: beginning) else { return false }
    var number: Int64 = 0
    for byte in line.dropFirst(beginning.count).prefix(18) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
        return isAscending ? number < range.lowerBound : number > range.upperBound
      }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return false
  }

  /// Goes to the next transaction and gives it with all its changes; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError``.
  public func next() throws(ArchiveError) -> HistoryTransaction? {
    guard var transaction = try nextTransaction() else { return nil }
    while let change = try nextChange() { transaction.changes.append(change) }
    return transaction
  }

  // MARK: - Lines

  /// The next line, or of a long one the first piece.
  private func nextLine() throws(ArchiveError) -> ArraySlice<UInt8>? {
    nextPiece = 0..<0
    while true {
      if let line = lines.popLast() { return line }
      guard let frames else { return nil }
      moveOn(from: frames)
      if frames.count > 1 {
        nextPiece = frames.dropFirst()
        return try reader.text(ofFrame: frames.lowerBound)[...]
      }
      let found = try reader.lines(ofFrame: frames.lowerBound)
      guard found.count == reader.manifest.frames[frames.lowerBound].transactionCount else {
        throw .damaged(
          path: reader.path, place: "frame \(frames.lowerBound + 1)",
          detail: "it has another number of lines than the manifest says")
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
  private func more() throws(ArchiveError) -> ArraySlice<UInt8>? {
    guard let index = nextPiece.first else { return nil }
    nextPiece = nextPiece.dropFirst()
    return try reader.text(ofFrame: index)[...]
  }

  /// Begins with a line: checks that it is the one of a transaction that can come here.
  private func begin(_ line: ArraySlice<UInt8>) throws(ArchiveError) -> HistoryTransaction {
    var parts = LineParts(line)
    let decoded: HistoryLine
    do {
      decoded = try decoder.decode(parts.takeHead(more))
    } catch {
      throw damaged(error)
    }
    guard case .transaction(let transaction) = decoded else {
      throw damaged(LineParts.Problem(detail: "a line is no transaction"))
    }
    guard transaction.store ?? "" == reader.manifest.store,
      reader.manifest.range.contains(transaction.number)
    else {
      throw damaged(
        LineParts.Problem(
          detail: "transaction \(transaction.number) does not belong into this segment"))
    }
    if let current {
      guard isAscending ? transaction.number > current : transaction.number < current else {
        throw damaged(
          LineParts.Problem(detail: "transaction \(transaction.number) stands out of order"))
      }
    }
    current = transaction.number
    self.parts = parts
    return transaction
  }

  private func damaged(_ error: any Error) -> ArchiveError {
    if let error = error as? ArchiveError { return error }
    let detail =
      switch error {
      case let problem as LineParts.Problem: problem.detail
      case let error as LineError: error.message
      case let problem as CanonicalLineCheck.Problem: problem.detail
      default: "\(error)"
      }
    return .damaged(
      path: reader.path,
      place: current.map { "the line of or behind transaction \($0)" } ?? "a line",
      detail: detail)
  }
}
