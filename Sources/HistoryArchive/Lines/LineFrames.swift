import HistoryCoding
import StoreFormat

/// Packs the lines of transactions into frames of a file, as those of a segment are.
///
/// Lines may come oldest first or newest first: a frame has its own in order, and so has the list of
/// frames in the end.
struct LineFrames {
  /// Frames that hold whole lines, or one that is longer than a frame.
  struct Group {
    let first: TransactionPosition
    let last: TransactionPosition
    /// Where its first line comes from, counted from 1.
    let lineNumber: Int
    var earliest: StoreTimestamp?
    var latest: StoreTimestamp?
    var frames: [SegmentFrame] = []
  }

  private struct Line {
    let position: TransactionPosition
    let number: Int
    let text: [UInt8]
  }

  /// The frames that were made.
  private(set) var groups: [Group] = []
  /// How much text they have.
  private(set) var textByteCount: Int64 = 0
  private let file: TemporaryFile
  private let context: ZstdContext
  private var lines: [Line] = []
  private var byteCount = 0
  /// Whether the last frames are those of a line that goes on.
  private var isInLongLine = false

  init(_ file: TemporaryFile) throws(CompressionError) {
    self.file = file
    context = try ZstdContext(.quick)
  }

  /// Adds a line, or the last piece of one.
  mutating func end(_ position: TransactionPosition, _ text: [UInt8], number: Int) throws {
    if isInLongLine {
      try addPiece(position, text, number: number)
      isInLongLine = false
      return
    }
    if byteCount > 0, byteCount + text.count > ArchiveFormat.frameLimit { try pack() }
    if text.count > ArchiveFormat.frameTarget {
      try pack()
      try addPiece(position, text, number: number)
      isInLongLine = false
      return
    }
    lines.append(Line(position: position, number: number, text: text))
    byteCount += text.count
    if byteCount >= ArchiveFormat.frameTarget { try pack() }
  }

  /// Adds a piece of a line that goes on.
  mutating func addPiece(
    _ position: TransactionPosition, _ text: [UInt8], number: Int
  ) throws {
    if !isInLongLine {
      try pack()
      groups.append(
        Group(
          first: position, last: position, lineNumber: number, earliest: position.timestamp,
          latest: position.timestamp))
      isInLongLine = true
    }
    var rest = text[...]
    while !rest.isEmpty {
      let part = rest.prefix(ArchiveFormat.frameLimit)
      rest = rest.dropFirst(part.count)
      let isFirst = groups[groups.count - 1].frames.isEmpty
      try add(
        part, position, latest: isFirst ? position.timestamp : nil, lineCount: isFirst ? 1 : 0)
    }
  }

  /// Makes a frame of the lines that were added.
  mutating func pack() throws {
    lines.sort { $0.position.number < $1.position.number }
    guard let first = lines.first, let last = lines.last else { return }
    let times = lines.compactMap(\.position.timestamp)
    groups.append(
      Group(
        first: first.position, last: last.position,
        lineNumber: lines.map(\.number).min() ?? first.number, earliest: times.min(),
        latest: times.max()))
    for (line, next) in zip(lines, lines.dropFirst())
    where line.position.number == next.position.number {
      throw LineDisorder(number: max(line.number, next.number), transaction: next.position.number)
    }
    try add(
      lines.flatMap(\.text)[...], first.position, latest: times.max(), lineCount: lines.count)
    lines.removeAll(keepingCapacity: true)
    byteCount = 0
  }

  private mutating func add(
    _ text: ArraySlice<UInt8>, _ first: TransactionPosition, latest: StoreTimestamp?,
    lineCount: Int
  ) throws {
    let packed = try text.withUnsafeBytes { try context.pack($0) }
    let offset = try file.append(packed)
    groups[groups.count - 1].frames.append(
      SegmentFrame(
        transaction: first.number, timestamp: first.timestamp, latest: latest,
        transactionCount: lineCount, offset: offset, byteCount: packed.count,
        textByteCount: text.count))
    textByteCount += Int64(text.count)
  }

  /// Ends the packing and puts the frames in order.
  ///
  /// - Throws: ``LineDisorder`` where a transaction comes twice, or lines stand in no order.
  mutating func finish() throws {
    try pack()
    groups.sort { $0.first.number < $1.first.number }
    for (group, next) in zip(groups, groups.dropFirst())
    where group.last.number >= next.first.number {
      throw LineDisorder(number: next.lineNumber, transaction: next.first.number)
    }
  }
}

/// A line that stands where it cannot.
struct LineDisorder: Error {
  /// Which line, from 1.
  let number: Int
  /// Its transaction.
  let transaction: Int64
}
