import StoreEditing
import StoreFormat

extension StoreSnapshot {
  /// Returns the state of the store right after a transaction, as its log still holds it.
  ///
  /// - Throws: ``HistoryError/unknownState(number:path:reason:)`` if the log does not hold it.
  package func state(after position: TransactionPosition) throws -> LogState {
    let number = position.number
    func unknown(_ reason: String) -> HistoryError {
      .unknownState(number: number, path: location.path, reason: reason)
    }
    let commits: LogCommits
    do throws(LogStates.Problem) {
      commits = LogCommits(try logStates())
    } catch {
      throw unknown(error.message ?? "the log is empty")
    }
    guard let state = try commits.state(after: position),
      let connection = try commits.connection(to: state)
    else {
      throw unknown(
        commits.floor.map { $0 >= number } ?? true
          ? "it was saved before the log began, or a checkpoint has overwritten what was before"
          : "the commit that saved it cannot be found")
    }
    guard commits.newestTransaction(in: state) == number else {
      throw unknown("the commit that saved it has later transactions too")
    }
    return connection
  }
}

extension StoreCopy {
  /// Copies the store as it was right after a transaction, with the files of large values that are still there.
  ///
  /// After the newest transaction, it is the present state where the log does not hold that right after it.
  ///
  /// - Parameters:
  ///   - snapshot: The store, whose log must hold that state.
  ///   - position: The transaction.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  /// - Returns: The number of transactions in the copy, that of files of large values, and the tables of the copy
  ///   whose indexes list other rows than they have.
  /// - Throws: ``HistoryError/unknownState(number:path:reason:)``, ``/StoreTransactions/StoreWriteError``, and errors
  ///   of `progress`; no copy is left then.
  package func write(
    _ snapshot: StoreSnapshot, after position: TransactionPosition,
    progress: (Int64) throws -> Void = { _ in }
  ) throws -> (transactionCount: Int64, externalFileCount: Int, incorrectlyIndexed: [String]) {
    let state: LogState
    do {
      state = try snapshot.state(after: position)
    } catch {
      guard case HistoryError.unknownState = error,
        try snapshot.newestTransaction()?.number == position.number
      else { throw error }
      return try write(snapshot, deletingBefore: nil, deleting: [], progress: progress) {
        try ($0.transactionCount(), $2, $0.tablesWithIncorrectIndexes())
      }
    }
    do {
      return try write(snapshot, state: state, progress: progress) { inside, files in
        (try inside.transactionCount(), files, try inside.tablesWithIncorrectIndexes())
      }
    } catch  where state.lacksPages {
      throw HistoryError.unknownState(
        number: position.number, path: snapshot.location.path,
        reason: "a checkpoint has overwritten a part of it")
    }
  }
}
