import StoreFormat

/// A token as one store understands it: a position in its history, and whether it works.
public struct ResolvedToken: Hashable, Sendable {
  /// The token as it was written.
  public let text: String
  /// The position, every transaction up to and including this number, or `nil` for a foreign token.
  public let number: Int64?
  /// Whether the token works with the store.
  public let state: TokenState
  /// The moment, if the token is one. A moment never expires.
  package let moment: Moment?
  /// The time of the transaction with exactly this number, or `nil` where it does not exist.
  public let timestamp: StoreTimestamp?
  /// The token with its stores, or `nil` in a store without an identifier.
  public let token: HistoryToken?
}

/// Resolves tokens in a store, or in a store and its archive.
public struct TokenResolver {
  package let timeline: HistoryTimeline
  package let bookmarkPath: String
  package let now: StoreTimestamp

  /// Creates a resolver for a snapshot of a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - bookmarkPath: The file of the bookmarks, or `nil` for the one beside the store.
  ///   - now: The time that durations and words such as `yesterday` are relative to.
  public init(snapshot: StoreSnapshot, bookmarkPath: String? = nil, now: StoreTimestamp = .now()) {
    self.init(timeline: HistoryTimeline(snapshot), bookmarkPath: bookmarkPath, now: now)
  }

  /// Creates a resolver for a store, an archive, or both.
  package init(
    timeline: HistoryTimeline, bookmarkPath: String? = nil, now: StoreTimestamp = .now()
  ) {
    self.timeline = timeline
    self.bookmarkPath =
      bookmarkPath
      ?? BookmarkFile.path(besideStore: timeline.snapshot?.location.resolvedPath ?? timeline.path)
    self.now = now
  }

  // MARK: - Resolving

  /// Reads and resolves a token, whatever its state.
  ///
  /// - Throws: ``HistoryError`` where the text is not a token or names a missing bookmark or file, and
  ///   ``/StoreFormat/StoreError``.
  public func resolve(_ text: String) throws -> ResolvedToken {
    try resolve(TokenExpression(text, now: now), text: text)
  }

  /// Reads and resolves a token, which must work.
  ///
  /// - Throws: ``HistoryError/unusableToken(_:)`` where it does not, and like ``resolve(_:)-(String)``.
  public func resolveUsable(_ text: String) throws -> ResolvedToken {
    let token = try resolve(text)
    guard token.state.isUsable else { throw HistoryError.unusableToken(try unusable(token)) }
    return token
  }

  func resolve(_ token: HistoryToken) throws -> ResolvedToken {
    try resolve(token, text: token.description)
  }

  func resolve(_ bookmark: Bookmark) throws -> ResolvedToken {
    try resolve(bookmark.token, text: "@" + bookmark.name, remembered: bookmark.timestamp)
  }

  /// Resolves a token of another copy of the store: the same position, or the same moment.
  ///
  /// - Parameter remembered: The time of its transaction, as a bookmark remembers it.
  func resolve(
    again token: ResolvedToken, remembered: StoreTimestamp?
  ) throws -> ResolvedToken {
    if let moment = token.moment { return try resolve(moment, text: token.text) }
    guard let number = token.number else { return token }
    return try exact(number, text: token.text, remembered: remembered)
  }

  /// Returns the number of the transaction that a token names; for a moment, of the first one at or
  /// after it.
  ///
  /// A transaction can be named even where history after it is incomplete.
  ///
  /// - Throws: ``HistoryError/noTransaction(text:isHistoryEmpty:)`` where the token is before or after all
  ///   transactions, and like ``resolveUsable(_:)``.
  package func transactionNumber(_ text: String) throws -> Int64 {
    let token = try resolve(text)
    guard token.state.isUsable || token.state == .expired && token.timestamp != nil else {
      throw HistoryError.unusableToken(try unusable(token))
    }
    let number: Int64? =
      if let moment = token.moment {
        try timeline.firstTransaction(notBefore: moment.timestamp)?.number
      } else if token.number != 0 || token.timestamp != nil {
        token.number
      } else {
        nil
      }
    guard let number else {
      throw HistoryError.noTransaction(
        text: text, isHistoryEmpty: try timeline.newestTransaction() == nil)
    }
    return number
  }

  /// Returns the range between two usable tokens; without the second, up to the newest transaction.
  ///
  /// - Throws: Like ``resolveUsable(_:)``.
  package func range(from start: String, to end: String?) throws -> HistoryRange {
    func position(_ text: String) throws -> Int64 {
      let token = try resolveUsable(text)
      guard let number = token.number else {
        throw HistoryError.unusableToken(try unusable(token))
      }
      return number
    }
    let start = try position(start)
    guard let end else { return HistoryRange(from: start, to: max(start, try position("last"))) }
    return HistoryRange(from: start, to: try position(end))
  }

  /// Returns the gap before the first transaction of a pruned history if a moment is before it.
  ///
  /// Returns `nil` for any other token: a deleted transaction makes its token expire, and 0 asks for everything
  /// that is kept.
  ///
  /// - Throws: Like ``resolve(_:)-(String)``.
  package func missingBeginning(after text: String?) throws -> HistoryGap? {
    guard let text, case .moment(let moment) = try TokenExpression(text, now: now),
      let gap = try timeline.missingBeginning()
    else { return nil }
    guard let oldest = gap.oldest else { return gap }
    // Look it up as any moment: a transaction may have no time, or an earlier one.
    let first = try timeline.firstTransaction(notBefore: moment.timestamp)
    return first?.number == oldest && first?.timestamp != moment.timestamp ? gap : nil
  }

  /// The highest transaction number that the store ever issued.
  ///
  /// `Z_MAX` of a copy that lost its log can be lower than the highest number present.
  package func highestIssued() throws -> Int64 { try timeline.highestIssued() }

  // MARK: - Unusable tokens

  /// Returns why a token does not work, and what to do about it.
  package func unusable(_ token: ResolvedToken) throws -> UnusableToken {
    let archive = timeline.snapshot == nil ? nil : timeline.archive
    return UnusableToken(
      text: token.text, number: token.number, state: token.state, path: timeline.path,
      isWithoutStore: timeline.snapshot == nil, storeIdentifier: timeline.storeIdentifier,
      oldest: try oldestUsable(),
      newest: try timeline.newestTransaction(),
      archive: try archive.map { archive in
        UnusableToken.Archive(
          path: archive.path, ranges: archive.ranges, gaps: try timeline.gaps())
      },
      remainder: token.state == .expired ? try token.number.map(remainder) : nil)
  }

  /// Returns what is left of the history after a token that has expired.
  private func remainder(after number: Int64) throws -> UnusableToken.Remainder {
    let previous = try timeline.lastTransaction(before: number)?.number
    let next = try timeline.firstTransaction(after: number)?.number
    // All after the previous transaction is after the token as well, unless an archive has the token.
    let resume = previous ?? 0
    let isExact =
      try timeline.position(ofTransaction: number) == nil && exact(resume, text: "").state.isUsable
    return UnusableToken.Remainder(
      missing: try timeline.missingTransactions(after: number), resume: isExact ? resume : 0,
      isExact: isExact,
      neighbors: try [previous, next].compactMap { $0 }.filter {
        try exact($0, text: "").state.isUsable
      }, next: next)
  }

  /// The oldest transaction after which nothing is missing.
  private func oldestUsable() throws -> TransactionPosition? {
    guard let last = try timeline.gaps().last else { return try timeline.oldestTransaction() }
    return try last.oldest.flatMap { try timeline.position(ofTransaction: $0) }
  }

  // MARK: - Forms

  private func resolve(_ expression: TokenExpression, text: String) throws -> ResolvedToken {
    switch expression {
    case .number(let number):
      return try exact(number, text: text)
    case .token(let token):
      return try resolve(token, text: text)
    case .first(let offset):
      let position = try timeline.oldestTransaction(offset: offset)
      if position?.number != offset &+ 1 { try checkTransactions() }
      return try anchored(text, "first", position: position)
    case .last(let offset):
      let position = try timeline.newestTransaction(offset: offset)
      if try position.map({ $0.number &+ offset }) != highestIssued() { try checkTransactions() }
      return try anchored(text, "last", position: position)
    case .moment(let moment):
      return try resolve(moment, text: text)
    case .bookmark(let name):
      let bookmark = try BookmarkFile(path: bookmarkPath).bookmark(named: name)
      return try resolve(bookmark.token, text: text, remembered: bookmark.timestamp)
    case .file(let path):
      switch try TokenContent(fileAt: path) {
      case .token(let token): return try resolve(token, text: text)
      case .text(let inner):
        let expression = try TokenExpression(inner, now: now)
        if case .file = expression {
          throw HistoryError.malformedToken(
            text: text, reason: "the file names another file", hint: "give that file itself")
        }
        return try resolve(expression, text: text)
      }
    }
  }

  private func resolve(
    _ token: HistoryToken, text: String, remembered: StoreTimestamp? = nil
  ) throws -> ResolvedToken {
    guard let identifier = timeline.storeIdentifier,
      let number = token.transaction(in: identifier)
    else {
      return ResolvedToken(
        text: text, number: nil, state: .foreign(identifiers: token.storeTokens.keys.sorted()),
        moment: nil, timestamp: nil, token: token)
    }
    return try exact(number, text: text, remembered: remembered)
  }

  /// Resolves a position by number, by the frameworks' rule.
  func exact(
    _ number: Int64, text: String, remembered: StoreTimestamp? = nil
  ) throws -> ResolvedToken {
    if number == 0 { return resolved(0, text: text, state: .valid, timestamp: nil) }
    let highest = try highestIssued()
    if number > highest {
      return resolved(number, text: text, state: .ahead(highestIssued: highest), timestamp: nil)
    }
    let found: TransactionPosition?
    let state: TokenState
    switch try timeline.place(ofTransaction: number) {
    case nil:
      return resolved(number, text: text, state: .expired, timestamp: nil)
    case .kept(let position):
      (found, state) = (position, .valid)
    case .archived(let position):
      found = position
      state =
        !timeline.isComplete(after: number)
        ? .expired : timeline.snapshot == nil ? .valid : .archived
    case .diverged(let archived, let stored):
      found = stored
      state =
        archived.timestamp.map { .diverged(remembered: $0, found: stored?.timestamp) } ?? .expired
    }
    guard let remembered, let found, remembered != found.timestamp else {
      return resolved(number, text: text, state: state, timestamp: found?.timestamp)
    }
    return resolved(
      number, text: text, state: .diverged(remembered: remembered, found: found.timestamp),
      timestamp: found.timestamp)
  }

  private func anchored(
    _ text: String, _ word: String, position: TransactionPosition?
  ) throws -> ResolvedToken {
    if let position {
      return resolved(position.number, text: text, state: .valid, timestamp: position.timestamp)
    }
    guard try timeline.oldestTransaction() != nil else {
      // The beginning of an empty history is its end.
      return resolved(0, text: text, state: .valid, timestamp: nil)
    }
    throw HistoryError.fewTransactions(
      text: text, count: try timeline.transactionCount(), keyword: word)
  }

  /// Checks that the store's table of transactions has all of them, where no number shows that by itself.
  private func checkTransactions() throws { try timeline.snapshot?.checkTransactions() }

  private func resolve(_ moment: Moment, text: String) throws -> ResolvedToken {
    try checkTransactions()
    let next = try timeline.firstTransaction(notBefore: moment.timestamp)
    // The number of an existing transaction, so that it works when a caller keeps it as a token.
    let previous =
      try next.map { try timeline.lastTransaction(before: $0.number) }
      ?? timeline.newestTransaction()
    let number =
      previous?.number ?? min(0, next.map { $0.number == .min ? .min : $0.number - 1 } ?? 0)
    return resolved(
      number, text: text, state: .valid, moment: moment,
      timestamp: try timeline.position(ofTransaction: number)?.timestamp)
  }

  private func resolved(
    _ number: Int64, text: String, state: TokenState, moment: Moment? = nil,
    timestamp: StoreTimestamp?
  ) -> ResolvedToken {
    ResolvedToken(
      text: text, number: number, state: state, moment: moment, timestamp: timestamp,
      token: timeline.storeIdentifier.map {
        HistoryToken(storeIdentifier: $0, transaction: number)
      })
  }
}

/// The part of a history between two positions: after one, up to and including the other.
package struct HistoryRange: Hashable, Sendable {
  /// The lower position; its transaction is not in the range.
  package let after: Int64
  /// The upper position; its transaction is in the range.
  package let until: Int64
  /// Whether the positions were given in descending order.
  package let isReversed: Bool

  package init(from start: Int64, to end: Int64) {
    after = min(start, end)
    until = max(start, end)
    isReversed = end < start
  }
}

extension HistoryTimeline {
  /// Returns the gap before the first transaction of a pruned history, or `nil` if none is missing.
  package func missingBeginning() throws -> HistoryGap? {
    let oldest = try oldestTransaction()?.number
    let isMissing = try oldest.map { $0 > 1 } ?? (highestIssued() > 0)
    return isMissing ? HistoryGap(store: storeIdentifier, after: 0, oldest: oldest) : nil
  }
}
