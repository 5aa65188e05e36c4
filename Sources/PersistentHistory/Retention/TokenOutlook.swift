/// What becomes of a token when history is pruned.
package struct TokenOutlook: Hashable, Sendable {
  /// The token, and whether it works now.
  package let token: ResolvedToken
  /// Whether it works now and does not afterwards.
  package let expires: Bool

  init(_ token: ResolvedToken, cut: HistoryCut?) {
    self.token = token
    expires =
      if token.state == .valid, token.moment == nil, let number = token.number, let cut {
        cut.expires(number)
      } else {
        false
      }
  }

  /// Its state afterwards, in a word.
  package var stateAfter: String { expires ? TokenState.expired.name : token.state.name }
  /// Whether it works afterwards.
  package var works: Bool { token.state == .valid && !expires }
}
