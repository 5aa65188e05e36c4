import StoreFormat

/// A part of a history in its written form, `A..B`: after token A up to and including token B.
package struct TokenRange: Hashable, Sendable {
  /// The range as it was written.
  package let text: String
  /// The token before the range, or `nil` for all that is kept.
  package let start: String?
  /// The last token of the range, or `nil` for the newest transaction.
  package let end: String?

  /// The number of pairs of dots that are tried; a path of a token file may have some.
  private static let maxPlaces = 64

  package static let hint = "write A..B, A.. or ..B, where A and B are tokens"

  /// Reads a range, or returns `nil` for a text that is a single token or has no two dots.
  ///
  /// Two dots separate tokens where each side is a token or empty, so that `@../file` is a single one.
  ///
  /// - Throws: ``HistoryError/malformedRange(text:reason:hint:)`` for a text with two dots that is neither.
  package static func parse(
    _ text: String, now: StoreTimestamp
  ) throws(HistoryError) -> TokenRange? {
    let places = text.indices.filter { text[$0...].hasPrefix("..") }
    guard let first = places.first else { return nil }
    guard places.count <= maxPlaces else {
      throw .malformedRange(
        text: text, reason: "it has \(places.count) pairs of dots", hint: hint)
    }
    for place in places {
      if let range = try? TokenRange(text, dividedAt: place, now: now) { return range }
    }
    if (try? TokenExpression(text, now: now)) != nil { return nil }
    if text[first...].hasPrefix("..."), case let end = text.index(first, offsetBy: 2),
      case let meant = text[..<end] + text[end...].drop(while: { $0 == "." }),
      (try? TokenRange(String(meant), dividedAt: first, now: now)) != nil
    {
      throw .malformedRange(
        text: text, reason: "a range has two dots", hint: "write \(meant)")
    }
    return try TokenRange(text, dividedAt: first, now: now)
  }

  private init(
    _ text: String, dividedAt place: String.Index, now: StoreTimestamp
  ) throws(HistoryError) {
    func token(_ side: Substring) throws(HistoryError) -> String? {
      let side = side.trimmingBlanks
      if side.isEmpty { return nil }
      do {
        _ = try TokenExpression(side, now: now)
      } catch {
        guard case .malformedToken(let token, let reason, let hint) = error else { throw error }
        throw .malformedRange(
          text: text, reason: "the side '\(HistoryError.shortened(token))' of the range: \(reason)",
          hint: hint)
      }
      return side
    }
    self.text = text
    start = try token(text[..<place])
    end = try token(text[place...].dropFirst(2))
    guard start != nil || end != nil else {
      throw .malformedRange(text: text, reason: "it names no token", hint: TokenRange.hint)
    }
  }
}

extension TokenResolver {
  /// Returns the positions of a range; each is `nil` where the range is open.
  ///
  /// - Throws: ``HistoryError/malformedRange(text:reason:hint:)`` where the range ends before it begins,
  ///   and like ``resolveUsable(_:)``.
  package func positions(
    of range: TokenRange
  ) throws -> (after: Int64?, until: Int64?) {
    let after = try range.start.map { try resolveUsable($0).number } ?? nil
    let until = try range.end.map { try resolveUsable($0).number } ?? nil
    if let after, let until, until < after {
      throw HistoryError.malformedRange(
        text: range.text, reason: "\(after) is after \(until), so it ends before it begins",
        hint: "write the earlier token first: \(range.end ?? "")..\(range.start ?? "")")
    }
    return (after, until)
  }
}
