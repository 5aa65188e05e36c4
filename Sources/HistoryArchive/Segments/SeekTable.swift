/// The table of a segment's frames in zstd's seekable format
/// (<https://github.com/facebook/zstd/blob/dev/contrib/seekable_format/zstd_seekable_compression_format.md>).
///
/// It follows the last frame, in a frame that every reader of zstd skips: the packed and the unpacked
/// size of each frame, then their number. Numbers are little-endian.
struct SeekTable: Hashable, Sendable {
  /// One frame.
  package struct Entry: Hashable, Sendable {
    /// Its size in the file, in bytes.
    let byteCount: UInt32
    /// The size of its text, in bytes.
    let textByteCount: UInt32

    init(byteCount: UInt32, textByteCount: UInt32) {
      self.byteCount = byteCount
      self.textByteCount = textByteCount
    }
  }

  private static let skippableMagic: UInt32 = 0x184D_2A5E
  private static let seekableMagic: UInt32 = 0x8F92_EAB1
  private static let headerByteCount = 8
  private static let footerByteCount = 9
  private static let entryByteCount = 8

  /// The frames, in the order of the file.
  let entries: [Entry]

  init(entries: [Entry]) { self.entries = entries }

  /// Creates the table of a manifest's frames.
  init(_ frames: [SegmentFrame]) {
    entries = frames.map {
      Entry(
        byteCount: UInt32(clamping: $0.byteCount), textByteCount: UInt32(clamping: $0.textByteCount)
      )
    }
  }

  /// The size of the table of a number of frames, in bytes.
  static func byteCount(frames: Int) -> Int {
    headerByteCount + frames * entryByteCount + footerByteCount
  }

  /// The table as bytes.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount(frames: entries.count))
    func append(_ number: UInt32) {
      for shift in stride(from: UInt32(0), to: 32, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    append(Self.skippableMagic)
    append(UInt32(clamping: Self.byteCount(frames: entries.count) - Self.headerByteCount))
    for entry in entries {
      append(entry.byteCount)
      append(entry.textByteCount)
    }
    append(UInt32(clamping: entries.count))
    // The frames have checksums of their own, so the table has none.
    bytes.append(0)
    append(Self.seekableMagic)
    return bytes
  }

  /// Reads the table at the end of a file.
  ///
  /// - Throws: ``ArchiveError``.
  init(of file: ArchiveFile) throws(ArchiveError) {
    func damaged(_ detail: String) -> ArchiveError {
      .damaged(path: file.path, place: "its seek table", detail: detail)
    }
    let least = Int64(Self.byteCount(frames: 0))
    guard file.size >= least else { throw damaged("the file is too short to have one") }
    let footer = try file.read(
      at: file.size - Int64(Self.footerByteCount), count: Self.footerByteCount)
    guard Self.number(footer, at: 5) == Self.seekableMagic else {
      throw damaged("it does not end like one")
    }
    guard footer[4] == 0 else { throw damaged("its form is one that segments do not have") }
    let count = Int(Self.number(footer, at: 0))
    guard count <= ArchiveFormat.maxFrames, Int64(Self.byteCount(frames: count)) <= file.size
    else { throw damaged("it has more frames than the file can hold") }
    let size = Self.byteCount(frames: count)
    let table = try file.read(at: file.size - Int64(size), count: size)
    guard Self.number(table, at: 0) == Self.skippableMagic,
      Self.number(table, at: 4) == UInt32(size - Self.headerByteCount)
    else { throw damaged("it does not begin like one") }
    entries = (0..<count).map { index in
      let place = Self.headerByteCount + index * Self.entryByteCount
      return Entry(
        byteCount: Self.number(table, at: place),
        textByteCount: Self.number(table, at: place + 4))
    }
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32($1 * 8) }
  }
}
