import HistoryCoding
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Compares the frames of a segment with what a second reading of the store gives.
///
/// A window is a run of frames; its transactions must give their text, byte for byte.
struct FrameComparer: WindowPacker {
  /// How much text a window has, about.
  static let windowSize = 2 << 20

  var encoder = TransactionLineEncoder()
  private(set) var takenByteCount = 0
  private let reader: SegmentReader
  private let groups: [Range<Int>]
  /// The frames of the window that were not reached yet.
  private var frames: Range<Int> = 0..<0
  /// The text of the frame before them that was not compared yet.
  private var expected: ArraySlice<UInt8> = []

  /// - Parameters:
  ///   - path: The segment.
  ///   - manifest: Its manifest.
  ///   - groups: The frames of each window; see ``SegmentManifest/runs(ofAbout:)``.
  init(path: String, manifest: SegmentManifest, groups: [Range<Int>]) throws(ArchiveError) {
    reader = try SegmentReader(path: path, manifest: manifest)
    self.groups = groups
  }

  /// The transactions that are in runs of frames.
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
    frames = groups[window.index]
    expected = []
  }

  mutating func end(_ position: TransactionPosition) throws {
    if encoder.byteCount >= ArchiveFormat.frameTarget { try compare() }
  }

  mutating func takePiece(in position: TransactionPosition?) throws { try compare() }

  mutating func finish() throws {
    try compare()
    guard frames.isEmpty, expected.isEmpty else { throw differs }
  }

  private var differs: ArchiveError {
    .readBackDiffers(path: reader.path, place: "frame \(max(0, frames.lowerBound - 1))")
  }

  private mutating func compare() throws {
    takenByteCount += encoder.byteCount
    var place = 0
    while place < encoder.byteCount {
      if expected.isEmpty {
        guard let next = frames.first else { throw differs }
        frames = frames.dropFirst()
        expected = try reader.text(ofFrame: next)[...]
      }
      let count = min(expected.count, encoder.byteCount - place)
      let isSame = encoder.withUnsafeBytes { text in
        expected.withUnsafeBytes { expected in
          guard let left = text.baseAddress, let right = expected.baseAddress else { return false }
          return memcmp(left + place, right, count) == 0
        }
      }
      guard isSame else { throw differs }
      expected = expected.dropFirst(count)
      place += count
    }
    encoder.removeAll()
  }
}
