/// The first bytes of a write-ahead log.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.
struct LogHeader {
  static let length = 32
  /// The length of the header of each frame, in bytes.
  static let frameLength = 24

  /// The length of a page in bytes.
  let pageSize: Int
  /// Whether checksums are those of big-endian words.
  let isBigEndian: Bool
  /// The salts of the log, as they are in the file; each restart of the log changes them.
  let salts: UInt64
  /// The checksum up to the first frame.
  let checksum: Checksum

  /// Why SQLite ignores a log.
  struct Problem: Error {
    let text: String
  }

  /// Reads the header from the first ``length`` bytes of a log.
  init(_ bytes: [UInt8]) throws(Problem) {
    let word = { (place: Int) in bytes.withUnsafeBytes { $0.logWord(at: place) } }
    guard bytes.count == Self.length, word(0) & ~1 == 0x377f_0682 else {
      throw Problem(text: "it does not begin like a write-ahead log")
    }
    guard word(4) == 3_007_000 else {
      throw Problem(text: "it has an unknown version, \(word(4))")
    }
    let isBigEndian = word(0) & 1 == 1
    var checksum = Checksum()
    bytes.withUnsafeBytes {
      checksum.add(UnsafeRawBufferPointer(rebasing: $0[..<24]), isBigEndian: isBigEndian)
    }
    guard checksum == Checksum(first: word(24), second: word(28)) else {
      throw Problem(text: "its first bytes do not fit their checksum")
    }
    let size = Int(word(8))
    guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else {
      throw Problem(text: "its pages have \(size) bytes, which no page has")
    }
    (pageSize, self.isBigEndian, self.checksum) = (size, isBigEndian, checksum)
    salts = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }
  }

  /// Returns whether a frame has the salts of this log; one of an earlier log, which this one overwrites, has
  /// others.
  func isOwner(of frame: UnsafeRawBufferPointer) -> Bool {
    frame.count >= 16 && frame.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == salts
  }

  /// The two running sums.
  struct Checksum: Equatable {
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
}

extension UnsafeRawBufferPointer {
  /// Returns a number in the header of a log or of a frame.
  func logWord(at place: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }
}
