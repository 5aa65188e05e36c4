/// The condition of a store's write-ahead log by its checksums.
///
/// SQLite reads a log up to the first frame with a wrong checksum and ignores the rest. That is
/// correct after a crash in the middle of a save, but hides a flipped bit: all saves after it are
/// lost without an error.
package enum LogCondition: Hashable, Sendable {
  /// Missing or empty.
  case empty
  /// All of it can be read.
  case whole(frameCount: Int)
  /// It does not begin like a log of this store, so SQLite ignores it.
  case unusable(reason: String)
  /// A frame has a wrong checksum, and committed saves follow it.
  case broken(frame: Int, lostFrameCount: Int, lostSaveCount: Int)
  /// The log ends in the middle of a save, which begins before or with this frame, and which SQLite ignores.
  case unfinished(frame: Int, UnfinishedLog)
  /// Another process wrote to it at each attempt.
  case changing

  /// Whether only the last save is damaged.
  ///
  /// A loss of power can cause it: frames of an unfinished save reach the disk in any order. All
  /// earlier saves can be read.
  package var isTornAtEnd: Bool {
    if case .broken(_, _, let saves) = self { saves == 1 } else { false }
  }
}

/// Why the last save in a write-ahead log is not whole.
package enum UnfinishedLog: Hashable, Sendable {
  /// A frame has a wrong checksum, and no committed save follows it.
  case wrongChecksum
  /// A frame is not one of this log, and other frames of this log follow it.
  case foreignFrame(followingCount: Int)
  /// The file ends in the middle of a frame.
  case cutFrame
  /// The save has no end; its frames can be read otherwise.
  case uncommitted(frameCount: Int)
}

extension StoreSnapshot {
  /// Reads the whole log and compares it with its checksums.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package func logCondition() throws -> LogCondition {
    let pageSize = try StatementRunner(database).integer("PRAGMA page_size")
    return try location.logCondition(pageSize: pageSize.map { Int(clamping: $0) })
  }
}

extension StoreLocation {
  /// Reads the whole log and compares it with its checksums, also if the store cannot be opened.
  ///
  /// - Parameter pageSize: The page size of the store; `nil` for that of the log.
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package func logCondition(pageSize: Int? = nil) throws(StoreError) -> LogCondition {
    do {
      return try LogScan.condition(ofLogAt: logPath, pageSize: pageSize)
    } catch {
      throw .unreadable(path: logPath, reason: "\(error)")
    }
  }

  /// Returns whether the log begins like one, so that SQLite reads it.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  func hasUsableLog() throws(StoreError) -> Bool {
    do {
      return try LogScan.isUsable(logAt: logPath)
    } catch {
      throw .unreadable(path: logPath, reason: "\(error)")
    }
  }

  /// Returns the size of the write-ahead log in bytes; 0 if it is missing.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package func logSize() throws(StoreError) -> Int64 { try size(of: logPath) ?? 0 }

  /// Checks that the write-ahead log has no committed saves after a damaged frame: SQLite ignores
  /// them, and the next write destroys them.
  ///
  /// - Parameter allowsTornEnd: Whether to accept damage of the last save alone; see
  ///   ``LogCondition/isTornAtEnd``.
  /// - Throws: ``StoreError/damaged(path:place:detail:)``, ``StoreError/unreadable(path:reason:)``.
  package func checkLog(allowsTornEnd: Bool = false) throws(StoreError) {
    let condition = try logCondition()
    if allowsTornEnd, condition.isTornAtEnd { return }
    switch condition {
    case .empty, .whole, .unfinished, .changing: return
    case .unusable(let reason):
      throw .damaged(path: path, place: "its -wal", detail: reason)
    case .broken(let frame, _, _):
      throw .damaged(
        path: path, place: "frame \(frame) of its -wal",
        detail: "its checksum is wrong; committed saves follow it, and the next write will destroy "
          + "them")
    }
  }
}
