/// What happens when an app asks the frameworks for the history after a token.
package enum FrameworkOutcome: Hashable, Sendable {
  /// It gets the transactions behind the token, so many of them.
  case history(transactions: Int64)
  /// It gets nothing and no error: the token names other stores only.
  case nothing
  /// It gets an error: there is no transaction with exactly the token's number.
  case expired

  /// What SwiftData calls the error.
  package static let errorName = "SwiftDataError.historyTokenExpired"
  /// The code of the error in Cocoa's domain, Core Data's `NSPersistentHistoryTokenExpiredError`.
  package static let errorCode: Int64 = 134_301

  /// The outcome for a token that was resolved in a store.
  ///
  /// The frameworks look for the transaction with exactly the token's number and for nothing else: a
  /// token from a newer copy has expired to them, and one of a copy that went its own way works.
  ///
  /// - Parameter newer: How many transactions the store has behind the token.
  init(_ state: TokenState, newer: @autoclosure () throws -> Int64) rethrows {
    self =
      switch state {
      case .valid, .diverged: .history(transactions: try newer())
      case .expired, .archived, .ahead: .expired
      case .foreign: .nothing
      }
  }
}

/// What becomes of a token in a copy of its store.
package struct RehearsedToken: Hashable, Sendable {
  /// The token, with its state in the store itself.
  package let token: ResolvedToken
  /// Its state in the copy.
  package let stateInCopy: TokenState
  /// What an app gets that asks the copy for history after the token.
  package let outcome: FrameworkOutcome
}
