import HistoryCoding
import Libc
import StoreFormat

/// Compares lines, piece by piece, with a text that may have more members in each change: old and new values,
/// which may no longer be known.
struct LineComparison {
  private static let values = Array(",\"\(LineKey.values.name)\":".utf8)
  private static let valuesFrom = Array(
    ",\"\(LineKey.valuesFrom.name)\":\"\(ValueSource.log.rawValue)\"".utf8)

  private let skipsValues: Bool
  private let next: () throws -> [UInt8]?
  /// The text that was read and is not compared yet.
  private var piece: [UInt8] = []
  private var place = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - skipsValues: Whether the text may have old and new values that the lines do not have.
  ///   - next: Returns the next piece of the text, or `nil` at its end.
  init(skipsValues: Bool, _ next: @escaping () throws -> [UInt8]?) {
    self.skipsValues = skipsValues
    self.next = next
  }

  /// Compares the next piece of the lines; returns whether the text has it.
  ///
  /// - Throws: What the source of the text throws.
  mutating func matches(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    var start = 0
    while start < bytes.count {
      guard try hasByte() else { return false }
      let count = min(bytes.count - start, piece.count - place)
      let same = piece.withUnsafeBytes { piece -> Int in
        if let left = bytes.baseAddress, let right = piece.baseAddress,
          memcmp(left + start, right + place, count) == 0
        {
          return count
        }
        var same = 0
        while same < count, bytes[start &+ same] == piece[place &+ same] { same &+= 1 }
        return same
      }
      start += same
      place += same
      guard same < count else { continue }
      guard skipsValues, try skipValues(before: bytes[start]) else { return false }
    }
    return true
  }

  /// Returns whether the text has nothing more.
  mutating func isFinished() throws -> Bool { try !hasByte() }

  private mutating func hasByte() throws -> Bool {
    while place == piece.count, !isAtEnd {
      piece = try next() ?? []
      place = 0
      isAtEnd = piece.isEmpty
    }
    return place < piece.count
  }

  /// Makes a number of bytes available, if the text has them.
  private mutating func read(ahead count: Int) throws {
    while piece.count - place < count, !isAtEnd {
      let more = try next() ?? []
      isAtEnd = more.isEmpty
      piece = Array(piece[place...]) + more
      place = 0
    }
  }

  /// Skips a key if the text continues with it.
  private mutating func skip(_ key: some Collection<UInt8>) throws -> Bool {
    try read(ahead: key.count)
    guard piece[place...].starts(with: key) else { return false }
    place += key.count
    return true
  }

  /// Skips the values of a change.
  ///
  /// - Parameter byte: The next byte of the lines: the end of the change, or the first letter of the next key,
  ///   whose `,"` was compared with that of the values.
  private mutating func skipValues(before byte: UInt8) throws -> Bool {
    let isInKey = byte != UInt8(ascii: "}")
    guard try skip(Self.values.dropFirst(isInKey ? 2 : 0)), try skipValue() else { return false }
    _ = try skip(Self.valuesFrom)
    return try !isInKey || skip(Self.values.prefix(2))
  }

  /// Skips an object or a string.
  private mutating func skipValue() throws -> Bool {
    var depth = 0
    var isInString = false
    repeat {
      guard try hasByte() else { return false }
      switch piece[place] {
      case UInt8(ascii: "\\") where isInString:
        place += 1
        guard try hasByte() else { return false }
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{") where !isInString: depth += 1
      case UInt8(ascii: "}") where !isInString: depth -= 1
      default: break
      }
      place += 1
    } while depth > 0 || isInString
    return true
  }
}
