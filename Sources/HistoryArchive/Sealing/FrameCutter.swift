import HistoryCoding
import StoreFormat

/// Cuts lines into frames of about the size that they are to have, and packs them.
///
/// A frame holds whole lines. A line that is longer than ``ArchiveFormat/frameTarget`` begins a frame
/// of its own, and goes on in further ones where it is longer than ``ArchiveFormat/frameLimit``.
struct FrameCutter {
  /// A line, or with `isWhole` false a part of one: it goes on in the next.
  struct Line {
    /// Whose line it is.
    let position: TransactionPosition
    /// Where in the text it ends.
    let end: Int
  }

  private let context: ZstdContext

  /// - Throws: ``/HistoryCoding/CompressionError``.
  init() throws(CompressionError) {
    context = try ZstdContext(level: ArchiveFormat.compressionLevel)
  }

  /// Packs whole lines into frames of about one size.
  ///
  /// - Parameters:
  ///   - text: The lines.
  ///   - lines: Which transactions they are of, and where each ends.
  func pack(
    _ text: UnsafeRawBufferPointer, _ lines: [Line]
  ) throws(CompressionError) -> [PackedFrame] {
    var frames: [PackedFrame] = []
    // No small frame is left for the end.
    let count = max(1, (text.count + ArchiveFormat.frameTarget / 2) / ArchiveFormat.frameTarget)
    let target = max(1, text.count / count)
    var index = 0
    var start = 0
    while index < lines.count {
      var next = index + 1
      if lines[index].end - start <= ArchiveFormat.frameTarget {
        while next < lines.count, lines[next].end - start <= ArchiveFormat.frameTarget,
          lines[next - 1].end - start < target
        { next += 1 }
        let end = lines[next - 1].end
        frames.append(
          try pack(UnsafeRawBufferPointer(rebasing: text[start..<end]), of: lines[index..<next]))
        start = end
      } else {
        let piece = UnsafeRawBufferPointer(rebasing: text[start..<lines[index].end])
        frames += try packLong(piece, of: lines[index].position, isFirst: true)
        start = lines[index].end
      }
      index = next
    }
    return frames
  }

  /// Packs a line that has frames of its own, or a piece of it.
  ///
  /// - Parameter isFirst: Whether the line begins with this piece.
  func packLong(
    _ piece: UnsafeRawBufferPointer, of position: TransactionPosition, isFirst: Bool
  ) throws(CompressionError) -> [PackedFrame] {
    var frames: [PackedFrame] = []
    var start = 0
    while start < piece.count {
      let end = min(start + ArchiveFormat.frameLimit, piece.count)
      let text = UnsafeRawBufferPointer(rebasing: piece[start..<end])
      let begins = isFirst && start == 0
      frames.append(
        PackedFrame(
          first: position, last: position,
          times: begins ? position.timestamp.map { $0...$0 } : nil,
          transactionCount: begins ? 1 : 0, textByteCount: text.count,
          bytes: try context.pack(text)))
      start = end
    }
    return frames
  }

  private func pack(
    _ text: UnsafeRawBufferPointer, of lines: ArraySlice<Line>
  ) throws(CompressionError) -> PackedFrame {
    var times: ClosedRange<StoreTimestamp>?
    for line in lines {
      guard let time = line.position.timestamp else { continue }
      times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
    let first = lines[lines.startIndex].position
    return PackedFrame(
      first: first, last: lines.last?.position ?? first, times: times,
      transactionCount: lines.count, textByteCount: text.count, bytes: try context.pack(text))
  }
}
