import StoreFormat

/// A position in history given as a point in time: before the first transaction at or after it.
///
/// Unlike a token it never expires: it is a question about time.
package struct Moment: Hashable, Sendable {
  /// The point in time.
  package let timestamp: StoreTimestamp

  /// Makes a moment of a point in time.
  package init(timestamp: StoreTimestamp) {
    self.timestamp = timestamp
  }

  /// Reads a moment as people write it, relative to `now` and on the local clock unless the text
  /// says `Z` or an offset.
  ///
  /// A date (`2026-11-01`, its midnight) with an optional time after `T` or a blank
  /// (`2026-11-01T10:00:37.5+02:00`); a duration back from now (`2w`, `1d12h`, `2 weeks ago`);
  /// `now`, `today`, `yesterday` or `tomorrow`, the last three with an optional time
  /// (`yesterday 14:00`); a time alone, which is today's. Case and extra blanks do not matter.
  ///
  /// Answers nil where the text looks like none of these, so that it may be another kind of token
  /// (a plain number, a name, a store identifier). Throws where it looks like one but is wrong.
  package static func parse(
    _ text: String, now: StoreTimestamp
  ) throws(MomentError) -> Moment? {
    guard let shape = MomentShape(of: MomentScanner(text)) else { return nil }
    switch shape {
    case .duration:
      var parser = DurationParser(text)
      return Moment(timestamp: try parser.parseAgo().before(now))
    case .date, .time, .word:
      var parser = MomentParser(text, now: now)
      return Moment(timestamp: try parser.parse(shape))
    case .foreignDate:
      throw MomentError(
        message: "\(MomentError.quote(text)) is not a date in the form YYYY-MM-DD",
        hint: "write year, month and day with dashes, for example 2026-11-01")
    }
  }
}
