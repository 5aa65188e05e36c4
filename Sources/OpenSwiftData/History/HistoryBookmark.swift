import Foundation
import PersistentHistory
import StoreFormat

/// A token that is kept beside the store under the name of who has read the history up to there.
///
/// The file is the one that `histctl bookmark` keeps, so that pruning leaves what a bookmark still
/// needs, and `histctl bookmark list` shows how far each reader is behind.
public struct HistoryBookmark: Hashable, Sendable {
  /// The name of the reader: letters, digits, `.`, `_` and `-`.
  public let name: String
  /// How far it has read.
  public let token: DefaultHistoryToken
  /// Whether it can go on from there.
  public let state: HistoryTokenState
  /// How many transactions it has not read; nil for one that cannot go on.
  public let unreadCount: Int?
}

extension ModelContext {
  /// The bookmarks of all stores, by name; one that stands in several stores is one bookmark.
  ///
  /// - Throws: ``SwiftDataError``.
  public func historyBookmarks() throws -> [HistoryBookmark] {
    let all = try defaultStores.flatMap { try $0.bookmarks() }
    return Dictionary(grouping: all, by: \.name).values.compactMap { parts in
      guard let first = parts.first, let token = Self.joined(parts.map(\.token)) else { return nil }
      let counts = parts.compactMap(\.unreadCount)
      return HistoryBookmark(
        name: first.name, token: token,
        state: parts.map(\.state).first { $0 != .current } ?? .current,
        unreadCount: counts.count == parts.count ? counts.reduce(0, +) : nil)
    }.sorted { $0.name < $1.name }
  }

  /// Notes how far a reader of the history has come.
  ///
  /// Until the bookmark moves or is removed, ``deleteReadHistory()`` and `histctl prune` keep what
  /// comes after it.
  ///
  /// - Parameters:
  ///   - name: The name of the reader: letters, digits, `.`, `_` and `-`.
  ///   - token: How far it has read.
  ///   - onlyForward: Whether a bookmark of that name that stands further on is an error.
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` for a name that cannot be one, for a
  ///   token of which no store of the container knows, and for a bookmark that would go back where it
  ///   must not; ``SwiftDataError/storeFailure`` where the file cannot be written.
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

  /// Removes the bookmark of a reader that is no more; where there is none, nothing happens.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` where the file cannot be written.
  public func removeHistoryBookmark(_ name: String) throws {
    for store in defaultStores { try store.removeBookmark(name) }
  }

  /// Deletes the history that all readers with a bookmark have read.
  ///
  /// The transaction at which the hindmost of them stands is kept, since its token would have expired
  /// otherwise. Without any bookmark that can go on, nothing is deleted. A bookmark that is set meanwhile
  /// is respected as soon as it is there.
  ///
  /// - Returns: How many transactions were deleted.
  /// - Throws: ``SwiftDataError``.
  @discardableResult
  public func deleteReadHistory() throws -> Int {
    try defaultStores.reduce(0) { try $0 + $1.deleteReadHistory() }
  }
}

extension DefaultStore {
  private var bookmarkPath: String { BookmarkFile.path(besideStore: location.resolvedPath) }

  fileprivate func bookmarks() throws -> [HistoryBookmark] {
    try translatingHistory {
      let kept = try BookmarkFile(path: bookmarkPath).bookmarks
      return try file.read { snapshot in
        try BookmarkStanding.standings(of: kept, in: snapshot).compactMap {
          standing -> HistoryBookmark? in
          guard let number = standing.bookmark.token.transaction(in: identifier) else { return nil }
          return HistoryBookmark(
            name: standing.bookmark.name, token: DefaultHistoryToken([identifier: number]),
            state: try state(of: standing, in: snapshot),
            unreadCount: standing.lag.map { Int($0.transactions) })
        }
      }
    }
  }

  private func state(
    of standing: BookmarkStanding, in snapshot: StoreSnapshot
  ) throws -> HistoryTokenState {
    switch standing.token.state {
    case .valid, .archived: return .current
    case .foreign: return .foreign
    // Another copy of the store has saved something else under that number.
    case .ahead, .diverged: return .unknown
    case .expired:
      return .expired(
        oldest: try snapshot.oldestTransaction().map {
          DefaultHistoryToken([identifier: $0.number])
        })
    }
  }

  fileprivate func setBookmark(
    _ name: String, to token: DefaultHistoryToken, onlyForward: Bool
  ) throws {
    guard let number = token.number(of: identifier) else { return }
    try translatingBookmarks {
      let resolved = try file.read { snapshot in
        try TokenResolver(snapshot: snapshot).resolve("\(identifier):\(number)")
      }
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
        // It is as it was to be.
      }
    }
  }

  /// Deletes what all bookmarks have behind them.
  ///
  /// - Parameter whenPlanned: Is called when the bookmarks have been read, and nothing is deleted.
  func deleteReadHistory(whenPlanned: () throws -> Void = {}) throws -> Int {
    _ = try writable()
    guard let oldest = try lowestBookmark(), oldest > 0 else { return 0 }
    try whenPlanned()
    return try eraseHistory(before: oldest)
  }

  private func lowestBookmark() throws -> Int64? {
    try translatingHistory {
      let kept = try BookmarkFile(path: bookmarkPath).bookmarks
      return try file.read { try BookmarkOutlook.lowestNeeded(by: kept, in: $0) }
    }
  }

  private func translatingBookmarks(_ body: () throws -> Void) throws {
    try translatingHistory {
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
