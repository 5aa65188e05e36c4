import CSQLiteSupport
import DurableFiles
import GRDBSQLite
import SystemPackage

/// Reads a write-ahead log and compares it with its checksums.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
struct LogScan {
  /// The maximum number of attempts if another process writes meanwhile.
  private static let attempts = 3
  /// The bytes that are read at a time, approximately.
  private static let chunkLength = 1 << 20

  /// Returns the condition of a log; another process may write to it meanwhile.
  static func condition(ofLogAt path: String, pageSize: Int?) throws -> LogCondition {
    for _ in 0..<attempts {
      let before = try FileStatus(path: path)
      guard let before, before.size > 0 else { return .empty }
      let condition = try look(path, size: before.size, pageSize: pageSize)
      // What is whole stays so, whatever is appended. Reading it again while a program saves faster than this reads
      // would not end.
      if case .whole = condition { return condition }
      if try FileStatus(path: path) == before { return condition }
      // A program is writing this save now.
      if case .unfinished(let frame, .uncommitted(let count)) = condition {
        return .whole(frameCount: frame - 1 + count)
      }
    }
    return .changing
  }

  private static func look(_ path: String, size: Int64, pageSize: Int?) throws -> LogCondition {
    let file = try ReadableFile(FilePath(path))
    let bytes = try file.readPrefix(LogHeader.length)
    // The writer crashed, or the disk was full, before the first frame.
    guard bytes.count == LogHeader.length else { return .unfinished(frame: 1, .cutFrame) }
    let header: LogHeader
    do {
      header = try LogHeader(bytes)
    } catch {
      return .unusable(reason: error.text)
    }
    if let pageSize, pageSize != header.pageSize {
      return .unusable(
        reason: "its pages have \(header.pageSize) bytes, those of the store \(pageSize)")
    }
    var scan = LogScan(header)
    try scan.takeFrames(upTo: size) { try file.fill($0, from: $1) }
    return scan.condition
  }

  /// Returns whether SQLite reads a log, by its first bytes.
  static func isUsable(logAt path: String) throws -> Bool {
    let bytes = try ReadableFile(FilePath(path)).readPrefix(LogHeader.length)
    return (try? LogHeader(bytes)) != nil
  }

  /// Returns the last commit of a log that nobody writes to meanwhile; `nil` if SQLite would ignore the log.
  static func end(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> (frameCount: UInt32, salts: UInt64)? {
    let size = csqlite_size(file)
    var bytes = [UInt8](repeating: 0, count: LogHeader.length)
    guard size >= bytes.count, csqlite_read(file, &bytes, CInt(bytes.count), 0) == SQLITE_OK,
      let header = try? LogHeader(bytes)
    else { return nil }
    var scan = LogScan(header)
    scan.takeFrames(upTo: size) { buffer, place in
      let count = Int(min(Int64(buffer.count), size - place))
      let result = csqlite_read(file, buffer.baseAddress, CInt(count), place)
      return result == SQLITE_OK ? count : 0
    }
    return UInt32(exactly: scan.lastCommit).map { ($0, header.salts) }
  }

  private mutating func takeFrames(
    upTo size: Int64, _ fill: (UnsafeMutableRawBufferPointer, Int64) throws -> Int
  ) rethrows {
    let frameLength = LogHeader.frameLength + header.pageSize
    let chunk = max(1, Self.chunkLength / frameLength)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: chunk * frameLength, alignment: 16)
    defer { buffer.deallocate() }
    var place = Int64(LogHeader.length)
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

  // MARK: - The frames

  private let header: LogHeader
  /// The checksum stated in the frame before.
  private var checksum: LogHeader.Checksum
  private var frameCount = 0
  /// The last frame before any with a wrong checksum that ends a commit.
  private var lastCommit = 0
  /// The first frame with a wrong checksum, counted from 1.
  private var firstBad: Int?
  /// Whether that frame has the salts of this log, not of an earlier one.
  private var isFirstBadOurs = false
  /// Whether the file ends in the middle of that frame.
  private var isFirstBadCut = false
  /// The number of frames after it that have the salts of this log.
  private var followingCount = 0
  /// The last frame after it that ends a save.
  private var lastLost: Int?
  /// The number of frames after it that end a save.
  private var lostSaveCount = 0

  private init(_ header: LogHeader) {
    self.header = header
    checksum = header.checksum
  }

  private mutating func take(_ frame: UnsafeRawBufferPointer, isWhole: Bool) {
    frameCount += 1
    guard isWhole else {
      if firstBad == nil {
        firstBad = frameCount
        isFirstBadOurs = header.isOwner(of: frame)
        isFirstBadCut = true
      }
      return
    }
    let isOurs = header.isOwner(of: frame)
    let stated = LogHeader.Checksum(
      first: frame.logWord(at: 16), second: frame.logWord(at: 20))
    guard firstBad == nil || isOurs else {
      checksum = stated
      return
    }
    checksum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: header.isBigEndian)
    checksum.add(
      UnsafeRawBufferPointer(rebasing: frame[LogHeader.frameLength...]),
      isBigEndian: header.isBigEndian)
    let fits = isOurs && checksum == stated && frame.logWord(at: 0) != 0
    checksum = stated
    if let firstBad {
      followingCount += 1
      // A frame with a correct checksum was written after it, so it was correct once.
      if fits, frame.logWord(at: 4) != 0, frameCount > firstBad {
        lastLost = frameCount
        lostSaveCount += 1
      }
    } else if !fits {
      firstBad = frameCount
      isFirstBadOurs = isOurs
    } else if frame.logWord(at: 4) != 0 {
      lastCommit = frameCount
    }
  }

  private var condition: LogCondition {
    if let firstBad, let lastLost {
      return .broken(
        frame: firstBad, lostFrameCount: lastLost - firstBad + 1, lostSaveCount: lostSaveCount)
    }
    if let firstBad, isFirstBadOurs {
      return .unfinished(frame: firstBad, isFirstBadCut ? .cutFrame : .wrongChecksum)
    }
    if let firstBad, followingCount > 0 {
      return .unfinished(frame: firstBad, .foreignFrame(followingCount: followingCount))
    }
    let whole = firstBad.map { $0 - 1 } ?? frameCount
    return whole > lastCommit
      ? .unfinished(frame: lastCommit + 1, .uncommitted(frameCount: whole - lastCommit))
      : .whole(frameCount: whole)
  }
}
