import DurableFiles
import PersistentHistory
import StoreEditing
import StoreFormat
import StoreTransactions

/// Returns free pages of a store to the file system.
package struct Compaction {
  /// What compacting would do.
  package struct Plan {
    package let space: StoreSpace
    /// Why it would be refused.
    package let refusal: StoreWriteError?
  }

  /// Whether values in the log are first saved to the file of recorded values.
  package var keepsLogValues = true

  private let context: StoreContext
  private let isFull: Bool
  private let ignoredGuards: Set<String>

  /// - Parameters:
  ///   - isFull: Whether to rebuild the store; otherwise pages are returned a few at a time.
  ///   - ignoredGuards: The names of guards to ignore.
  package init(_ context: StoreContext, isFull: Bool, ignoredGuards: Set<String>) {
    self.context = context
    self.isFull = isFull
    self.ignoredGuards = ignoredGuards
  }

  /// Works out what compacting would do.
  package func plan(_ snapshot: StoreSnapshot) throws -> Plan {
    try EvidentDamage.check(snapshot, ignoredGuards: ignoredGuards, readsPages: true)
    let space = try snapshot.space()
    let tables = isFull ? try snapshot.tablesThatRebuildingRenumbers() : []
    let refusal: StoreWriteError? =
      if !tables.isEmpty {
        .renumbersRows(path: context.path, tables: tables)
      } else if !isFull, space.autoVacuum == .none, space.freePageCount > 0 {
        .notIncremental(path: context.path)
      } else {
        nil
      }
    return Plan(space: space, refusal: refusal)
  }

  /// Compacts a store that shows no damage, unless that guard is ignored.
  package func run() throws -> CompactionResult {
    let (path, observer) = (context.path, context.observer)
    let ignoresDamage = ignoredGuards.contains(RetentionGuard.damageName)
    var space: StoreSpace?
    if !ignoresDamage {
      space = try context.rollingBackUnfinishedSave {
        // All pages are read, which must not keep an app from saving meanwhile.
        let store = try StoreFile(
          location: StoreLocation(path: path), busyTimeout: context.busyTimeout,
          manner: .withoutLock)
        return try store.read {
          try EvidentDamage.check($0, readsPages: true)
          return try $0.space()
        }
      }
    }
    // The log would be moved into the store for nothing, and the states that it holds would be lost.
    if !isFull, let space, space.freePageCount == 0 {
      return CompactionResult(
        unchanged: space, fileByteCount: try FileStatus(path: path)?.size ?? space.byteCount)
    }
    if keepsLogValues { try context.open().keepLogValues() }
    let compactor = try StoreCompactor(
      path: path, busyTimeout: context.busyTimeout, ignoresDamage: ignoresDamage)
    let result: CompactionResult
    if isFull {
      observer(.rebuilding(store: path))
      result = try compactor.rebuild()
    } else {
      observer(.freeing(pages: 0, store: path))
      result = try compactor.giveBackFreePages { observer(.freeing(pages: $0, store: path)) }
    }
    observer(.finished)
    return result
  }
}

/// Not all free pages could be returned; the next run continues.
package struct CompactionInterrupted: Error {
  package let path: String
  package let obstacle: CompactionResult.Obstacle

  package init(path: String, obstacle: CompactionResult.Obstacle) {
    self.path = path
    self.obstacle = obstacle
  }
}
