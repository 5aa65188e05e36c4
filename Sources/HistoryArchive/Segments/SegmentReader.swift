import CZstd
import DurableFiles
import HistoryCoding
import Libc
import PersistentHistory
import StoreFormat

/// Reads a segment frame by frame.
///
/// The file is not trusted: the seek table must match the manifest, each frame must have the size that
/// both state and a valid checksum, and memory is limited whatever the file contains. A reader is for
/// one thread at a time.
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
  /// The manifest of the segment.
  let manifest: SegmentManifest
  /// The entities of the store when the segment was sealed.
  let schema: HistorySchema
  /// Reads its lines.
  let decoder: TransactionLineDecoder
  private let file: ArchiveFile
  private let unpacker = FrameUnpacker()
  private var lastFrame: (index: Int, text: [UInt8])?
  private let cancellation = Cancellation.current

  /// Opens a segment.
  ///
  /// - Parameters:
  ///   - place: Its file.
  ///   - manifest: Its manifest.
  /// - Throws: ``ArchiveError``.
  init(_ place: FilePlace, manifest: SegmentManifest) throws(ArchiveError) {
    file = try ArchiveFile(place)
    self.manifest = manifest
    schema = manifest.historySchema()
    decoder = TransactionLineDecoder(schema: schema)
    guard file.size == manifest.byteCount else {
      throw .damaged(
        path: place.path, place: "its size",
        detail: "it has \(file.size) bytes (the manifest says \(manifest.byteCount))")
    }
    guard try SeekTable(of: file) == SeekTable(manifest.frames) else {
      throw .damaged(
        path: place.path, place: "its seek table", detail: "it differs from the manifest")
    }
  }

  /// Opens a file of frames that this program itself has just written, without a seek table.
  init(
    _ file: ArchiveFile, _ manifest: SegmentManifest, schema: HistorySchema,
    decoder: TransactionLineDecoder
  ) {
    self.file = file
    self.manifest = manifest
    self.schema = schema
    self.decoder = decoder
  }

  /// The path of the segment.
  var path: String { file.path }

  /// Checks that the file is the one that was sealed, byte for byte.
  ///
  /// - Throws: ``ArchiveError``.
  func checkDigest() throws(ArchiveError) {
    guard try file.digest() == manifest.digest else {
      throw .damaged(
        path: path, place: "its bytes", detail: "its SHA-256 is not the one in the manifest")
    }
  }

  /// The text of a frame: whole lines, or a part of a long one. Asks whether the reading is canceled.
  ///
  /// - Throws: ``ArchiveError``.
  func text(ofFrame index: Int) throws(ArchiveError) -> [UInt8] {
    if let lastFrame, lastFrame.index == index { return lastFrame.text }
    if let cancellation, cancellation.isCancelled { throw .cancelled(path: path) }
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
  func lines(ofFrame index: Int) throws(ArchiveError) -> [ArraySlice<UInt8>] {
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

  /// A frame and those in which its last line continues.
  func frames(from index: Int) -> Range<Int> {
    var end = index + 1
    while end < manifest.frames.count, manifest.frames[end].isContinuation { end += 1 }
    return index..<end
  }

  /// Steps through transactions.
  ///
  /// - Parameters:
  ///   - range: Only transactions with these numbers; `nil` for all.
  ///   - order: Which comes first.
  public func transactions(
    in range: ClosedRange<Int64>? = nil, order: HistoryQuery.Order = .ascending
  ) -> SegmentCursor {
    SegmentCursor(self, range: range ?? manifest.range, order: order)
  }

  /// The transaction with a number, with all its changes; `nil` if the segment does not have it.
  ///
  /// - Throws: ``ArchiveError``.
  public func transaction(_ number: Int64) throws(ArchiveError) -> HistoryTransaction? {
    try transactions(in: number...number).next()
  }
}

/// Unpacks single frames, whose size is known beforehand.
final class FrameUnpacker {
  /// The maximum size of a frame, in bytes.
  static let maxPackedBytes = ZSTD_compressBound(ArchiveFormat.frameLimit)
  /// The first bytes of a zstd frame.
  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  /// The bits of a frame's fifth byte: a checksum follows, and a dictionary is needed.
  private static let checksumBit: UInt8 = 4
  private static let dictionaryBits: UInt8 = 3

  private let context: OpaquePointer?

  init() { context = ZSTD_createDCtx() }

  deinit { ZSTD_freeDCtx(context) }

  /// Unpacks a frame; returns `nil` and the reason if it is not exactly what it should be.
  ///
  /// - Parameters:
  ///   - frame: All of the frame, and nothing else.
  ///   - textByteCount: The size of its text, which the caller has checked.
  func unpack(_ frame: [UInt8], textByteCount: Int) -> (text: [UInt8]?, problem: String) {
    guard let context else { return (nil, "out of memory") }
    guard frame.count > Self.magic.count, frame.starts(with: Self.magic) else {
      return (nil, "it does not begin like a frame")
    }
    guard frame[4] & Self.checksumBit != 0 else { return (nil, "it has no checksum") }
    guard frame[4] & Self.dictionaryBits == 0 else { return (nil, "it needs a dictionary") }
    guard ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count else {
      return (nil, "it does not end where it should")
    }
    guard ZSTD_getFrameContentSize(frame, frame.count) == UInt64(textByteCount) else {
      return (nil, "the size of its text is wrong")
    }
    var result = 0
    let text = [UInt8](unsafeUninitializedCapacity: textByteCount) { target, count in
      result = ZSTD_decompressDCtx(
        context, target.baseAddress, textByteCount, frame, frame.count)
      count = ZSTD_isError(result) == 0 ? min(result, textByteCount) : 0
    }
    guard ZSTD_isError(result) == 0 else {
      return (nil, String(cString: ZSTD_getErrorName(result)))
    }
    guard text.count == textByteCount else { return (nil, "it holds too little text") }
    return (text, "")
  }
}
