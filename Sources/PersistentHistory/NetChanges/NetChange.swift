import StoreFormat

/// The net effect of consecutive changes to one object.
///
/// Entity and primary key identify the object. Changes can be folded one by one, and the results
/// merged, in any grouping that keeps their order:
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
    /// The tombstone, by slot and without nulls at the end.
    public let tombstone: [StoredValue]

    init(change: Int64, tombstone: [StoredValue]) {
      self.change = change
      self.tombstone = tombstone
    }
  }

  /// The object's own entity.
  public let entity: HistoryEntity
  /// The object's primary key.
  public let primaryKey: Int64
  /// The effect on whether the object exists.
  private(set) var effect: NetEffect
  /// The columns that updates touched; none if the object was also inserted or deleted, because all
  /// of them may differ then.
  package private(set) var columns: TouchedColumns
  /// The first delete: that of the object that existed before.
  package private(set) var deletion: Deletion?
  /// The number of the transaction with the first of the changes.
  package private(set) var firstTransaction: Int64
  /// The number of the transaction with the last of the changes.
  package private(set) var lastTransaction: Int64
  /// The number of changes.
  package private(set) var changeCount: Int
  /// The values of an updated object before the first and after the last update whose values were
  /// recorded; empty for everything but an update.
  package internal(set) var values: [RecordedValue] = []

  /// Makes the net effect of one change; `nil` if its row names no object, or a kind that no
  /// framework writes.
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

  /// Returns the same effect with what a deletion preserved, in terms of an entity.
  func ended(by deletion: Deletion, of entity: HistoryEntity) -> NetChange {
    NetChange(
      entity: entity, primaryKey: primaryKey, effect: effect, columns: columns,
      deletion: deletion, firstTransaction: firstTransaction, lastTransaction: lastTransaction,
      changeCount: changeCount, values: values)
  }

  /// Adds the next change of the object.
  ///
  /// - Returns: Whether it was added; `false` for a change of another object, and for one whose row
  ///   names no object or a kind that no framework writes.
  @discardableResult
  package mutating func fold(_ change: HistoryChange, in transaction: Int64) -> Bool {
    guard let next = NetChange(change, in: transaction) else { return false }
    return merge(next)
  }

  /// Adds the net effect of later changes.
  ///
  /// - Returns: Whether it was added; `false` for one of another object.
  @discardableResult
  package mutating func merge(_ next: NetChange) -> Bool {
    guard entity == next.entity, primaryKey == next.primaryKey else { return false }
    effect = effect.followed(by: next.effect)
    deletion = deletion ?? next.deletion
    lastTransaction = next.lastTransaction
    changeCount += next.changeCount
    if effect.kind == .update {
      var net = FoldedValues(values, touched: columns.names(of: entity) ?? [])
      net.fold(next.values, of: next.columns.names(of: entity) ?? [])
      values = net.known
    } else {
      values = []
    }
    columns = effect.changesIdentity ? .none : columns.merged(with: next.columns)
    return true
  }

  /// Returns the net effect of this and of later changes; `nil` if those are of another object.
  package func merged(with next: NetChange) -> NetChange? {
    var merged = self
    return merged.merge(next) ? merged : nil
  }
}

extension NetChange {
  /// The kind of the net effect; `nil` if there is none.
  public var kind: NetChangeKind? { effect.kind }

  /// The object; `nil` if its entity has no name.
  public var object: HistoryObject? {
    entity.name.map { HistoryObject(entityName: $0, primaryKey: primaryKey) }
  }

  /// The properties that were touched, in slot order and each once.
  ///
  /// `nil` if the names are not known, and for everything but an update.
  public var attributes: [String]? { kind == .update ? columns.names(of: entity) : nil }

  /// The tombstone of a deleted object, by slot and without nulls at the end; empty otherwise.
  public var tombstone: [StoredValue] {
    kind == .delete || kind == .replace ? deletion?.tombstone ?? [] : []
  }

  /// The values of a deleted object's tombstone by attribute name, without null values.
  ///
  /// `nil` if no model has the names, and for an object that was not deleted.
  public var tombstoneValues: [String: StoredValue]? {
    preservedValues.map { values in
      Dictionary(keepingFirst: values.map { ($0.attribute.name, $0.value) })
    }
  }

  /// ``tombstoneValues`` in column order, with the types of the attributes.
  package var preservedValues: [(attribute: ManagedAttribute, value: StoredValue)]? {
    kind == .delete || kind == .replace ? entity.preservedValues(in: tombstone) : nil
  }
}
