import HistoryCoding
import PersistentHistory
import StoreFormat

/// Packs the lines of windows into frames.
///
/// A frame holds complete lines. A line longer than ``ArchiveFormat/frameTarget`` begins a frame of its
/// own, and one longer than ``ArchiveFormat/frameLimit`` continues in further frames.
struct FramePacker: WindowPacker {
  var encoder = TallyingEncoder()
  private(set) var takenByteCount = 0
  var byteCount: Int { encoder.byteCount }
  private let storePath: String
  private let context: ZstdContext
  private var frames: [PackedFrame] = []
  /// The complete lines in the encoder.
  private var lines = Lines()
  /// The place in the encoder after the text that is in frames.
  private var start = 0
  /// Whether the text from `start` on continues a line that has frames already.
  private var isInLongLine = false

  private struct Lines {
    var first: TransactionPosition?
    var last: TransactionPosition?
    var times: ClosedRange<StoreTimestamp>?
    var count = 0
    /// The place at which the last of them ends.
    var end = 0
    var tally = ChangeTally()

    mutating func add(_ position: TransactionPosition, _ tally: ChangeTally, end: Int) {
      if first == nil { first = position }
      last = position
      times.extend(by: position.timestamp.map { $0...$0 })
      count += 1
      self.end = end
      self.tally.add(tally)
    }
  }

  init(storePath: String) throws(CompressionError) {
    self.storePath = storePath
    context = try ZstdContext(.small)
  }

  mutating func begin(_ window: HistoryWindow) {
    frames = []
    takenByteCount = 0
    lines = Lines()
    isInLongLine = false
    clear()
  }

  /// Refuses a change as soon as its text is too long, before all of it is in memory.
  func drain(passingOn passOn: @escaping ([PackedFrame]) throws -> Void) -> TextDrain? {
    let (place, path) = (encoder.place, storePath)
    // The text of other changes may precede it.
    return TextDrain(capacity: ArchiveFormat.partLimit + ArchiveFormat.partLimit / 4) { _ in
      throw place.tooLong(path)
    }
  }

  mutating func end(_ position: TransactionPosition) throws {
    let end = encoder.byteCount
    if isInLongLine {
      try packLongLine(of: position)
      isInLongLine = false
    } else if end - max(start, lines.end) > ArchiveFormat.frameTarget {
      try packLines()
      try packLongLine(of: position)
    } else {
      lines.add(position, encoder.tally, end: end)
      guard end - start >= ArchiveFormat.frameTarget else { return }
      try packLines()
    }
    clear()
  }

  mutating func takePiece(in position: TransactionPosition?) throws -> [PackedFrame] {
    try packLines()
    if let position {
      try packLongLine(of: position)
      isInLongLine = true
    }
    clear()
    return takeFrames()
  }

  /// Returns the finished frames, and keeps the text that is not in one yet.
  mutating func takeFrames() -> [PackedFrame] {
    defer { frames = [] }
    return frames
  }

  mutating func finish() throws -> [PackedFrame] { try takePiece(in: nil) }

  /// Removes the text that is in frames.
  private mutating func clear() {
    encoder.removeAll()
    start = 0
  }

  /// Makes a frame of the complete lines.
  private mutating func packLines() throws {
    guard let first = lines.first, let last = lines.last else { return }
    let range = start..<lines.end
    frames.append(
      PackedFrame(
        first: first, last: last, times: lines.times, transactionCount: lines.count,
        tally: lines.tally, textByteCount: range.count, bytes: try pack(range)))
    lines = Lines()
    start = range.upperBound
  }

  /// Makes frames of the rest of the text, which is one line or a piece of it.
  private mutating func packLongLine(of position: TransactionPosition) throws {
    guard encoder.byteCount - start <= ArchiveFormat.partLimit else {
      throw encoder.place.tooLong(storePath)
    }
    var begins = !isInLongLine
    while start < encoder.byteCount {
      let range = start..<min(start + ArchiveFormat.frameLimit, encoder.byteCount)
      frames.append(
        PackedFrame(
          first: position, last: position,
          times: begins ? position.timestamp.map { $0...$0 } : nil,
          transactionCount: begins ? 1 : 0, tally: encoder.takeTally(),
          textByteCount: range.count, bytes: try pack(range)))
      begins = false
      start = range.upperBound
    }
  }

  private mutating func pack(_ range: Range<Int>) throws -> [UInt8] {
    takenByteCount += range.count
    let context = context
    return try encoder.withUnsafeBytes {
      try context.pack(UnsafeRawBufferPointer(rebasing: $0[range]))
    }
  }
}

/// Encodes lines and counts their changes.
struct TallyingEncoder: HistoryEncoder {
  /// What is being encoded.
  // A value has one encoder, which one thread uses at a time.
  final class Place: @unchecked Sendable {
    var transaction: Int64 = 0
    /// At the change; `nil` at the values of the transaction itself.
    var rows: ChangeCursor?

    /// The error for a part of a line that exceeds ``ArchiveFormat/partLimit``.
    func tooLong(_ path: String) -> ArchiveError {
      .unsealable(
        path: path, transaction: transaction,
        reason: "the text of " + (rows.map { "change \($0.number)" } ?? "its own values")
          + " is longer than \(ArchiveFormat.partLimit >> 20) MiB")
    }
  }

  private var encoder = TransactionLineEncoder()
  let place = Place()
  var drain: TextDrain? {
    get { encoder.drain }
    set { encoder.drain = newValue }
  }
  /// The changes of the current line.
  private(set) var tally = ChangeTally()

  mutating func begin(_ transaction: HistoryTransaction) {
    tally.removeAll()
    place.transaction = transaction.number
    place.rows = nil
    encoder.begin(transaction)
  }

  mutating func append(_ change: HistoryChange) {
    tally.add(change.kind, of: change.entity?.number)
    encoder.append(change)
  }

  mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool {
    place.rows = try reader.rows()
    while let row = try reader.nextRow() {
      tally.add(row.kind, of: row.entityNumber)
      try encoder.append(row, of: reader)
      if encoder.byteCount >= byteLimit { return false }
    }
    return true
  }

  mutating func end() { encoder.end() }

  var byteCount: Int { encoder.byteCount }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try encoder.withUnsafeBytes(body)
  }

  mutating func removeAll() { encoder.removeAll() }

  /// Returns the counts so far and begins new ones.
  mutating func takeTally() -> ChangeTally {
    defer { tally.removeAll() }
    return tally
  }
}
