/// The bytes of a write-ahead log: <https://www.sqlite.org/fileformat2.html#walformat>.
struct LogImage {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns where a log begins in the bytes of a store and its log.
  static func start(in bytes: [UInt8]) -> Int? {
    let beginning: [UInt8] = [0x37, 0x7f, 0x06]
    return bytes.indices.dropLast(3).first {
      bytes[$0] == beginning[0] && bytes[$0..<$0 + 3].elementsEqual(beginning)
        && bytes[$0 + 3] & 0xFE == 0x82
    }
  }

  /// Gives the header and each frame the right salts and checksums.
  mutating func repair() {
    guard bytes.count >= 32, case let pageSize = Int(word(8)), (512...65_536).contains(pageSize)
    else { return }
    var (first, second) = sum(0..<24, (0, 0))
    set(24, first)
    set(28, second)
    for frame in stride(from: 32, through: bytes.count - 24 - pageSize, by: 24 + pageSize) {
      set(frame + 8, word(16))
      set(frame + 12, word(20))
      (first, second) = sum(frame..<frame + 8, (first, second))
      (first, second) = sum(frame + 24..<frame + 24 + pageSize, (first, second))
      set(frame + 16, first)
      set(frame + 20, second)
    }
  }

  private func sum(_ range: Range<Int>, _ sums: (UInt32, UInt32)) -> (UInt32, UInt32) {
    let isBigEndian = bytes[3] & 1 == 1
    var (first, second) = sums
    for place in stride(from: range.lowerBound, to: range.upperBound - 7, by: 8) {
      let (left, right) = (word(place), word(place + 4))
      first &+= (isBigEndian ? left : left.byteSwapped) &+ second
      second &+= (isBigEndian ? right : right.byteSwapped) &+ first
    }
    return (first, second)
  }

  private func word(_ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func set(_ place: Int, _ word: UInt32) {
    for index in 0..<4 {
      bytes[place + index] = UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32(index)))
    }
  }
}
