import StoreFormat

/// What changes to one object, one after the other, come to.
///
/// Entity and primary key say which object it is. Folding changes one by one and merging what parts
/// of them come to give the same, however they are grouped, as long as their order is kept:
///
/// ```swift
/// var net: [HistoryObject: NetChange] = [:]
/// for transaction in transactions {
///   for change in transaction.changes {
///     guard let object = change.object else { continue }
///     if net[object]?.fold(change, in: transaction.number) == nil {
///       net[object] = NetChange(change, in: transaction.number)
///     }
///   }
/// }
/// ```
///
/// ``NetChangeReader`` does the same for a store, in little memory.
public struct NetChange: Hashable, Sendable {
  /// The delete that ended an object.
  public struct Deletion: Hashable, Sendable {
    /// The change number.
    public let change: Int64
    /// What the object left behind, by slot and without nulls at the end.
    public let tombstone: [StoredValue]

    /// A delete.
    package init(change: Int64, tombstone: [StoredValue]) {
      self.change = change
      self.tombstone = tombstone
    }
  }

  /// The object's own entity.
  public let entity: HistoryEntity
  /// The object's primary key.
  public let primaryKey: Int64
  /// What the changes did to whether the object is there.
  package private(set) var effect: NetEffect
  /// The columns that updates touched; none where the object was inserted or deleted as well, for
  /// then all of them are others.
  package private(set) var columns: TouchedColumns
  /// The first delete, which is the one of the object that was there before.
  package private(set) var deletion: Deletion?
  /// The number of the transaction with the first of the changes.
  package private(set) var firstTransaction: Int64
  /// The number of the transaction with the last of the changes.
  package private(set) var lastTransaction: Int64
  /// How many changes there were.
  package private(set) var changeCount: Int
  /// What the values of an updated object were before the first of the updates whose values were
  /// recorded, and behind the last of them; empty for everything but an update.
  package internal(set) var values: [RecordedValue] = []

  /// What one change comes to; nil where its row names no object, or is of a kind that no framework
  /// writes.
  package init?(_ change: HistoryChange, in transaction: Int64) {
    guard let kind = change.kind, let entity = change.entity, let primaryKey = change.primaryKey
    else { return nil }
    self.init(
      entity: entity, primaryKey: primaryKey, effect: NetEffect(kind),
      columns: kind == .update ? TouchedColumns(updateWith: change.mask) : .none,
      deletion: kind == .delete
        ? Deletion(change: change.number, tombstone: change.tombstone) : nil,
      firstTransaction: transaction, lastTransaction: transaction, changeCount: 1,
      values: kind == .update ? change.values : [])
  }

  init(
    entity: HistoryEntity, primaryKey: Int64, effect: NetEffect, columns: TouchedColumns,
    deletion: Deletion?, firstTransaction: Int64, lastTransaction: Int64, changeCount: Int,
    values: [RecordedValue] = []
  ) {
    self.entity = entity
    self.primaryKey = primaryKey
    self.effect = effect
    self.columns = columns
    self.deletion = deletion
    self.firstTransaction = firstTransaction
    self.lastTransaction = lastTransaction
    self.changeCount = changeCount
    self.values = values
  }

  /// Adds the next change of the object.
  ///
  /// - Returns: Whether it was added; a change of another object is not, nor one whose row names
  ///   none or that is of a kind that no framework writes.
  @discardableResult
  package mutating func fold(_ change: HistoryChange, in transaction: Int64) -> Bool {
    guard let next = NetChange(change, in: transaction) else { return false }
    return merge(next)
  }

  /// Adds what later changes of the object come to.
  ///
  /// - Returns: Whether it was added; what is about another object is not.
  @discardableResult
  package mutating func merge(_ next: NetChange) -> Bool {
    guard entity == next.entity, primaryKey == next.primaryKey else { return false }
    effect = effect.followed(by: next.effect)
    columns = effect.changesIdentity ? .none : columns.merged(with: next.columns)
    deletion = deletion ?? next.deletion
    lastTransaction = next.lastTransaction
    changeCount += next.changeCount
    if effect.kind == .update {
      for value in next.values { values.fold(value) }
    } else {
      values = []
    }
    return true
  }

  /// This and then what later changes of the same object come to; nil where that is another object.
  package func merged(with next: NetChange) -> NetChange? {
    var merged = self
    return merged.merge(next) ? merged : nil
  }
}

extension NetChange {
  /// What happened in the end; nil where it is as if nothing had.
  public var kind: NetChangeKind? { effect.kind }

  /// The object, where its entity has a name.
  public var object: HistoryObject? {
    entity.name.map { HistoryObject(entityName: $0, primaryKey: primaryKey) }
  }

  /// The properties that were touched, in slot order and each once.
  ///
  /// Nil where the names cannot be known, and for everything but an update: of an object that is new
  /// or gone, all of them are.
  public var attributes: [String]? { kind == .update ? columns.names(of: entity) : nil }

  /// What the object that is gone left behind, by slot and without nulls at the end; empty where it
  /// still is there.
  public var tombstone: [StoredValue] {
    kind == .delete || kind == .replace ? deletion?.tombstone ?? [] : []
  }

  /// The values that the deleted object left behind, by attribute name, without nulls.
  ///
  /// `nil` where the object still exists, and where the model does not tell the names.
  public var tombstoneValues: [String: StoredValue]? {
    preservedValues.map { values in
      Dictionary(
        values.map { ($0.attribute.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// ``tombstoneValues`` in column order, with the types of the attributes.
  package var preservedValues: [(attribute: ManagedAttribute, value: StoredValue)]? {
    kind == .delete || kind == .replace ? entity.preservedValues(in: tombstone) : nil
  }
}
