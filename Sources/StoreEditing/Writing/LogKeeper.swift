import DurableFiles
import GRDB
import GRDBSQLite
import StoreFormat
import StoreTransactions

/// Keeps the write-ahead log short while much is written.
///
/// SQLite would checkpoint within a commit, or not at all while a reader blocks it. The keeper does it
/// between batches, when nobody waits for the write lock.
final class LogKeeper {
  /// The length from which the log is moved into the store, in bytes: SQLite's own default.
  private static let comfortable = 4 << 20
  /// The length at which writing stops until the log can be used from its start again, in bytes.
  private static let longest = 12 << 20
  /// How much the log may grow before a blocked checkpoint is tried again, in bytes.
  private static let step = 1 << 20

  private let connection: OpaquePointer?
  private let path: String
  private let timeout: Double
  private let frameSize: Int
  /// The pages in the log after the last commit, as SQLite reports them.
  private let pageCount: UnsafeMutablePointer<CInt>
  private var nextLook = LogKeeper.comfortable

  /// - Parameter timeout: How long to wait for readers, in seconds.
  init(_ database: Database, path: String, timeout: Double) throws {
    connection = database.sqliteConnection
    self.path = path
    self.timeout = timeout
    frameSize = (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096) + 24
    pageCount = .allocate(capacity: 1)
    pageCount.initialize(to: 0)
    sqlite3_wal_autocheckpoint(connection, 0)
    sqlite3_wal_hook(
      connection,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: CInt.self).pointee = pages
        return SQLITE_OK
      }, pageCount)
    // Pages that other programs have left in the log count too.
    pageCount.pointee = try checkpoint(SQLITE_CHECKPOINT_PASSIVE).pages
  }

  deinit {
    sqlite3_wal_hook(connection, nil, nil)
    pageCount.deallocate()
  }

  /// Moves the log into the store if it has grown, and waits for readers if it is too long.
  ///
  /// - Throws: ``StoreWriteError/pinnedLog(path:seconds:)`` if a reader blocks it for too long.
  func keepShort() throws {
    let length = Int(pageCount.pointee) * frameSize
    if length < Self.comfortable { nextLook = Self.comfortable }
    guard length >= nextLook else { return }
    // Another attempt also moves what other programs wrote meanwhile.
    for _ in 0..<3 {
      if try !checkpoint(SQLITE_CHECKPOINT_PASSIVE).isIncomplete { break }
    }
    nextLook = length + Self.step
    if length >= Self.longest { try waitForReaders() }
  }

  private func waitForReaders() throws {
    var start = ContinuousClock.now
    var moved: CInt = -1
    while true {
      let state = try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
      if !state.isIncomplete, try restart() { return }
      if state.movedPages > moved {
        moved = state.movedPages
        start = .now
      }
      guard start.secondsAgo < timeout else {
        throw StoreWriteError.pinnedLog(path: path, seconds: timeout)
      }
      Pause.take(seconds: 0.05)
    }
  }

  /// Makes SQLite write the log from its start again; returns `false` if somebody still reads in it.
  private func restart() throws -> Bool {
    guard !(try checkpoint(SQLITE_CHECKPOINT_RESTART).isBusy) else { return false }
    pageCount.pointee = 0
    nextLook = Self.comfortable
    return true
  }

  /// Moves all of the log into the store so that its space can be used again; returns `false` if that
  /// gains nothing.
  func reuseSpace() throws -> Bool {
    guard pageCount.pointee > 0, try !checkpoint(SQLITE_CHECKPOINT_PASSIVE).isIncomplete else {
      return false
    }
    return try restart()
  }

  /// Empties the log if nobody reads in it, as the frameworks do, or else makes it as short as possible.
  ///
  /// Errors are ignored: everything in the log is committed, and the next program moves it.
  func settle() {
    guard let state = try? checkpoint(SQLITE_CHECKPOINT_PASSIVE), !state.isIncomplete else {
      return
    }
    _ = try? checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
  }

  private struct State {
    var isBusy: Bool
    var pages: CInt
    var movedPages: CInt
    /// Whether a part of the log is not in the store yet.
    var isIncomplete: Bool { isBusy || movedPages < pages }
  }

  private func checkpoint(_ mode: CInt) throws -> State {
    var (pages, moved): (CInt, CInt) = (0, 0)
    let result = sqlite3_wal_checkpoint_v2(connection, nil, mode, &pages, &moved)
    guard [SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED].contains(result) else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: result),
        message: connection.map { String(cString: sqlite3_errmsg($0)) })
    }
    return State(isBusy: result != SQLITE_OK, pages: max(pages, 0), movedPages: max(moved, 0))
  }
}
