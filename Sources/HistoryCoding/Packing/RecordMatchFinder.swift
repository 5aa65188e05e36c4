import CZstd

/// Finds what the text of records repeats of earlier records, for zstd to write as matches.
///
/// Records that a program writes are the same pieces over and over, with numbers between them. So a
/// match is looked for where a number ends: once for the whole piece up to the next number, by a hash
/// of all of it, rather than for every few bytes. That takes two thirds of the time of zstd's fastest
/// search; and as whole pieces match in one, there are half as many matches to write, and the text
/// becomes a fifth smaller. A piece that was not there before (a title, a note) is searched byte by
/// byte, and what looks like one long number or begins like a UUID where it begins.
///
/// Whatever the text is, each match is compared byte by byte, and the time grows with its length only.
struct RecordMatchFinder: ~Copyable {
  /// The longest text whose matches can be told, in bytes.
  static let longestText = 1 << windowLog
  /// The base-2 logarithm of how far back a match may be.
  static let windowLog: CInt = 23

  /// No block of a frame is longer (RFC 8878, section 3.1.1.2.3), and no match goes from one into
  /// the next.
  private static let blockLength = 128 << 10
  /// What is shorter is written as it is; also what a match at the end of a block leaves.
  fileprivate static let shortestMatch = 6
  private static let shortestBlock = 64
  /// Behind so many bytes a piece is no longer taken as a whole.
  fileprivate static let longestPiece = 512
  fileprivate static let tableLog: UInt64 = 13
  private static let tableLength = 1 << tableLog
  /// Odd, with bits all over: what is multiplied with it spreads into the upper bits.
  fileprivate static let spread: UInt64 = 0x9E37_79B1_85EB_CA87

  /// Where a piece last stood, by its hash, counted from 1.
  private let pieces: UnsafeMutablePointer<UInt32>
  /// Where bytes last stood that were looked for one by one, by the hash of the first seven.
  private let beginnings: UnsafeMutablePointer<UInt32>
  private var sequences: UnsafeMutableBufferPointer<ZSTD_Sequence>

  init() {
    pieces = .allocate(capacity: Self.tableLength)
    beginnings = .allocate(capacity: Self.tableLength)
    sequences = .allocate(capacity: 0)
  }

  deinit {
    pieces.deallocate()
    beginnings.deallocate()
    sequences.deallocate()
  }

  /// Lends the matches of a text and what stands before each, as sequences in which each block ends
  /// with one that has no match.
  ///
  /// - Parameter text: Not longer than ``longestText``.
  mutating func withSequences<Result>(
    of text: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<ZSTD_Sequence>) -> Result
  ) -> Result {
    let blockCount = text.count / Self.blockLength + 1
    let most = text.count / Self.shortestMatch + blockCount
    if sequences.count < most {
      sequences.deallocate()
      sequences = .allocate(capacity: most)
    }
    pieces.initialize(repeating: 0, count: Self.tableLength)
    beginnings.initialize(repeating: 0, count: Self.tableLength)
    var count = 0
    if let base = text.baseAddress {
      var start = 0
      while start < text.count {
        let end = min(start + Self.blockLength, text.count)
        var block = Block(base: base, start: start, end: end, sequences: sequences, count: count)
        if end - start >= Self.shortestBlock { block.find(pieces, beginnings) }
        count = block.finish()
        start = end
      }
    }
    return body(UnsafeBufferPointer(rebasing: sequences[..<count]))
  }
}

extension RecordMatchFinder {
  /// The search in one block.
  private struct Block {
    private let base: UnsafeRawPointer
    private let end: Int
    /// No search begins behind it, since it reads words of eight bytes.
    private let limit: Int
    private let sequences: UnsafeMutableBufferPointer<ZSTD_Sequence>
    private var count: Int
    /// Where the search is.
    private var place: Int
    /// Where the text begins that is in no match.
    private var rest: Int

    init(
      base: UnsafeRawPointer, start: Int, end: Int,
      sequences: UnsafeMutableBufferPointer<ZSTD_Sequence>, count: Int
    ) {
      self.base = base
      self.end = end
      limit = end - 16
      self.sequences = sequences
      self.count = count
      place = start
      rest = start
    }

    /// Looks for matches from the block's start to its end.
    mutating func find(
      _ pieces: UnsafeMutablePointer<UInt32>, _ beginnings: UnsafeMutablePointer<UInt32>
    ) {
      while place < limit {
        let number = place
        let digits = Self.digits(word(place))
        guard digits != Self.allDigits else {
          if !takeBeginning(at: place, beginnings) { place &+= 8 }
          continue
        }
        place &+= (~digits & Self.allDigits).trailingZeroBitCount &>> 3
        guard place < limit else { return }
        let piece = pieceFromHere()
        if piece.end &- place < shortestMatch {
          // A number with a letter right behind it is a part of a UUID, of bytes or the like, which may
          // come again; other numbers with so little between them are those of dates.
          if !isLetter(at: place) || !takeBeginning(at: number, beginnings) { place = piece.end }
        } else if !takePiece(piece.hash, pieces) {
          searchEach(before: min(piece.end, limit), beginnings)
        }
      }
    }

    /// Ends the block with the text that is in no match, and gives how many sequences there are now.
    consuming func finish() -> Int {
      sequences.initializeElement(
        at: count,
        to: ZSTD_Sequence(
          offset: 0, litLength: UInt32(truncatingIfNeeded: end &- rest), matchLength: 0, rep: 0))
      return count &+ 1
    }

    /// Takes the match with the last piece that had the hash of this one; false where there is none.
    @inline(__always)
    private mutating func takePiece(
      _ hash: UInt64, _ pieces: UnsafeMutablePointer<UInt32>
    ) -> Bool {
      let slot = pieces + Int(truncatingIfNeeded: hash &>> (64 &- tableLog))
      let recent = Int(slot.pointee) &- 1
      slot.pointee = UInt32(truncatingIfNeeded: place &+ 1)
      guard recent >= 0 else { return false }
      let length = matchLength(recent, place)
      guard length >= shortestMatch else { return false }
      add(recent, place, length)
      return true
    }

    /// Takes a match of at least seven bytes that begins exactly here; false where there is none.
    @inline(__always)
    private mutating func takeBeginning(
      at start: Int, _ beginnings: UnsafeMutablePointer<UInt32>
    ) -> Bool {
      let first = word(start) &<< 8
      let slot = beginnings + Int(truncatingIfNeeded: (first &* spread) &>> (64 &- tableLog))
      let recent = Int(slot.pointee) &- 1
      slot.pointee = UInt32(truncatingIfNeeded: start &+ 1)
      guard recent >= 0, word(recent) &<< 8 == first else { return false }
      add(recent, start, matchLength(recent, start))
      return true
    }

    /// Looks for matches byte by byte; the longer there is none, the larger are the steps.
    @inline(__always)
    private mutating func searchEach(
      before stop: Int, _ beginnings: UnsafeMutablePointer<UInt32>
    ) {
      while place < stop {
        if !takeBeginning(at: place, beginnings) { place &+= 1 &+ (place &- rest) &>> 7 }
      }
    }

    /// Adds a match, with the bytes before it that are the same as well.
    @inline(__always)
    private mutating func add(_ earlier: Int, _ start: Int, _ length: Int) {
      var (earlier, first) = (earlier, start)
      while first > rest, earlier > 0,
        base.load(fromByteOffset: first &- 1, as: UInt8.self)
          == base.load(fromByteOffset: earlier &- 1, as: UInt8.self)
      {
        first &-= 1
        earlier &-= 1
      }
      place = start &+ length
      sequences.initializeElement(
        at: count,
        to: ZSTD_Sequence(
          offset: UInt32(truncatingIfNeeded: first &- earlier),
          litLength: UInt32(truncatingIfNeeded: first &- rest),
          matchLength: UInt32(truncatingIfNeeded: place &- first), rep: 0))
      count &+= 1
      rest = place
    }

    /// Whether a letter of ASCII is there, or one of the few other characters beside the letters.
    @inline(__always)
    private func isLetter(at place: Int) -> Bool {
      base.load(fromByteOffset: place, as: UInt8.self) &>> 6 == 1
    }

    /// How far two places have the same bytes.
    @inline(__always)
    private func matchLength(_ earlier: Int, _ start: Int) -> Int {
      var place = start
      let distance = start &- earlier
      while place &+ 8 <= end {
        let difference = word(place) ^ word(place &- distance)
        if difference != 0 { return place &- start &+ difference.trailingZeroBitCount &>> 3 }
        place &+= 8
      }
      while place < end,
        base.load(fromByteOffset: place, as: UInt8.self)
          == base.load(fromByteOffset: place &- distance, as: UInt8.self)
      {
        place &+= 1
      }
      return place &- start
    }

    /// The end of the piece that begins here, and a hash of it; not beyond the last place to search.
    @inline(__always)
    private func pieceFromHere() -> (end: Int, hash: UInt64) {
      var place = place
      var hash: UInt64 = 0
      let stop = min(limit, place &+ longestPiece)
      repeat {
        let word = word(place)
        let digits = Self.digits(word)
        if digits != 0 {
          let count = digits.trailingZeroBitCount &>> 3
          // Only the bytes before the digit, of which there may be none.
          let piece = (word &<< 1) &<< UInt64(truncatingIfNeeded: 63 &- 8 &* count)
          return (place &+ count, (hash ^ piece) &* spread)
        }
        hash = ((hash &<< 5 | hash &>> 59) ^ word) &* spread
        place &+= 8
      } while place < stop
      return (place, hash)
    }

    @inline(__always)
    private func word(_ place: Int) -> UInt64 {
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    private static var allDigits: UInt64 { 0x8080_8080_8080_8080 }

    /// The highest bit of each byte of a word that is a decimal digit.
    @inline(__always)
    private static func digits(_ word: UInt64) -> UInt64 {
      let values = word ^ 0x3030_3030_3030_3030
      let others = ((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | values
      return ~others & allDigits
    }
  }
}
