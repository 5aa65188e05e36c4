extension StoreLocation {
  /// How many bytes the write-ahead log has; 0 where there is none.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package func logSize() throws(StoreError) -> Int64 { try size(of: logPath) ?? 0 }

  /// Checks that nothing in the write-ahead log is lost that a write would take away for good.
  ///
  /// SQLite reads a log up to the first part that does not fit its checksum. The finished saves behind
  /// that part are still in the file, until somebody writes.
  ///
  /// - Parameter allowsTornEnd: Whether damage of the last save alone is let pass, as a loss of power
  ///   leaves it; see ``LogCondition/isTornAtEnd``.
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
