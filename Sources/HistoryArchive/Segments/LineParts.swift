/// Takes the line of a transaction apart: its head, and then one change after the other.
///
/// A line may be longer than memory: its text comes in pieces, and only the part that is asked for is
/// kept. What is longer than a limit is refused.
struct LineParts {
  /// Why a text is not the line of a transaction.
  struct Problem: Error, Hashable {
    let detail: String
  }

  /// What the array of changes, the last of a line's members, begins with.
  private static let opening = Array("\"changes\":[".utf8)
  /// More members and elements than the head of a line, or a change, has: each takes many times the
  /// memory of its text.
  private static let mostElements = 1 << 16
  /// How much text there can be behind the changes: their bracket, that of the line, the line end.
  private static let longestEnd = 3

  private var text: ArraySlice<UInt8>
  private var isInChanges = false
  private let partLimit: Int

  /// Begins with the first piece of a line.
  ///
  /// - Parameter partLimit: The most text that a part may have, in bytes.
  init(_ piece: ArraySlice<UInt8>, partLimit: Int = ArchiveFormat.partLimit) {
    text = piece
    self.partLimit = partLimit
  }

  /// Takes the head, up to the bracket of the changes, and closes it, so that it is a line without
  /// changes.
  ///
  /// - Parameter more: Gives the next piece of the line; `nil` after the last one.
  mutating func takeHead<Failure: Error>(
    _ more: () throws(Failure) -> ArraySlice<UInt8>?
  ) throws -> [UInt8] {
    var scan = Scan()
    while !text.withUnsafeBufferPointer({ scan.findChanges($0, Self.opening) }) {
      try scan.check(atMost: Self.mostElements)
      try add(more)
    }
    try scan.check(atMost: Self.mostElements)
    var head: [UInt8] = []
    head.reserveCapacity(scan.place + 2)
    head += text.prefix(scan.place)
    head += "]}".utf8
    // A slice would keep the whole head in memory.
    text = Array(text.dropFirst(scan.place))[...]
    isInChanges = true
    return head
  }

  /// Takes the next change and lends its text; `nil` after the last one.
  mutating func takeChange<Failure: Error, Result>(
    _ more: () throws(Failure) -> ArraySlice<UInt8>?,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result? {
    guard isInChanges else { return nil }
    while text.isEmpty { try add(more) }
    if text.first == UInt8(ascii: "]") {
      try finish(more)
      return nil
    }
    var scan = Scan()
    while !text.withUnsafeBufferPointer({ scan.findEndOfValue($0) }) {
      try scan.check(atMost: Self.mostElements)
      try add(more)
    }
    try scan.check(atMost: Self.mostElements)
    let result = try text.withUnsafeBufferPointer {
      try body(UnsafeBufferPointer(rebasing: $0[..<scan.place]))
    }
    text = text.dropFirst(scan.place)
    while text.isEmpty { try add(more) }
    switch text.first {
    case UInt8(ascii: ","):
      text = text.dropFirst()
      while text.isEmpty { try add(more) }
      guard text.first == UInt8(ascii: "{") else {
        throw Problem(detail: "a comma is followed by no change")
      }
    case UInt8(ascii: "]"): break
    default: throw Problem(detail: "two changes are not separated by a comma")
    }
    return result
  }

  /// Takes the next change where that is one which the closure knows; nil where it is not.
  ///
  /// - Parameter body: Gives what the text begins with, and how many bytes that has.
  @inline(__always)
  mutating func takeKnownChange<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) -> (Result, Int)?
  ) -> Result? {
    guard isInChanges else { return nil }
    let found = text.withUnsafeBufferPointer { text -> (Result, Int)? in
      guard let (result, length) = body(text), length + 1 < text.count else { return nil }
      switch text[length] {
      case UInt8(ascii: ",") where text[length + 1] == UInt8(ascii: "{"):
        return (result, length + 1)
      case UInt8(ascii: "]"): return (result, length)
      default: return nil
      }
    }
    guard let (result, end) = found else { return nil }
    text = text.dropFirst(end)
    return result
  }

  /// Checks that nothing stands behind the changes.
  private mutating func finish<Failure: Error>(
    _ more: () throws(Failure) -> ArraySlice<UInt8>?
  ) throws {
    isInChanges = false
    while text.count <= Self.longestEnd, let piece = try more() { text.append(contentsOf: piece) }
    guard text.elementsEqual("]}".utf8) || text.elementsEqual("]}\n".utf8) else {
      throw Problem(detail: "it does not end with its changes")
    }
  }

  private mutating func add<Failure: Error>(
    _ more: () throws(Failure) -> ArraySlice<UInt8>?
  ) throws {
    guard let piece = try more() else {
      throw Problem(detail: "the line ends too early, or has no changes")
    }
    guard text.count + piece.count <= partLimit else {
      throw Problem(detail: "a part of the line is longer than \(partLimit >> 20) MiB")
    }
    text.append(contentsOf: piece)
  }

  /// How far a text has been looked at, so that it is not looked at again when more of it is there.
  private struct Scan {
    var place = 0
    private var depth = 0
    private var isInString = false
    private var elementCount = 0

    /// Refuses what has too many members and elements.
    func check(atMost limit: Int) throws(Problem) {
      guard elementCount <= limit else {
        throw Problem(detail: "a part of the line has more than \(limit) members and elements")
      }
    }

    /// Goes behind the opening of the changes; false where more text is needed.
    mutating func findChanges(_ text: UnsafeBufferPointer<UInt8>, _ opening: [UInt8]) -> Bool {
      while place < text.count {
        if !isInString, depth == 1, text[place] == opening[0] {
          // It may be cut off in the middle.
          guard place + opening.count <= text.count else { return false }
          if text[place..<place + opening.count].elementsEqual(opening) {
            place += opening.count
            return true
          }
        }
        step(text[place])
      }
      return false
    }

    /// Goes behind one object; false where more text is needed.
    mutating func findEndOfValue(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
      while place < text.count {
        let byte = text[place]
        step(byte)
        // Whatever it is that is no object, the parser will say so.
        if depth <= 0, !isInString { return true }
      }
      return false
    }

    @inline(__always)
    private mutating func step(_ byte: UInt8) {
      place += 1
      if isInString {
        switch byte {
        case UInt8(ascii: "\\"): place += 1
        case UInt8(ascii: "\""): isInString = false
        default: break
        }
        return
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: ","): elementCount += 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        elementCount += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
  }
}
