/// How a store's write-ahead log is, by the checksums that it carries itself.
///
/// SQLite reads a log up to the first part that does not fit its checksum and takes no notice of the
/// rest. That is right after a program was killed in the middle of a save, and it hides a flipped bit:
/// all saves behind it are gone without a word.
package enum LogCondition: Hashable, Sendable {
  /// There is none, or nothing is in it.
  case empty
  /// All that is in it can be read.
  case whole(frameCount: Int)
  /// Its beginning is not that of a log of this store, so SQLite reads nothing of it.
  case unusable(reason: String)
  /// A frame in the middle does not fit, and committed saves follow it.
  case broken(frame: Int, lostFrameCount: Int, lostSaveCount: Int)
  /// The last frame does not fit, and nothing stands behind it.
  case unfinished(frame: Int)
  /// Somebody wrote into it whenever it was looked at.
  case changing

  /// Whether no more than the last save is damaged.
  ///
  /// A loss of power leaves that too: until the disk has a save, its frames reach it in any order. What
  /// was saved before can be read, and the save itself was never safe.
  package var isTornAtEnd: Bool {
    if case .broken(_, _, let saves) = self { saves == 1 } else { false }
  }
}

extension StoreSnapshot {
  /// Reads the whole log and compares it with its checksums.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package func logCondition() throws -> LogCondition {
    let cursor = try StatementCursor(database, sql: "PRAGMA page_size")
    let pageSize = try cursor.step() ? Int(clamping: cursor.integer(at: 0)) : nil
    return try location.logCondition(pageSize: pageSize)
  }
}

extension StoreLocation {
  /// Reads the whole log and compares it with its checksums, also where the store cannot be opened.
  ///
  /// - Parameter pageSize: How many bytes the pages of the store have; nil for as many as those of the
  ///   log.
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package func logCondition(pageSize: Int? = nil) throws(StoreError) -> LogCondition {
    do {
      return try LogScan.condition(ofLogAt: logPath, pageSize: pageSize)
    } catch {
      throw .unreadable(path: logPath, reason: "\(error)")
    }
  }
}
