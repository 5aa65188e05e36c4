import Testing

@testable import HistoryArchive

@Suite("The limits of a segment")
struct SegmentLimitTests {
  @Test("A manifest is full before a segment has more frames than readers take")
  func frames() {
    func byteCount(frames count: Int) -> Int {
      let frame = SegmentFrame(
        transaction: 1, timestamp: nil, latest: nil, transactionCount: 0, offset: 0, byteCount: 0,
        textByteCount: 0)
      let manifest = SegmentManifest(
        store: "", first: .init(number: 1, timestamp: nil), last: .init(number: 1, timestamp: nil),
        after: nil, earliest: nil, latest: nil, transactionCount: 1, counts: [], textByteCount: 0,
        byteCount: 0, digest: .none, frames: Array(repeating: frame, count: count),
        schema: SegmentSchema(
          versionIdentifiers: [], transactionColumns: [], changeColumns: [], entities: []))
      return manifest.bytes.count
    }
    let each = byteCount(frames: 3) - byteCount(frames: 2)
    #expect(each * ArchiveFormat.mostFrames > ArchiveFormat.manifestLimit)
  }
}
