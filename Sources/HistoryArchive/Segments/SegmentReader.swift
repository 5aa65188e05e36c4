import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads a segment frame by frame.
///
/// Nothing is believed: the seek table must be that of the manifest, each frame must have the size
/// that both say and its checksum must fit, and memory is bounded whatever the file says. Not for
/// several threads at a time; make one for each.
///
/// ```swift
/// let archive = try Archive(path: "history-archive")
/// for entry in try archive.catalog().entries {
///   let reader = try archive.segment(entry)
///   let cursor = reader.transactions()
///   while let transaction = try cursor.nextTransaction() {
///     while let change = try cursor.nextChange() { … }
///   }
/// }
/// ```
public final class SegmentReader {
  /// What the segment holds.
  package let manifest: SegmentManifest
  /// The entities of the store when the segment was sealed.
  package let schema: HistorySchema
  /// Reads its lines.
  let decoder: TransactionLineDecoder
  /// Reads changes.
  let changes: ChangeTextReader
  /// Finds out whether a line is what the encoder writes; nil where this program has just written it.
  let lineCheck: CanonicalLineCheck?
  private let file: ArchiveFile
  private let unpacker = FrameUnpacker()
  private var lastFrame: (index: Int, text: [UInt8])?

  /// Opens a segment.
  ///
  /// - Parameters:
  ///   - path: Its file.
  ///   - manifest: Its manifest.
  /// - Throws: ``ArchiveError``.
  package init(path: String, manifest: SegmentManifest) throws(ArchiveError) {
    file = try ArchiveFile(path: path)
    self.manifest = manifest
    schema = manifest.historySchema()
    decoder = TransactionLineDecoder(schema: schema)
    changes = ChangeTextReader(decoder)
    lineCheck = CanonicalLineCheck(store: manifest.store, schema: schema)
    guard file.size == manifest.byteCount else {
      throw .damaged(
        path: path, place: "its size",
        detail: "it has \(file.size) bytes, and the manifest says \(manifest.byteCount)")
    }
    guard try SeekTable(of: file) == SeekTable(manifest.frames) else {
      throw .damaged(
        path: path, place: "its seek table", detail: "it is not that of the manifest")
    }
  }

  /// Takes a file of frames that this program itself has just written, without a table behind them.
  init(
    _ file: ArchiveFile, _ manifest: SegmentManifest, schema: HistorySchema,
    decoder: TransactionLineDecoder
  ) {
    self.file = file
    self.manifest = manifest
    self.schema = schema
    self.decoder = decoder
    changes = ChangeTextReader(decoder)
    lineCheck = nil
  }

  /// Where the segment is.
  package var path: String { file.path }

  /// Checks that the file is, byte for byte, the one that was sealed.
  ///
  /// - Throws: ``ArchiveError``.
  package func checkDigest() throws(ArchiveError) {
    guard try file.digest() == manifest.digest else {
      throw .damaged(
        path: path, place: "its bytes", detail: "its SHA-256 is not the one in the manifest")
    }
  }

  /// The text of a frame: whole lines, or a part of a long one.
  ///
  /// - Throws: ``ArchiveError``.
  package func text(ofFrame index: Int) throws(ArchiveError) -> [UInt8] {
    if let lastFrame, lastFrame.index == index { return lastFrame.text }
    guard manifest.frames.indices.contains(index) else {
      throw .damaged(path: path, place: "frame \(index + 1)", detail: "there is no such frame")
    }
    let frame = manifest.frames[index]
    let packed = try file.read(at: frame.offset, count: frame.byteCount)
    let (text, problem) = unpacker.unpack(packed, textByteCount: frame.textByteCount)
    guard let text else {
      throw .damaged(
        path: path, place: "frame \(index + 1) at byte \(frame.offset)", detail: problem)
    }
    lastFrame = (index, text)
    return text
  }

  /// The lines that begin and end in a frame, without their line ends; of a frame with a part of a
  /// longer line, that part.
  ///
  /// - Throws: ``ArchiveError``.
  package func lines(ofFrame index: Int) throws(ArchiveError) -> [ArraySlice<UInt8>] {
    let text = try self.text(ofFrame: index)
    var lines: [ArraySlice<UInt8>] = []
    lines.reserveCapacity(manifest.frames[index].transactionCount)
    var start = 0
    text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      while start < bytes.count {
        let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        let end = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? bytes.count
        if end > start { lines.append(text[start..<end]) }
        start = end + 1
      }
    }
    return lines
  }

  /// The frames that a frame's last line goes on in, itself included.
  func frames(from index: Int) -> Range<Int> {
    var end = index + 1
    while end < manifest.frames.count, manifest.frames[end].isContinuation { end += 1 }
    return index..<end
  }

  /// Goes through transactions.
  ///
  /// - Parameters:
  ///   - range: Only transactions with these numbers; nil for all.
  ///   - order: Which comes first.
  public func transactions(
    in range: ClosedRange<Int64>? = nil, order: HistoryQuery.Order = .ascending
  ) -> SegmentCursor {
    SegmentCursor(self, range: range ?? manifest.range, order: order)
  }

  /// The transaction with a number, with all its changes; nil where the segment does not have it.
  ///
  /// - Throws: ``ArchiveError``.
  public func transaction(_ number: Int64) throws(ArchiveError) -> HistoryTransaction? {
    try transactions(in: number...number).next()
  }
}
