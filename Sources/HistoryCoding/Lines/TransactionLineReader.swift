import PersistentHistory

/// Reads the line of one transaction: its own members, and then one change after the other.
///
/// A line may be longer than memory: its text comes in pieces, and only the part that is being read is
/// kept. Parts longer than a limit are rejected. The changes must be the last member.
package struct TransactionLineReader {
  /// The maximum text of one change, or of the part of a line before its changes, in bytes.
  package static let partLimit = 32 << 20
  /// The size of text that was read above which it is released, in bytes.
  private static let maxReadText = 1 << 20
  /// Errors this close to the end of the text may be due to the end.
  private static let longestToken = 16

  private enum Place {
    case head, firstChange, nextChange, end
  }

  private let decoder: TransactionLineDecoder
  private var text: ArraySlice<UInt8>
  /// How much of the text has been read.
  private var position = 0
  private var place = Place.head

  /// Creates a reader that begins with the first piece of a line.
  package init(_ piece: ArraySlice<UInt8>, _ decoder: TransactionLineDecoder) {
    text = piece
    self.decoder = decoder
  }

  /// Reads the line up to its changes.
  ///
  /// - Parameter more: Returns the next piece of the line; `nil` after the last one.
  /// - Throws: ``LineError``, and what `more` throws.
  package mutating func readHead(_ more: () throws -> ArraySlice<UInt8>?) throws -> HistoryLine {
    let decoder = decoder
    let line = try read(more) { try decoder.decodeHead(&$0) }
    guard case .gap = line else {
      place = .firstChange
      return line
    }
    try readEnd(more)
    return line
  }

  /// Reads the next change; `nil` after the last one.
  ///
  /// - Parameter more: Returns the next piece of the line; `nil` after the last one.
  /// - Throws: ``LineError``, and what `more` throws.
  package mutating func readChange(
    _ more: () throws -> ArraySlice<UInt8>?
  ) throws -> HistoryChange? {
    guard place == .firstChange || place == .nextChange else { return nil }
    let (decoder, isFirst) = (decoder, place == .firstChange)
    let change = try read(more) { parser -> HistoryChange? in
      let isAtEnd =
        try isFirst
        ? parser.take(UInt8(ascii: "]")) : !parser.hasNext(in: JSONParser.array)
      return isAtEnd ? nil : try decoder.decodeChange(&parser)
    }
    place = .nextChange
    if change == nil {
      try read(more) { parser in
        guard parser.take(UInt8(ascii: "}")) else {
          throw parser.error("the line does not end after its changes")
        }
      }
      try readEnd(more)
    }
    return change
  }

  /// Checks that only blanks follow.
  private mutating func readEnd(_ more: () throws -> ArraySlice<UInt8>?) throws {
    place = .end
    repeat {
      try read({ nil }) { try $0.expectEnd() }
    } while try grow(more)
  }

  private mutating func read<Result>(
    _ more: () throws -> ArraySlice<UInt8>?,
    _ body: (inout JSONParser) throws -> Result
  ) throws -> Result {
    while true {
      do {
        var end = position
        let result = try text.withUnsafeBufferPointer { text in
          var parser = JSONParser(text, at: position)
          defer { end = parser.position }
          return try body(&parser)
        }
        position = end
        releaseReadText()
        return result
      } catch let error as JSONError {
        guard error.offset + Self.longestToken > text.count, try grow(more) else {
          throw LineError.malformed(error)
        }
      }
    }
  }

  /// Releases a large part of the text that was read, if less is left: its values are copies.
  private mutating func releaseReadText() {
    guard position > Self.maxReadText, position > text.count / 2 else { return }
    text = Array(text.dropFirst(position))[...]
    position = 0
  }

  /// At least doubles the text, so that reading from its start again costs little; returns `false` if
  /// there is no more.
  private mutating func grow(_ more: () throws -> ArraySlice<UInt8>?) throws -> Bool {
    text = text.dropFirst(position)
    position = 0
    let wanted = text.count
    var added = 0
    repeat {
      guard let piece = try more() else { break }
      guard text.count + piece.count <= Self.partLimit else {
        throw LineError.tooLarge(limit: Self.partLimit)
      }
      text.append(contentsOf: piece)
      added += piece.count
    } while added < wanted
    return added > 0
  }
}
