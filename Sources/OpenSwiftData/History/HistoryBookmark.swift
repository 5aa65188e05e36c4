import Foundation
import PersistentHistory
import StoreFormat

/// A token kept beside the store under the name of a reader of the history (not in SwiftData).
///
/// The file is the one that `histctl bookmark` maintains. Pruning keeps what a bookmark still
/// needs, and `histctl bookmark list` shows how far each reader is behind.
public struct HistoryBookmark: Hashable, Sendable {
  /// The name of the reader: letters, digits, `.`, `_` and `-`.
  public let name: String
  /// The position up to which the reader has read.
  public let token: DefaultHistoryToken
  /// Whether the reader can continue from there.
  public let state: HistoryTokenState
  /// The number of unread transactions, or `nil` if the reader cannot continue.
  public let unreadCount: Int?
}

extension ModelContext {
  /// Returns the bookmarks of all stores by name; bookmarks of one name in several stores are one
  /// bookmark.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func historyBookmarks() throws -> [HistoryBookmark] {
    let all = try defaultStores.flatMap { try $0.bookmarks() }
    return Dictionary(grouping: all, by: \.name).compactMap { name, parts in
      guard let token = DefaultHistoryToken(joining: parts.map(\.token)) else { return nil }
      let counts = parts.compactMap(\.unreadCount)
      return HistoryBookmark(
        name: name, token: token,
        state: parts.map(\.state).first { $0 != .current } ?? .current,
        unreadCount: counts.count == parts.count ? counts.reduce(0, +) : nil)
    }.sorted { $0.name < $1.name }
  }

  /// Saves the position of a reader of the history.
  ///
  /// Until the bookmark moves or is removed, ``deleteReadHistory()`` and `histctl prune` keep what
  /// comes after it.
  ///
  /// - Parameters:
  ///   - name: The name of the reader: letters, digits, `.`, `_` and `-`.
  ///   - token: The position up to which the reader has read.
  ///   - onlyForward: Whether to throw an error if the bookmark is at a later position.
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` for an invalid name, for a token
  ///   that names no store of the container, and for a forbidden step back;
  ///   ``SwiftDataError/storeFailure`` if the file cannot be written.
  public func setHistoryBookmark(
    _ name: String, to token: DefaultHistoryToken, onlyForward: Bool = false
  ) throws {
    let stores = defaultStores.filter { token.number(of: $0.identifier) != nil }
    guard !stores.isEmpty else {
      throw SwiftDataError(
        .invalidTransactionFetchRequest, "the token names no store of the container")
    }
    for store in stores { try store.setBookmark(name, to: token, onlyForward: onlyForward) }
  }

  /// Removes the bookmark of a reader, if there is one.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if the file cannot be written.
  public func removeHistoryBookmark(_ name: String) throws {
    for store in defaultStores { try store.removeBookmark(name) }
  }

  /// Deletes the history that every reader with a bookmark has read, and returns the number of
  /// deleted transactions.
  ///
  /// The transaction of the last bookmark stays, so its token keeps working. Nothing is deleted if
  /// no bookmark works. A bookmark that is set in the meantime counts as soon as it is there.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``, also if it is not known how far CloudKit's mirror
  ///   has read or if the store is damaged.
  @discardableResult
  public func deleteReadHistory() throws -> Int {
    try defaultStores.reduce(0) { try $0 + $1.deleteReadHistory() }
  }
}

extension DefaultStore {
  private var bookmarkPath: String { BookmarkFile.path(besideStore: location.resolvedPath) }

  fileprivate func bookmarks() throws -> [HistoryBookmark] {
    try translating {
      let kept = try BookmarkFile(path: bookmarkPath).bookmarks
      return try file.read { snapshot in
        try BookmarkStatus.statuses(of: kept, in: snapshot).map { status in
          let token = status.bookmark.token
          return HistoryBookmark(
            name: status.bookmark.name,
            token: DefaultHistoryToken(
              token.transaction(in: identifier).map { [identifier: $0] } ?? token.storeTokens),
            state: try state(status.token.state, in: snapshot),
            unreadCount: status.lag.map { Int($0.transactions) })
        }
      }
    }
  }

  fileprivate func setBookmark(
    _ name: String, to token: DefaultHistoryToken, onlyForward: Bool
  ) throws {
    guard let number = token.number(of: identifier) else { return }
    try translatingBookmarks {
      let resolved = try file.read { try TokenResolver(snapshot: $0).resolve("\(number)") }
      let bookmark = try Bookmark(name: name, at: resolved, inStoreAt: filePath)
      try BookmarkFile.set(bookmark, in: bookmarkPath, onlyForward: onlyForward) {
        guard resolved.state == .valid else { return }
        try file.read { try bookmark.checkNotExpired(in: $0) }
      }
    }
  }

  fileprivate func removeBookmark(_ name: String) throws {
    try translatingBookmarks {
      do {
        try BookmarkFile.remove([name], from: bookmarkPath)
      } catch HistoryError.unknownBookmark {
        // There is nothing to remove.
      }
    }
  }

  /// - Parameter whenPlanned: Runs after the bookmarks were read, before anything is deleted.
  func deleteReadHistory(whenPlanned: () throws -> Void = {}) throws -> Int {
    _ = try writable()
    let oldest = try translating {
      let kept = try BookmarkFile(path: bookmarkPath).bookmarks
      return try file.read { try BookmarkEffect.lowestNeeded(by: kept, in: $0) }
    }
    guard let oldest, oldest > 0 else { return 0 }
    try whenPlanned()
    return try eraseHistory(before: oldest)
  }

  private func translatingBookmarks(_ body: () throws -> Void) throws {
    try translating {
      do {
        try body()
      } catch let error as HistoryError {
        switch error {
        case .malformedBookmarkName, .bookmarkIsAhead, .bookmarkOfOtherStore:
          throw SwiftDataError(.invalidTransactionFetchRequest, "\(error)")
        default: throw error
        }
      }
    }
  }
}
