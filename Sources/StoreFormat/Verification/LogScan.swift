import CSQLiteSupport
import DurableFiles
import GRDBSQLite
import SystemPackage

/// Reads a write-ahead log and compares it with its checksums.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
struct LogScan {
  private static let headerLength = 32
  private static let frameHeaderLength = 24
  /// The maximum number of attempts if another process writes meanwhile.
  private static let attempts = 3
  /// The bytes that are read at a time, approximately.
  private static let chunkLength = 1 << 20

  /// The two running sums.
  private struct Checksum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    /// Adds words of 32 bits, in pairs.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
      var (first, second) = (first, second)
      for place in stride(from: 0, to: bytes.count & ~7, by: 8) {
        let left = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let right = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
        second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
      }
      (self.first, self.second) = (first, second)
    }
  }

  /// Returns the condition of a log; another process may write to it meanwhile.
  static func condition(ofLogAt path: String, pageSize: Int?) throws -> LogCondition {
    for _ in 0..<attempts {
      let before = try FileStatus(path: path)
      guard let before, before.size > 0 else { return .empty }
      let condition = try look(path, size: before.size, pageSize: pageSize)
      if try FileStatus(path: path) == before { return condition }
    }
    return .changing
  }

  private static func look(_ path: String, size: Int64, pageSize: Int?) throws -> LogCondition {
    let file = try ReadableFile(FilePath(path))
    let header = try file.readPrefix(headerLength)
    // The writer crashed, or the disk was full, before the first frame.
    guard header.count == headerLength else { return .unfinished(frame: 1) }
    switch start(header, pageSize: pageSize) {
    case .success(var scan):
      try scan.takeFrames(upTo: size) { try file.fill($0, from: $1) }
      return scan.condition
    case .failure(let reason): return .unusable(reason: reason.text)
    }
  }

  /// Returns whether SQLite reads a log, by its first bytes.
  static func isUsable(logAt path: String) throws -> Bool {
    let header = try ReadableFile(FilePath(path)).readPrefix(headerLength)
    guard header.count == headerLength, case .success = start(header, pageSize: nil) else {
      return false
    }
    return true
  }

  /// Returns the last commit of a log that nobody writes to meanwhile; `nil` if SQLite would ignore the log.
  static func end(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> (frameCount: UInt32, salts: UInt64)? {
    let size = csqlite_size(file)
    var header = [UInt8](repeating: 0, count: headerLength)
    guard size >= headerLength, csqlite_read(file, &header, CInt(headerLength), 0) == SQLITE_OK,
      case .success(var scan) = start(header, pageSize: nil)
    else { return nil }
    scan.takeFrames(upTo: size) { buffer, place in
      let count = Int(min(Int64(buffer.count), size - place))
      let result = csqlite_read(file, buffer.baseAddress, CInt(count), place)
      return result == SQLITE_OK ? count : 0
    }
    return UInt32(exactly: scan.lastCommit).map { ($0, scan.salts) }
  }

  private mutating func takeFrames(
    upTo size: Int64, _ fill: (UnsafeMutableRawBufferPointer, Int64) throws -> Int
  ) rethrows {
    let frameLength = Self.frameHeaderLength + pageSize
    let chunk = max(1, Self.chunkLength / frameLength)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: chunk * frameLength, alignment: 16)
    defer { buffer.deallocate() }
    var place = Int64(Self.headerLength)
    while place < size {
      let filled = try fill(buffer, place)
      guard filled > 0 else { break }
      for start in stride(from: 0, to: filled, by: frameLength) {
        let frame = UnsafeRawBufferPointer(
          rebasing: buffer[start..<min(start + frameLength, filled)])
        take(frame, isWhole: frame.count == frameLength)
      }
      place += Int64(filled)
    }
  }

  private struct Reason: Error { let text: String }

  private static func start(_ header: [UInt8], pageSize: Int?) -> Result<LogScan, Reason> {
    header.withUnsafeBytes { bytes in
      let magic = word(bytes, 0)
      guard magic & ~1 == 0x377f_0682 else {
        return .failure(Reason(text: "it does not begin like a write-ahead log"))
      }
      guard word(bytes, 4) == 3_007_000 else {
        return .failure(Reason(text: "it has an unknown version, \(word(bytes, 4))"))
      }
      let isBigEndian = magic & 1 == 1
      var checksum = Checksum()
      checksum.add(UnsafeRawBufferPointer(rebasing: bytes[..<24]), isBigEndian: isBigEndian)
      guard checksum == Checksum(first: word(bytes, 24), second: word(bytes, 28)) else {
        return .failure(Reason(text: "its first bytes do not fit their checksum"))
      }
      let size = Int(word(bytes, 8))
      guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else {
        return .failure(Reason(text: "its pages have \(size) bytes, which no page has"))
      }
      if let pageSize, pageSize != size {
        return .failure(
          Reason(text: "its pages have \(size) bytes, those of the store \(pageSize)"))
      }
      return .success(
        LogScan(
          pageSize: size, isBigEndian: isBigEndian,
          salts: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
          checksum: checksum))
    }
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }

  // MARK: - The frames

  private let pageSize: Int
  private let isBigEndian: Bool
  private let salts: UInt64
  /// The checksum stated in the frame before.
  private var checksum: Checksum
  private var frameCount = 0
  /// The last frame before any with a wrong checksum that ends a commit.
  private var lastCommit = 0
  /// The first frame with a wrong checksum, counted from 1.
  private var firstBad: Int?
  /// Whether that frame has the salts of this log, not of an earlier one.
  private var isFirstBadOurs = false
  /// The last frame after it that ends a save.
  private var lastLost: Int?
  /// The number of frames after it that end a save.
  private var lostSaveCount = 0

  private init(pageSize: Int, isBigEndian: Bool, salts: UInt64, checksum: Checksum) {
    self.pageSize = pageSize
    self.isBigEndian = isBigEndian
    self.salts = salts
    self.checksum = checksum
  }

  private mutating func take(_ frame: UnsafeRawBufferPointer, isWhole: Bool) {
    frameCount += 1
    guard isWhole else {
      if firstBad == nil {
        firstBad = frameCount
        isFirstBadOurs = frame.count >= 16 && hasSalts(frame)
      }
      return
    }
    // Frames of an earlier log, which this one overwrites, have other salts.
    let isOurs = hasSalts(frame)
    let stated = Checksum(first: Self.word(frame, 16), second: Self.word(frame, 20))
    guard firstBad == nil || isOurs else {
      checksum = stated
      return
    }
    checksum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
    checksum.add(
      UnsafeRawBufferPointer(rebasing: frame[Self.frameHeaderLength...]), isBigEndian: isBigEndian)
    let fits = isOurs && checksum == stated && Self.word(frame, 0) != 0
    checksum = stated
    if let firstBad {
      // A frame with a correct checksum was written after it, so it was correct once.
      if fits, Self.word(frame, 4) != 0, frameCount > firstBad {
        lastLost = frameCount
        lostSaveCount += 1
      }
    } else if !fits {
      firstBad = frameCount
      isFirstBadOurs = isOurs
    } else if Self.word(frame, 4) != 0 {
      lastCommit = frameCount
    }
  }

  private func hasSalts(_ frame: UnsafeRawBufferPointer) -> Bool {
    frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == salts
  }

  private var condition: LogCondition {
    guard let firstBad else { return .whole(frameCount: frameCount) }
    if let lastLost {
      return .broken(
        frame: firstBad, lostFrameCount: lastLost - firstBad + 1, lostSaveCount: lostSaveCount)
    }
    return isFirstBadOurs ? .unfinished(frame: firstBad) : .whole(frameCount: firstBad - 1)
  }
}
