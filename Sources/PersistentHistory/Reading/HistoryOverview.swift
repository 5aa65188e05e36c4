import StoreEditing
import StoreFormat

/// A store's history at a glance: its span, its size, who wrote it and what about.
package struct HistoryOverview: Sendable {
  /// The changes of one entity.
  package struct EntityCount: Sendable {
    /// The entity.
    package let entity: HistoryEntity
    /// How many inserts.
    package var inserts: Int64 = 0
    /// How many updates.
    package var updates: Int64 = 0
    /// How many deletes.
    package var deletes: Int64 = 0
    /// How many changes are of a kind that no framework writes.
    package var others: Int64 = 0
    /// How many changes in all.
    package var total: Int64 { inserts + updates + deletes + others }
  }

  /// How many transactions there are.
  package let transactionCount: Int64
  /// The oldest transaction; nil in an empty history.
  package let oldest: TransactionPosition?
  /// The newest transaction; nil in an empty history.
  package let newest: TransactionPosition?
  /// The highest transaction number that the store ever issued.
  package let highestIssued: Int64
  /// The changes by entity, the most first.
  package let entities: [EntityCount]
  /// The transactions by author, the most first; nil is for those without one.
  package let authors: [TextCount]
  /// The transactions by bundle, the most first.
  package let bundles: [TextCount]
  /// The transactions by process, the most first.
  package let processes: [TextCount]
  /// The bytes of the pages that history occupies; nil where SQLite cannot tell.
  package let historyByteCount: Int64?
  /// Whether the highest number that the store has written down is lower than one that is there.
  ///
  /// That is a copy which lost its `-wal`; an app that goes on with it would use numbers again.
  package let isTorn: Bool

  /// How many changes there are.
  package var changeCount: Int64 { entities.reduce(0) { $0 + $1.total } }

  /// Sums up a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - schema: Its entities, where they are known already.
  /// - Throws: ``/StoreFormat/StoreError/withoutHistory(path:)`` in a store without history tables.
  package init(snapshot: StoreSnapshot, schema: HistorySchema? = nil) throws {
    transactionCount = try snapshot.transactionCount()
    oldest = try snapshot.oldestTransaction()
    newest = try snapshot.newestTransaction()
    let issued = snapshot.entities.highestNumber(of: .transaction)
    highestIssued = max(issued, newest?.number ?? 0)
    isTorn =
      try (newest?.number ?? 0) > issued
      || snapshot.highestChangeNumber() > snapshot.entities.highestNumber(of: .change)
    entities = HistoryOverview.entities(
      try snapshot.changeCounts(), try schema ?? HistorySchema(snapshot))
    authors = try snapshot.textCounts(.author)
    bundles = try snapshot.textCounts(.bundle)
    processes = try snapshot.textCounts(.process)
    historyByteCount = try snapshot.historyByteCount()
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
