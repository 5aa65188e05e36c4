import StoreFormat

extension TokenResolver {
  /// The cut before a token: that of its transaction or moment, which itself stays behind it.
  ///
  /// A token whose transaction is gone names the first one that is left, for nothing before it is.
  ///
  /// - Throws: ``HistoryError`` where the text is no token or is one of another store, and
  ///   ``/StoreFormat/StoreError``.
  package func cut(before text: String) throws -> HistoryCut {
    let token = try resolve(text)
    if let moment = token.moment {
      return Self.cut(before: try timeline.firstTransaction(notBefore: moment.timestamp))
    }
    switch token.state {
    case .valid, .expired, .archived: break
    case .foreign, .ahead, .diverged: throw HistoryError.unusableToken(try unusable(token))
    }
    guard let number = token.number, number > .min else { return HistoryCut(before: .min) }
    return Self.cut(before: try timeline.firstTransaction(after: number - 1))
  }

  private static func cut(before position: TransactionPosition?) -> HistoryCut {
    position.map { HistoryCut(before: $0.number) } ?? .end
  }
}
