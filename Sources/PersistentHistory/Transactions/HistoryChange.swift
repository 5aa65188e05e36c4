import StoreFormat

/// The change that a transaction made to one object: an insert, an update or a delete.
///
/// A store records which attributes an update touched, not their values. ``values`` has them if the program that
/// saved recorded them, or the store's log still holds them; see ``RecordedValues``. A deleted object leaves
/// values only for attributes that the model marks to be preserved; see ``tombstoneValues``.
public struct HistoryChange: Hashable, Sendable {
  /// The change number.
  public var number: Int64
  /// The kind of the change, or `nil` for a kind that no framework writes.
  public var kind: ChangeKind?
  /// The object's own entity, or `nil` where the row holds none.
  public var entity: HistoryEntity?
  /// The object's primary key, or `nil` where the row holds none.
  public var primaryKey: Int64?
  /// The columns that an update touched, by number, or `nil` for inserts and deletes.
  public var mask: ColumnMask?
  /// The values that a deleted object left behind, by column, without nulls at the end.
  public var tombstone: [StoredValue]
  /// Columns of the row that no other property represents.
  package var extra: [ExtraColumn]
  /// The old and new values of what the change set, by name. Empty where they are not known, or not read.
  public var values: [RecordedValue]
  /// Where ``values`` come from.
  public var valueSource: ValueSource

  package init(
    number: Int64, kind: ChangeKind?, entity: HistoryEntity?, primaryKey: Int64?,
    mask: ColumnMask? = nil, tombstone: [StoredValue] = [], extra: [ExtraColumn] = [],
    values: [RecordedValue] = [], valueSource: ValueSource = .program
  ) {
    self.number = number
    self.kind = kind
    self.entity = entity
    self.primaryKey = primaryKey
    self.mask = mask
    self.tombstone = tombstone
    self.extra = extra
    self.values = values
    self.valueSource = valueSource
  }

  /// The properties that an update touched, in column order and each once.
  ///
  /// `nil` for inserts and deletes, and if the model does not contain the names.
  public var attributes: [String]? {
    guard kind == .update, let mask else { return nil }
    return entity?.slots?.names(in: mask)
  }

  /// The object, where the row names one.
  public var object: HistoryObject? {
    guard let name = entity?.name, let primaryKey else { return nil }
    return HistoryObject(entityName: name, primaryKey: primaryKey)
  }

  /// The values that a deleted object left behind, by attribute name, without nulls.
  ///
  /// `nil` for inserts and updates, and if the model does not contain the names; ``tombstone`` then has the values
  /// by column.
  public var tombstoneValues: [String: StoredValue]? {
    preservedValues.map { values in
      Dictionary(keepingFirst: values.map { ($0.attribute.name, $0.value) })
    }
  }

  /// Removes the values, as if they had not been read.
  package mutating func removeValues() {
    values = []
    valueSource = .program
  }

  /// ``tombstoneValues`` in column order, with the types of the attributes.
  package var preservedValues: [(attribute: ManagedAttribute, value: StoredValue)]? {
    kind == .delete ? entity?.preservedValues(in: tombstone) : nil
  }

  /// Returns about how many bytes the change takes in a store, by the rules for SQLite's rows.
  var recordByteCount: Int64 {
    // A dozen columns of one or two bytes in the header, and as many bytes of small numbers.
    Int64(26 + (mask?.byteCount ?? 0) + tombstone.reduce(0) { $0 + $1.byteCount })
  }
}
