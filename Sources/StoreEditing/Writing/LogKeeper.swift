import DurableFiles
import GRDB
import GRDBSQLite
import StoreFormat

/// Keeps the write-ahead log short while much is written.
///
/// SQLite would move the log into the store within a commit, or not at all where a reader is in the
/// way. Here that is done between the batches, when nobody waits for the write lock.
final class LogKeeper {
  /// From this length on the log is moved into the store, in bytes: as SQLite itself would do.
  private static let comfortable = 4 << 20
  /// At this length nothing more is written until the log can be used from its start again.
  private static let longest = 12 << 20
  /// What the log may grow by before a reader that was in the way is looked for again.
  private static let step = 1 << 20

  private let connection: OpaquePointer?
  private let path: String
  private let patience: Double
  private let frameSize: Int
  /// How many pages the log holds since the last commit; SQLite tells.
  private let pageCount: UnsafeMutablePointer<CInt>
  private var nextLook = LogKeeper.comfortable

  init(_ database: Database, path: String, patience: Double) throws {
    connection = database.sqliteConnection
    self.path = path
    self.patience = patience
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
    // What others have left there counts as well.
    pageCount.pointee = try checkpoint(SQLITE_CHECKPOINT_PASSIVE).pages
  }

  deinit {
    sqlite3_wal_hook(connection, nil, nil)
    pageCount.deallocate()
  }

  private var length: Int { Int(pageCount.pointee) * frameSize }

  /// Moves the log into the store where it has grown, and waits where that is of no use yet.
  ///
  /// - Throws: ``StoreWriteError/pinnedLog(path:seconds:)`` where a reader is in the way for longer
  ///   than one is willing to wait.
  func keepShort() throws {
    if length < Self.comfortable { nextLook = Self.comfortable }
    guard length >= nextLook else { return }
    // What others wrote meanwhile is little and done with at once.
    for _ in 0..<3 {
      if try !checkpoint(SQLITE_CHECKPOINT_PASSIVE).isRest { break }
    }
    nextLook = length + Self.step
    if length >= Self.longest { try waitForReaders() }
  }

  private func waitForReaders() throws {
    var start = ContinuousClock.now
    var moved: CInt = -1
    while true {
      let state = try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
      if !state.isRest, try restart() { return }
      if state.movedPages > moved {
        moved = state.movedPages
        start = .now
      }
      guard start.secondsAgo < patience else {
        throw StoreWriteError.pinnedLog(path: path, seconds: patience)
      }
      Pause.take(seconds: 0.05)
    }
  }

  /// Has the log written from its start again; false where somebody still reads in it.
  private func restart() throws -> Bool {
    guard !(try checkpoint(SQLITE_CHECKPOINT_RESTART).isBusy) else { return false }
    pageCount.pointee = 0
    nextLook = Self.comfortable
    return true
  }

  /// Moves all of the log into the store, so that its space can be used again; false where that gains
  /// nothing.
  func makeRoom() throws -> Bool {
    guard pageCount.pointee > 0, try !checkpoint(SQLITE_CHECKPOINT_PASSIVE).isRest else {
      return false
    }
    return try restart()
  }

  /// Leaves the log empty where nobody reads in it, as the frameworks do; else as short as it can be.
  func settle() {
    guard let state = try? checkpoint(SQLITE_CHECKPOINT_PASSIVE), !state.isRest else { return }
    _ = try? checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
  }

  private struct State {
    var isBusy: Bool
    var pages: CInt
    var movedPages: CInt
    /// Whether a part of the log is not in the store yet.
    var isRest: Bool { isBusy || movedPages < pages }
  }

  private func checkpoint(_ mode: CInt) throws -> State {
    var (pages, moved): (CInt, CInt) = (0, 0)
    let result = sqlite3_wal_checkpoint_v2(connection, nil, mode, &pages, &moved)
    switch result {
    case SQLITE_OK: return State(isBusy: false, pages: max(pages, 0), movedPages: max(moved, 0))
    case SQLITE_BUSY, SQLITE_LOCKED:
      return State(isBusy: true, pages: max(pages, 0), movedPages: max(moved, 0))
    default:
      throw DatabaseError(
        resultCode: ResultCode(rawValue: result),
        message: connection.map { String(cString: sqlite3_errmsg($0)) })
    }
  }
}
