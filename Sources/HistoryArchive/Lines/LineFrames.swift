import HistoryCoding
import StoreFormat

/// Packs the lines of transactions into frames like those of a segment.
///
/// Lines may come oldest first or newest first. Each frame, and in the end the list of frames, is sorted.
final class LineFrames {
  /// A frame of complete lines, or all frames of one long line.
  struct Group {
    let first: TransactionPosition
    let last: TransactionPosition
    /// The number of its first line in the text, counted from 1.
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

  private(set) var groups: [Group] = []
  private(set) var textByteCount: Int64 = 0
  private let file: TemporaryFile
  private let context: ZstdContext
  private var lines: [Line] = []
  private var byteCount = 0
  /// Whether the last group is a line that continues.
  private var isInLongLine = false

  init(_ file: TemporaryFile) throws(CompressionError) {
    self.file = file
    context = try ZstdContext(.quick)
  }

  /// Adds a line, or the last piece of a long one.
  func end(_ position: TransactionPosition, _ text: [UInt8], number: Int) throws {
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

  /// Adds a piece of a line that continues.
  func addPiece(
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

  /// Packs the lines that were added into a frame.
  func pack() throws {
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

  private func add(
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

  /// Packs the last lines and sorts the frames.
  ///
  /// - Throws: ``LineDisorder`` if a transaction is repeated or the lines are not sorted.
  func finish() throws {
    try pack()
    groups.sort { $0.first.number < $1.first.number }
    for (group, next) in zip(groups, groups.dropFirst())
    where group.last.number >= next.first.number {
      throw LineDisorder(number: next.lineNumber, transaction: next.first.number)
    }
  }
}

/// A line that is out of order, by its number in the text, counted from 1.
struct LineDisorder: Error {
  let number: Int
  let transaction: Int64
}
