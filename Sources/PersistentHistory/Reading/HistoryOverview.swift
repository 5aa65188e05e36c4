import StoreFormat

/// The first and the last transaction of a store, and the highest number that it has issued.
package struct HistoryReach: Hashable, Sendable {
  /// The oldest transaction; `nil` in an empty history.
  package let oldest: TransactionPosition?
  /// The newest transaction; `nil` in an empty history.
  let newest: TransactionPosition?
  /// The highest transaction number that the store has issued.
  package let highestIssued: Int64
  /// Whether the store's counter is lower than a number in use, as in a copy without its `-wal`. An
  /// app that writes to such a copy reuses numbers.
  package let isTorn: Bool

  package init(of snapshot: StoreSnapshot) throws {
    oldest = try snapshot.oldestTransaction()
    newest = try snapshot.newestTransaction()
    let issued = snapshot.entities.highestNumber(of: .transaction)
    highestIssued = max(issued, newest?.number ?? 0)
    isTorn =
      try (newest?.number ?? 0) > issued
      || snapshot.highestChangeNumber() > snapshot.entities.highestNumber(of: .change)
  }
}

/// A summary of a store's history: span, size, authors and entities.
package struct HistoryOverview: Sendable {
  /// The changes of one entity.
  package struct EntityCount: Sendable {
    package let entity: HistoryEntity
    package var inserts: Int64 = 0
    package var updates: Int64 = 0
    package var deletes: Int64 = 0
    /// The number of changes of a kind that no framework writes.
    var others: Int64 = 0
    var total: Int64 { inserts + updates + deletes + others }
  }

  package let transactionCount: Int64
  package let reach: HistoryReach
  /// The changes by entity, the largest count first; empty if ``changeCount`` is not known.
  package let entities: [EntityCount]
  /// The transactions by author, the largest count first; `nil` stands for none.
  package let authors: TextCounts
  /// The transactions by bundle, the largest count first.
  package let bundles: TextCounts
  /// The transactions by process, the largest count first.
  package let processes: TextCounts
  /// The bytes of the history's pages; `nil` if SQLite cannot tell.
  package let historyByteCount: Int64?
  /// The number of changes; `nil` if a page of them cannot be read.
  package let changeCount: Int64?
  /// The first damage that makes a count wrong, or a part unknown; `nil` if there is none.
  package let damage: StoreError?
  package var oldest: TransactionPosition? { reach.oldest }
  package var newest: TransactionPosition? { reach.newest }
  package var highestIssued: Int64 { reach.highestIssued }
  var isTorn: Bool { reach.isTorn }
  /// Whether ``authors``, ``bundles`` and ``processes`` have all texts.
  package var listsAllTexts: Bool {
    authors.isComplete && bundles.isComplete && processes.isComplete
  }

  /// Summarizes a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - schema: Its entities; `nil` to read them.
  /// - Throws: ``/StoreFormat/StoreError/withoutHistory(path:)`` in a store without history tables.
  package init(snapshot: StoreSnapshot, schema: HistorySchema? = nil) throws {
    transactionCount = try snapshot.transactionCount()
    reach = try HistoryReach(of: snapshot)
    var problem: StoreError?
    /// Returns `nil` for what is damaged.
    func readable<Value>(_ read: () throws -> Value) throws -> Value? {
      do {
        return try read()
      } catch {
        let error = StoreError.translating(error, location: snapshot.location, busyTimeout: 0)
        guard let error = error as? StoreError, case .damaged = error else { throw error }
        problem = problem ?? error
        return nil
      }
    }
    let changes = try readable { try snapshot.changeCounts() }
    entities = HistoryOverview.entities(changes ?? [], try schema ?? HistorySchema(snapshot))
    changeCount = changes == nil ? nil : entities.reduce(0) { $0 + $1.total }
    authors = try readable { try snapshot.textCounts(.author) } ?? .none
    bundles = try readable { try snapshot.textCounts(.bundle) } ?? .none
    processes = try readable { try snapshot.textCounts(.process) } ?? .none
    historyByteCount = try readable { try snapshot.historyByteCount() } ?? nil
    _ = try readable { try snapshot.checkCounts() }
    damage = problem
  }

  private static func entities(_ counts: [ChangeCount], _ schema: HistorySchema) -> [EntityCount] {
    var entities: [Int64?: EntityCount] = [:]
    for count in counts {
      var entry =
        entities[count.entityNumber]
        ?? EntityCount(entity: count.entityNumber.map(schema.entity) ?? HistoryEntity(name: nil))
      switch count.kind {
      case .insert: entry.inserts += count.count
      case .update: entry.updates += count.count
      case .delete: entry.deletes += count.count
      case nil: entry.others += count.count
      }
      entities[count.entityNumber] = entry
    }
    return entities.values.sorted { ($1.total, $0.entity.label) < ($0.total, $1.entity.label) }
  }
}
