import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat

/// Compares the frames of a segment, byte for byte apart from old and new values, with the text of a second reading
/// of the store.
///
/// A window is a run of frames.
struct FrameComparer: WindowPacker {
  /// The approximate text of a window in bytes.
  static let windowSize = 1 << 20

  var encoder = TransactionLineEncoder()
  private(set) var takenByteCount = 0
  var byteCount: Int { encoder.byteCount }
  private let reader: SegmentReader
  private let groups: [Range<Int>]
  /// The frames of the window.
  private var frames: Frames

  /// The comparison with the frames of a window.
  private final class Frames {
    private let reader: SegmentReader
    /// The frames that were not reached yet.
    private var rest: Range<Int>
    private lazy var comparison = LineComparison(skipsValues: true) { [unowned self] in
      guard let next = rest.first else { return nil }
      rest = rest.dropFirst()
      return try reader.text(ofFrame: next)
    }

    init(_ reader: SegmentReader, rest: Range<Int>) {
      self.reader = reader
      self.rest = rest
    }

    private var differs: ArchiveError {
      .readBackDiffers(path: reader.path, place: "frame \(max(1, rest.lowerBound))")
    }

    /// Compares the next text of the store.
    func compare(_ bytes: UnsafeRawBufferPointer) throws {
      guard try comparison.matches(bytes) else { throw differs }
    }

    /// Checks that the frames have no more text.
    func finish() throws {
      guard try comparison.isFinished() else { throw differs }
    }
  }

  /// - Parameter groups: The frames of each window; see ``SegmentManifest/runs(ofAbout:)``.
  init(
    _ place: FilePlace, manifest: SegmentManifest, groups: [Range<Int>]
  ) throws(ArchiveError) {
    reader = try SegmentReader(place, manifest: manifest)
    self.groups = groups
    frames = Frames(reader, rest: 0..<0)
  }

  /// The transactions of each window.
  static func transactions(
    of groups: [Range<Int>], _ manifest: SegmentManifest
  ) -> [ClosedRange<Int64>] {
    groups.map { group in
      let first = manifest.frames[group.lowerBound].transaction
      let last =
        group.upperBound < manifest.frames.count
        ? manifest.frames[group.upperBound].transaction - 1 : manifest.last.number
      return first...max(first, last)
    }
  }

  mutating func begin(_ window: HistoryWindow) {
    encoder.removeAll()
    takenByteCount = 0
    frames = Frames(reader, rest: groups[window.index])
  }

  func drain(passingOn passOn: @escaping (()) throws -> Void) -> TextDrain? {
    let frames = frames
    return TextDrain { try frames.compare($0) }
  }

  mutating func end(_ position: TransactionPosition) throws {
    if encoder.byteCount >= ArchiveFormat.frameTarget { try compare() }
  }

  mutating func takePiece(in position: TransactionPosition?) throws { try compare() }

  mutating func finish() throws {
    try compare()
    try frames.finish()
  }

  private mutating func compare() throws {
    takenByteCount += encoder.byteCount
    try encoder.withUnsafeBytes { try frames.compare($0) }
    encoder.removeAll()
  }
}
