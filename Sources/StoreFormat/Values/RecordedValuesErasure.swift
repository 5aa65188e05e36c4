/// Removes recorded values of transactions that are gone.
public enum RecordedValuesErasure {
  /// What became of it.
  public struct Result: Sendable {
    /// How many values were removed, for good.
    public internal(set) var valueCount = 0
    /// What stopped it, a ``StoreWriteError`` as a rule; nil where all are removed.
    public internal(set) var problem: (any Error)?
  }

  /// Removes the values of all transactions before one, in batches so short that an app which saves
  /// meanwhile is not kept waiting.
  ///
  /// - Parameters:
  ///   - number: The transaction whose values stay, with those of all after it.
  ///   - file: The file, as it was opened for reading.
  /// - Returns: What was removed, and what stopped it if anything did.
  public static func erase(before number: Int64, from file: RecordedValuesFile) -> Result {
    var result = Result()
    do {
      let connection = try BatchConnection(
        location: file.location, busyTimeout: file.busyTimeout)
      result.problem = connection.run {
        Work(statement: $0, number: number)
      } progress: { _ in
      } finish: {
        result.valueCount = $0.work.valueCount
      }
      if result.problem == nil { emptyLog(of: file) }
    } catch {
      result.problem = error
    }
    return result
  }

  /// Moves the log into the file, so that what is removed is nowhere any more; where somebody reads it,
  /// the next save does so.
  private static func emptyLog(of file: RecordedValuesFile) {
    guard
      let queue = try? WritingConnection.open(path: file.location.resolvedPath, busyTimeout: 0)
    else { return }
    try? queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try? queue.close()
  }

  private struct Work: BatchedWork {
    /// How many rows go in one step.
    private static let stepSize: Int64 = 64
    /// How many pages are given back in one step.
    private static let pageCount = 64

    let statement: StatementRunner
    let number: Int64
    var valueCount = 0
    var hasStep = true
    /// Whether all rows are gone, so that their pages can be given back.
    private var isErased = false

    init(statement: StatementRunner, number: Int64) {
      self.statement = statement
      self.number = number
    }

    mutating func checkStore() {}

    mutating func takeStep() throws {
      guard !isErased else {
        try statement.run("PRAGMA incremental_vacuum(\(Self.pageCount))")
        hasStep = try freePageCount() > 0
        return
      }
      let count = try statement.run(
        """
        DELETE FROM recorded_value WHERE rowid IN (
          SELECT rowid FROM recorded_value WHERE transaction_number < ?1
          ORDER BY transaction_number LIMIT ?2)
        """, [.integer(number), .integer(Self.stepSize)])
      valueCount += count
      isErased = count < Self.stepSize
      // A file that somebody has rebuilt in another way keeps its free pages.
      if isErased { hasStep = try freePageCount() > 0 && isIncremental() }
    }

    private func freePageCount() throws -> Int64 {
      try statement.integer("PRAGMA freelist_count") ?? 0
    }

    private func isIncremental() throws -> Bool { try statement.integer("PRAGMA auto_vacuum") == 2 }
  }
}
