import StoreFormat

/// Finds out what a token means in a store, or in a store and its archive, and whether it works.
public struct TokenResolver {
  let timeline: HistoryTimeline
  private let bookmarkPath: String
  let now: StoreTimestamp

  /// A resolver for one snapshot of a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - bookmarkPath: The file that keeps the bookmarks; nil for the one beside the store.
  ///   - now: What durations and words such as `yesterday` are relative to.
  public init(snapshot: StoreSnapshot, bookmarkPath: String? = nil, now: StoreTimestamp = .now()) {
    self.init(timeline: HistoryTimeline(snapshot), bookmarkPath: bookmarkPath, now: now)
  }

  /// A resolver for a timeline.
  ///
  /// - Parameters:
  ///   - timeline: The store, the archive, or both.
  ///   - bookmarkPath: The file that keeps the bookmarks; nil for the one beside the store.
  ///   - now: What durations and words such as `yesterday` are relative to.
  package init(
    timeline: HistoryTimeline, bookmarkPath: String? = nil, now: StoreTimestamp = .now()
  ) {
    self.timeline = timeline
    self.bookmarkPath =
      bookmarkPath
      ?? BookmarkFile.path(besideStore: timeline.snapshot?.location.resolvedPath ?? timeline.path)
    self.now = now
  }

  /// Reads and resolves a token, whatever its state.
  ///
  /// - Throws: ``HistoryError`` where the text is no token or names something that is not there, and
  ///   ``/StoreFormat/StoreError``.
  public func resolve(_ text: String) throws -> ResolvedToken {
    try resolve(TokenExpression(text, now: now), text: text)
  }

  /// Reads and resolves a token that must work.
  ///
  /// - Throws: ``HistoryError/unusableToken(_:)`` where it does not, else like ``resolve(_:)-(String)``.
  public func resolveUsable(_ text: String) throws -> ResolvedToken {
    let token = try resolve(text)
    guard token.state.isUsable else { throw HistoryError.unusableToken(try unusable(token)) }
    return token
  }

  /// Resolves a token, whatever its state.
  func resolve(_ token: HistoryToken) throws -> ResolvedToken {
    try resolve(token, text: token.description)
  }

  /// Resolves a token of another copy of the store: the same position, or the same moment.
  ///
  /// - Parameter remembered: When its transaction was saved, as a bookmark remembers it.
  func resolve(
    again token: ResolvedToken, remembered: StoreTimestamp?
  ) throws -> ResolvedToken {
    if let moment = token.moment { return try resolve(moment, text: token.text) }
    guard let number = token.number else { return token }
    return try exact(number, text: token.text, remembered: remembered)
  }

  /// The number of the transaction that a token names; a moment names the first one at it or after.
  ///
  /// Where history is missing behind a transaction, the transaction itself still is what was asked
  /// for.
  ///
  /// - Throws: ``HistoryError/noTransaction(text:isHistoryEmpty:)`` where the token comes before or after all
  ///   transactions, else like ``resolveUsable(_:)``.
  package func transactionNumber(_ text: String) throws -> Int64 {
    let token = try resolve(text)
    guard token.state.isUsable || token.state == .expired && token.timestamp != nil else {
      throw HistoryError.unusableToken(try unusable(token))
    }
    if let moment = token.moment {
      guard let next = try timeline.firstTransaction(notBefore: moment.timestamp) else {
        throw try noTransaction(text)
      }
      return next.number
    }
    guard let number = token.number, number != 0 || token.timestamp != nil else {
      throw try noTransaction(text)
    }
    return number
  }

  private func noTransaction(_ text: String) throws -> HistoryError {
    .noTransaction(text: text, isHistoryEmpty: try timeline.newestTransaction() == nil)
  }

  /// Resolves a bookmark's token, whatever its state.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
  public func resolve(_ bookmark: Bookmark) throws -> ResolvedToken {
    try resolve(bookmark.token, text: "@" + bookmark.name, remembered: bookmark.timestamp)
  }

  /// All that is needed to say why a token does not work, and how to go on.
  public func unusable(_ token: ResolvedToken) throws -> UnusableToken {
    UnusableToken(
      text: token.text, number: token.number, state: token.state, path: timeline.path,
      storeIdentifier: timeline.storeIdentifier, oldest: try oldestUsable(),
      newest: try timeline.newestTransaction(),
      archive: timeline.snapshot == nil ? nil : timeline.archive.map(reach))
  }

  /// The highest transaction number that the store ever issued.
  ///
  /// `Z_MAX` of a copy that lost its log can be lower than what is there.
  package func highestIssued() throws -> Int64 { try timeline.highestIssued() }

  /// The oldest transaction behind which nothing is missing.
  private func oldestUsable() throws -> TransactionPosition? {
    guard timeline.archive != nil, timeline.divergence == nil else {
      return try timeline.snapshot?.oldestTransaction() ?? timeline.oldestTransaction()
    }
    guard let last = try timeline.gaps().last else { return try timeline.oldestTransaction() }
    return try last.oldest.flatMap { try timeline.position(ofTransaction: $0) }
  }

  /// What an archive holds, for the message on a token that does not work.
  private func reach(_ archive: any ArchivedHistory) -> UnusableToken.Archive {
    UnusableToken.Archive(
      path: archive.path, ranges: archive.stretches,
      gaps: (try? timeline.gaps()) ?? [])
  }

  private func resolve(_ expression: TokenExpression, text: String) throws -> ResolvedToken {
    switch expression {
    case .number(let number):
      return try exact(number, text: text)
    case .token(let token):
      return try resolve(token, text: text)
    case .first(let offset):
      return try anchored(
        text, "first", offset: offset, position: timeline.oldestTransaction(offset: offset))
    case .last(let offset):
      return try anchored(
        text, "last", offset: offset, position: timeline.newestTransaction(offset: offset))
    case .moment(let moment):
      return try resolve(moment, text: text)
    case .bookmark(let name):
      let bookmark = try BookmarkFile(path: bookmarkPath).bookmark(named: name)
      return try resolve(bookmark.token, text: text, remembered: bookmark.timestamp)
    case .file(let path):
      switch try TokenFile.read(path) {
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

  /// A position by number, tested by the frameworks' rule.
  private func exact(
    _ number: Int64, text: String, remembered: StoreTimestamp? = nil
  ) throws -> ResolvedToken {
    if number == 0 { return resolved(0, text: text, state: .valid, timestamp: nil) }
    let highest = try highestIssued()
    if number > highest {
      return resolved(number, text: text, state: .ahead(highestIssued: highest), timestamp: nil)
    }
    guard let place = try timeline.place(ofTransaction: number) else {
      return resolved(number, text: text, state: .expired, timestamp: nil)
    }
    let (found, state): (TransactionPosition?, TokenState) =
      switch place {
      case .kept(let position): (position, .valid)
      case .archived(let position):
        (
          position,
          !timeline.isComplete(after: number)
            ? .expired : timeline.snapshot == nil ? .valid : .archived
        )
      case .diverged(let archived, let stored):
        (
          stored,
          archived.timestamp.map { .diverged(remembered: $0, found: stored?.timestamp) } ?? .expired
        )
      }
    guard let remembered, let found, remembered != found.timestamp else {
      return resolved(number, text: text, state: state, timestamp: found?.timestamp)
    }
    return resolved(
      number, text: text, state: .diverged(remembered: remembered, found: found.timestamp),
      timestamp: found.timestamp)
  }

  private func anchored(
    _ text: String, _ word: String, offset: Int64, position: TransactionPosition?
  ) throws -> ResolvedToken {
    if let position {
      return resolved(position.number, text: text, state: .valid, timestamp: position.timestamp)
    }
    guard offset > 0, try timeline.oldestTransaction() != nil else {
      // An empty history: its beginning is its end.
      return resolved(0, text: text, state: .valid, timestamp: nil)
    }
    let count = try timeline.transactionCount()
    throw HistoryError.malformedToken(
      text: text, reason: "the store has only \(count) transactions",
      hint: "the farthest is \(word)~\(count - 1)")
  }

  private func resolve(_ moment: Moment, text: String) throws -> ResolvedToken {
    let next = try timeline.firstTransaction(notBefore: moment.timestamp)
    // The number of a transaction that is there, for who keeps it as a token wants one that works.
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
