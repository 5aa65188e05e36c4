import HistoryCoding

/// Divides a text into lines; one that is longer than ``longestWhole`` comes in pieces.
final class LineInput {
  /// How many bytes a line has at most that comes in one piece.
  static let longestWhole = 1 << 20

  /// The number of the current line, from 1.
  private(set) var number = 0
  /// Whether the current line has come to its end.
  private(set) var isWhole = true
  private let text: ExportedText
  private var piece: ArraySlice<UInt8> = []

  init(_ text: ExportedText) { self.text = text }

  /// The next line without its end, or the beginning of a long one; `nil` after the last one.
  ///
  /// What is left of a line is passed over.
  func next() throws(ArchiveError) -> ArraySlice<UInt8>? {
    while try more() != nil {}
    guard try fill() else { return nil }
    number += 1
    isWhole = false
    var line = take()
    while !isWhole, line.count < Self.longestWhole {
      guard try fill() else {
        isWhole = true
        break
      }
      line += take()
    }
    return line
  }

  /// The next piece of a long line; nil at its end.
  func more() throws(ArchiveError) -> ArraySlice<UInt8>? {
    guard !isWhole else { return nil }
    guard try fill() else {
      isWhole = true
      return nil
    }
    return take()
  }

  /// Sees that there is text; false at its end.
  private func fill() throws(ArchiveError) -> Bool {
    while piece.isEmpty {
      guard let next = try text.next() else { return false }
      piece = next[...]
    }
    return true
  }

  /// Takes what there is of the current line.
  private func take() -> ArraySlice<UInt8> {
    guard let end = piece.firstIndex(of: UInt8(ascii: "\n")) else {
      defer { piece = [] }
      return piece
    }
    isWhole = true
    defer { piece = piece[(end + 1)...] }
    return piece[..<end]
  }
}
