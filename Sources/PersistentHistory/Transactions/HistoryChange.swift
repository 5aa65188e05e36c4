import StoreFormat

/// What a transaction did to one object: inserted, updated or deleted it.
///
/// A store's history keeps which attributes an update touched, never their values; only what a deleted
/// object was told to leave behind has a value, in its ``tombstone``. ``values`` has those of an update
/// where the program that saved has kept them, see ``RecordedValues``.
public struct HistoryChange: Hashable, Sendable {
  /// The change number.
  public var number: Int64
  /// What happened; nil for a kind that no framework writes.
  public var kind: ChangeKind?
  /// The object's own entity; nil where the row holds none.
  public var entity: HistoryEntity?
  /// The object's primary key; nil where the row holds none.
  public var primaryKey: Int64?
  /// Which slots an update touched; nil for inserts and deletes.
  public var mask: ColumnMask?
  /// What a deleted object left behind, by slot and without nulls at the end.
  public var tombstone: [StoredValue]
  /// Columns of the row that say more than the properties above.
  public var extra: [ExtraColumn]
  /// What an update changed values from and to, by name; empty where that was not recorded, or not
  /// asked for.
  public var values: [RecordedValue]

  /// A change.
  package init(
    number: Int64, kind: ChangeKind?, entity: HistoryEntity?, primaryKey: Int64?,
    mask: ColumnMask? = nil, tombstone: [StoredValue] = [], extra: [ExtraColumn] = [],
    values: [RecordedValue] = []
  ) {
    self.number = number
    self.kind = kind
    self.entity = entity
    self.primaryKey = primaryKey
    self.mask = mask
    self.tombstone = tombstone
    self.extra = extra
    self.values = values
  }

  /// The properties that an update touched, in slot order and each once; nil where the names cannot
  /// be known, and for inserts and deletes.
  public var attributes: [String]? {
    guard kind == .update, let mask else { return nil }
    return entity?.slots?.names(in: mask)
  }

  /// The object, where the row names one.
  public var object: HistoryObject? {
    guard let name = entity?.name, let primaryKey else { return nil }
    return HistoryObject(entityName: name, primaryKey: primaryKey)
  }

  /// What a deleted object left behind, by attribute; values that were nil are left out.
  ///
  /// Nil for inserts and updates, and where no model tells the names. Values in columns that the
  /// entity does not use have no name and are in ``tombstone`` only.
  public var preservedValues: [(attribute: ManagedAttribute, value: StoredValue)]? {
    kind == .delete ? entity?.preservedValues(in: tombstone) : nil
  }
}
