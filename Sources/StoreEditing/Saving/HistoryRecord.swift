import StoreFormat

/// A transaction to append without touching the rows of entities.
///
/// For tests and samples: a store whose history says more than its tables do is one that no
/// framework would write.
package struct HistoryRecord: Hashable, Sendable {
  /// One change.
  package struct Change: Hashable, Sendable {
    /// What happened.
    package var kind: ChangeKind
    /// The object's own entity.
    package var entityName: String
    /// The object's primary key.
    package var primaryKey: Int64
    /// The properties that an update touched; all slots of each are marked.
    package var properties: [String]
    /// What a deleted object leaves behind, by the names of preserved attributes.
    package var tombstone: [String: StoredValue]

    /// A change.
    package init(
      _ kind: ChangeKind, _ entityName: String, _ primaryKey: Int64, properties: [String] = [],
      tombstone: [String: StoredValue] = [:]
    ) {
      self.kind = kind
      self.entityName = entityName
      self.primaryKey = primaryKey
      self.properties = properties
      self.tombstone = tombstone
    }
  }

  /// Who saved, with what and when.
  package var header: TransactionHeader
  /// The changes in recorded order.
  package var changes: [Change]

  /// A transaction.
  package init(header: TransactionHeader = TransactionHeader(), changes: [Change] = []) {
    self.header = header
    self.changes = changes
  }
}
