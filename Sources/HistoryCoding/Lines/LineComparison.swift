import Libc
import StoreFormat

/// Compares lines, piece by piece, with a text that may have more members in each change: old and new values,
/// which may no longer be known, and the state of its object when the text was written.
package struct LineComparison {
  /// Members that the text may have and the lines do not.
  package struct Extras: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The members `values` and `valuesFrom`, after those that describe the change.
    package static let values = Extras(rawValue: 1)
    /// The member `current` or `currentRaw`, which is the last one.
    package static let presentObjects = Extras(rawValue: 2)
  }

  private static let values = Array(",\"\(LineKey.values.name)\":".utf8)
  private static let valuesFrom = Array(
    ",\"\(LineKey.valuesFrom.name)\":\"\(ValueSource.log.rawValue)\"".utf8)
  private static let presentObjects = ["current", "currentRaw"].flatMap { name in
    [",", ""].map { Array("\($0)\"\(name)\":".utf8) }
  }

  private let extras: Extras
  private let next: () throws -> [UInt8]?
  /// The text that was read and is not compared yet.
  private var piece: [UInt8] = []
  private var place = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - extras: What to skip.
  ///   - next: Returns the next piece of the text, or `nil` at its end.
  package init(skipping extras: Extras, _ next: @escaping () throws -> [UInt8]?) {
    self.extras = extras
    self.next = next
  }

  /// Compares the next piece of the lines; returns whether the text has it.
  ///
  /// - Throws: What the source of the text throws.
  package mutating func matches(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
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
      if extras.contains(.values), try skipValues(before: bytes[start]) { continue }
      guard extras.contains(.presentObjects), bytes[start] == UInt8(ascii: "}"),
        let key = try key(of: Self.presentObjects)
      else { return false }
      place += key.count
      guard try skipValue() else { return false }
    }
    return true
  }

  /// Returns whether the text has nothing more.
  package mutating func isFinished() throws -> Bool { try !hasByte() }

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

  private mutating func key(of keys: [[UInt8]]) throws -> [UInt8]? {
    try read(ahead: keys.map(\.count).max() ?? 0)
    return keys.first { piece[place...].starts(with: $0) }
  }

  /// Skips the values of a change.
  ///
  /// - Parameter byte: The next byte of the lines: the end of the change, or the first letter of the next key,
  ///   whose `,"` was compared with that of the values.
  private mutating func skipValues(before byte: UInt8) throws -> Bool {
    let isInKey = byte != UInt8(ascii: "}")
    let key = isInKey ? Array(Self.values.dropFirst(2)) : Self.values
    guard try self.key(of: [key]) != nil else { return false }
    place += key.count
    guard try skipValue() else { return false }
    if try self.key(of: [Self.valuesFrom]) != nil { place += Self.valuesFrom.count }
    guard isInKey else { return true }
    guard try self.key(of: [Array(Self.values.prefix(2))]) != nil else { return false }
    place += 2
    return true
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
