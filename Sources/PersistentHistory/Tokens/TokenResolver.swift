import StoreFormat

/// Finds out what a token means in a store, and whether it works.
public struct TokenResolver {
  let snapshot: StoreSnapshot
  private let bookmarkPath: String
  private let now: StoreTimestamp

  /// A resolver for one snapshot of a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - bookmarkPath: The file that keeps the bookmarks; nil for the one beside the store.
  ///   - now: What durations and words such as `yesterday` are relative to.
  public init(snapshot: StoreSnapshot, bookmarkPath: String? = nil, now: StoreTimestamp = .now()) {
    self.snapshot = snapshot
    self.bookmarkPath =
      bookmarkPath ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath)
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
    guard token.state == .valid else { throw HistoryError.unusableToken(try unusable(token)) }
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
  /// - Throws: ``HistoryError/noTransaction(text:)`` where the token stands before or behind all
  ///   transactions, else like ``resolveUsable(_:)``.
  public func transactionNumber(_ text: String) throws -> Int64 {
    let token = try resolveUsable(text)
    if let moment = token.moment {
      guard let next = try snapshot.firstTransaction(notBefore: moment.timestamp) else {
        throw HistoryError.noTransaction(text: text)
      }
      return next.number
    }
    guard let number = token.number, number != 0 || token.timestamp != nil else {
      throw HistoryError.noTransaction(text: text)
    }
    return number
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
      text: token.text, number: token.number, state: token.state, path: snapshot.location.path,
      storeIdentifier: snapshot.metadata.storeIdentifier, oldest: try snapshot.oldestTransaction(),
      newest: try snapshot.newestTransaction())
  }

  /// The highest transaction number that the store ever issued.
  ///
  /// `Z_MAX` of a copy that lost its log can be lower than what is there.
  public func highestIssued() throws -> Int64 {
    max(
      snapshot.entities.highestNumber(of: .transaction),
      try snapshot.newestTransaction()?.number ?? 0)
  }

  private func resolve(_ expression: TokenExpression, text: String) throws -> ResolvedToken {
    switch expression {
    case .number(let number):
      return try exact(number, text: text)
    case .token(let token):
      return try resolve(token, text: text)
    case .first(let offset):
      return try anchored(
        text, "first", offset: offset, position: snapshot.oldestTransaction(offset: offset))
    case .last(let offset):
      return try anchored(
        text, "last", offset: offset, position: snapshot.newestTransaction(offset: offset))
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
    guard let identifier = snapshot.metadata.storeIdentifier,
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
    let found = number == 0 ? nil : try snapshot.timestamp(ofTransaction: number)
    let state: TokenState
    if number == 0 {
      state = .valid
    } else if number > (try highestIssued()) {
      state = .ahead(highestIssued: try highestIssued())
    } else if let found {
      state =
        remembered.map {
          $0 == found.timestamp ? .valid : .diverged(remembered: $0, found: found.timestamp)
        }
        ?? .valid
    } else {
      state = .expired
    }
    return resolved(number, text: text, state: state, timestamp: found?.timestamp)
  }

  private func anchored(
    _ text: String, _ word: String, offset: Int64, position: TransactionPosition?
  ) throws -> ResolvedToken {
    if let position {
      return resolved(position.number, text: text, state: .valid, timestamp: position.timestamp)
    }
    guard offset > 0, try snapshot.oldestTransaction() != nil else {
      // An empty history: its beginning is its end.
      return resolved(0, text: text, state: .valid, timestamp: nil)
    }
    let count = try snapshot.transactionCount()
    throw HistoryError.malformedToken(
      text: text, reason: "the store has only \(count) transactions",
      hint: "the farthest is \(word)~\(count - 1)")
  }

  private func resolve(_ moment: Moment, text: String) throws -> ResolvedToken {
    let next = try snapshot.firstTransaction(notBefore: moment.timestamp)
    // The number of a transaction that is there, for who keeps it as a token wants one that works.
    let previous =
      try next.map { try snapshot.lastTransaction(before: $0.number) }
      ?? snapshot.newestTransaction()
    let number =
      previous?.number ?? min(0, next.map { $0.number == .min ? .min : $0.number - 1 } ?? 0)
    return resolved(
      number, text: text, state: .valid, moment: moment,
      timestamp: try snapshot.timestamp(ofTransaction: number)?.timestamp)
  }

  private func resolved(
    _ number: Int64, text: String, state: TokenState, moment: Moment? = nil,
    timestamp: StoreTimestamp?
  ) -> ResolvedToken {
    ResolvedToken(
      text: text, number: number, state: state, moment: moment, timestamp: timestamp,
      token: snapshot.metadata.storeIdentifier.map {
        HistoryToken(storeIdentifier: $0, transaction: number)
      })
  }
}
