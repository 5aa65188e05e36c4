import DurableFiles
import GRDB

/// What tells whether a store has been saved to, or is another file by now.
package struct StoreStamp: Hashable, Sendable {
  /// SQLite's own count of the changes that others have made, in the log too.
  let dataVersion: Int64
  let store: FileStatus?
  let log: FileStatus?

  /// Whether the path still leads to the file that was opened.
  package func isSameFile(as other: StoreStamp) -> Bool {
    store?.inode == other.store?.inode && store?.device == other.store?.device
  }
}

extension StoreFile {
  /// Whether an open store shows what others save later; a private copy and a store that is read
  /// without locks do not, and ``isOutdated`` tells when that is of consequence.
  package var seesLaterSaves: Bool { accessMode == .shared }

  /// A stamp that changes with every save of anybody else.
  ///
  /// - Throws: ``StoreError``.
  package func stamp() throws -> StoreStamp {
    // Taken first, so that a save in between is seen the next time rather than never.
    let store = try status(location.resolvedPath)
    let log = try status(location.logPath)
    return StoreStamp(dataVersion: try readDataVersion(), store: store, log: log)
  }

  /// Runs a body and tells every statement by which the store is read meanwhile.
  ///
  /// - Throws: ``StoreError``, or what the body throws.
  package func tracing<Result>(
    _ statement: @escaping (String) -> Void, _ body: () throws -> Result
  ) throws -> Result {
    func trace(_ body: ((Database.TraceEvent) -> Void)?) throws {
      try inDatabase { $0.trace(body) }
    }
    try trace { event in
      if case .statement(let traced) = event { statement(traced.sql) }
    }
    defer { try? trace(nil) }
    return try body()
  }

  private func status(_ path: String) throws(StoreError) -> FileStatus? {
    do {
      return try FileStatus(path: path)
    } catch {
      throw .unreadable(path: location.path, reason: error.description)
    }
  }
}
