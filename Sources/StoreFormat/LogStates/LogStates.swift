import CSQLiteSupport
import GRDB
import GRDBSQLite

/// The states of a store that its write-ahead log still holds: the one before its first commit, and the one
/// after each commit.
///
/// A log holds every commit since it was last restarted. A page of a state is the newest frame up to the commit,
/// or else the page of the main file, as far as no checkpoint has overwritten it. An uncertain page counts as
/// unknown: reading it has no result.
///
/// Reading changes no byte, and takes no lock beyond that of the snapshot: its read transaction keeps the
/// log from being restarted. If the whole log is already in the main file, the salts of the log are
/// compared after each read instead.
package final class LogStates {
  /// Why the states of a log are not known.
  package enum Problem: Error, Hashable, Sendable {
    /// The log is missing or empty, or all of it belongs to earlier states.
    case empty
    /// Another program saved while the snapshot began.
    case changing
    /// The log is damaged, or longer than what is looked at.
    case unusable
    /// This process used SQLite before, with settings that do not allow it.
    case settings
  }

  /// The number of states: one more than that of the commits.
  package var count: Int { frames.commits.count + 1 }

  package let frames: LogFrames
  let base: BasePages
  private let snapshot: StoreSnapshot
  private let mark: LogMark

  init(
    _ snapshot: StoreSnapshot, _ sharedMark: LogMark?, continuing earlier: LogFrames?
  ) throws(Problem) {
    guard let connection = snapshot.database.sqliteConnection,
      let file = csqlite_main_file(connection), let log = csqlite_log_file(connection),
      csqlite_size(log) > 0
    else { throw .empty }
    guard StoreConnection.acceptsParameters else { throw .settings }
    guard sqlite3_txn_state(connection, "main") != SQLITE_TXN_WRITE else { throw .changing }
    let isPrivate = LogStates.isPrivate(snapshot.database)
    guard let mark = isPrivate ? LogMark.scanning(log) : sharedMark else {
      throw isPrivate ? .unusable : .changing
    }
    guard mark.lastFrame > 0 else { throw .empty }
    let found = LogFrames(log, count: mark.lastFrame, salts: mark.salts, continuing: earlier)
    guard let frames = found else { throw .unusable }
    self.snapshot = snapshot
    self.mark = mark
    self.frames = frames
    base = BasePages(
      file, frames, isComplete: { isPrivate || mark.isLast(connection) },
      attemptedFrameCount: { isPrivate ? .max : mark.attemptedFrameCount(connection) })
  }

  /// Whether nobody shares the files of a connection.
  private static func isPrivate(_ database: Database) -> Bool {
    (try? String.fetchOne(database, sql: "PRAGMA main.locking_mode")) == "exclusive"
  }

  /// The first state from which on all of every state is known; ``count`` if there is none. Of earlier ones,
  /// parts may be known.
  package var firstWholeState: Int {
    base.knownFrom == 0
      ? 0 : frames.commits.partitioningIndex { $0.frameCount >= base.knownFrom } + 1
  }

  /// Whether frames still are what they were when they were listed.
  var isCurrent: Bool {
    guard mark.frame == 0, let connection = snapshot.database.sqliteConnection else { return true }
    return mark.isCurrent(connection)
  }

  /// Fails if the snapshot has ended.
  func checkIsOpen() throws(StoreError) { try snapshot.checkIsOpen() }
}

extension StoreSnapshot {
  /// The states that the log still holds.
  ///
  /// - Parameter earlier: The frames of an earlier snapshot of the same open store, which need not be listed again.
  /// - Throws: ``LogStates/Problem``.
  package func logStates(
    continuing earlier: LogFrames? = nil
  ) throws(LogStates.Problem) -> LogStates {
    let states = try LogStates(self, logMark, continuing: earlier ?? logFrames)
    logFrames = states.frames
    return states
  }
}
