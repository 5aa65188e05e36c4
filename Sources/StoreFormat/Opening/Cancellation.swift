import GRDB
import GRDBSQLite
import Synchronization

/// Ends a reading whose result nobody waits for any more.
///
/// A store, and an archive's segment, that is opened while a cancellation is ``current`` asks it at every step: while
/// SQLite runs a statement, at each page that is read without SQLite, at each transaction, and at each frame of a
/// segment. Reading then fails with an error.
///
/// ```swift
/// let cancellation = Cancellation()
/// queue.async { Cancellation.$current.withValue(cancellation) { … } }
/// cancellation.cancel()
/// ```
package final class Cancellation: Sendable {
  /// The cancellation of what is opened in the present task or on the present thread.
  @TaskLocal package static var current: Cancellation?

  private let isSet = Atomic(false)
  private let isRequested: @Sendable () -> Bool

  /// - Parameter isRequested: Whether something else asks to cancel, such as a signal that has come. It is called
  ///   at every step, on any thread.
  package init(_ isRequested: @escaping @Sendable () -> Bool = { false }) {
    self.isRequested = isRequested
  }

  /// Ends the reading at its next step.
  package func cancel() { isSet.store(true, ordering: .relaxed) }

  package var isCancelled: Bool { isSet.load(ordering: .relaxed) || isRequested() }

  // MARK: - Statements of SQLite

  /// How many steps of its program SQLite takes until it asks again: less than a tenth of a millisecond.
  private static let stepsOfSQLite: CInt = 4096

  /// Lets a connection ask while it runs statements. An interrupted statement fails with `SQLITE_INTERRUPT`.
  func interruptStatements(of database: Database) throws {
    // The connection keeps the cancellation.
    let result = sqlite3_create_function_v2(
      database.sqliteConnection, "histctl_cancellation", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(self).toOpaque(), { context, _, _ in sqlite3_result_null(context) },
      nil, nil,
      { cancellation in
        if let cancellation { Unmanaged<Cancellation>.fromOpaque(cancellation).release() }
      })
    guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    sqlite3_progress_handler(
      database.sqliteConnection, Self.stepsOfSQLite,
      { cancellation in
        guard let cancellation else { return 0 }
        return Unmanaged<Cancellation>.fromOpaque(cancellation).takeUnretainedValue().isCancelled
          ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
