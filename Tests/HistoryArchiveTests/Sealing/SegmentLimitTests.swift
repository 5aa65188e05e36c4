import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

@Suite(.bounded) struct SegmentLimitTests {
  @Test
  func `a manifest has space for the frames of the largest segment`() {
    func byteCount(frames count: Int) -> Int {
      let time = StoreTimestamp(secondsSinceReferenceDate: 743_906_620.123_456)
      let frame = SegmentFrame(
        transaction: 1 << 40, timestamp: time, latest: time, transactionCount: 1000,
        offset: ArchiveSealer.segmentSizes.upperBound, byteCount: ArchiveFormat.frameLimit,
        textByteCount: ArchiveFormat.frameLimit)
      let manifest = SegmentManifest(
        store: "", first: .init(number: 1, timestamp: nil), last: .init(number: 1, timestamp: nil),
        after: nil, next: nil, earliest: nil, latest: nil, transactionCount: 1, counts: [],
        textByteCount: 0, byteCount: 0, digest: .none,
        frames: Array(repeating: frame, count: count),
        schema: SegmentSchema(
          versionIdentifiers: [], transactionColumns: [], changeColumns: [], entities: []))
      return manifest.bytes.count
    }
    let largest = Int(ArchiveSealer.segmentSizes.upperBound) / ArchiveFormat.frameTarget
    let each = byteCount(frames: 3) - byteCount(frames: 2)
    #expect(each * largest < ArchiveFormat.manifestLimit)
    #expect(largest * 2 <= ArchiveFormat.maxFrames)
  }
}
