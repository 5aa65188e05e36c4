/// A recorded value with the change that it belongs to: one row of the file of recorded values.
public struct RecordedValueRow: Hashable, Sendable {
  /// The transaction's number.
  public var transaction: Int64
  /// The transaction's time, which tells it from another one that has its number in another copy of
  /// the store.
  public var timestamp: StoreTimestamp?
  /// The change's number.
  public var change: Int64
  /// The object's own entity.
  public var entityName: String
  /// The object's primary key.
  public var primaryKey: Int64
  /// The value.
  public var value: RecordedValue

  /// A row.
  public init(
    transaction: Int64, timestamp: StoreTimestamp?, change: Int64, entityName: String,
    primaryKey: Int64, value: RecordedValue
  ) {
    self.transaction = transaction
    self.timestamp = timestamp
    self.change = change
    self.entityName = entityName
    self.primaryKey = primaryKey
    self.value = value
  }

  /// Where it stands among all rows.
  public struct Place: Hashable, Sendable {
    let transaction: Int64
    let change: Int64
    let name: String

    init(transaction: Int64, change: Int64, name: String) {
      self.transaction = transaction
      self.change = change
      self.name = name
    }

    /// The place before all values of a change.
    public init(before change: Int64, of transaction: Int64) {
      self.init(transaction: transaction, change: change, name: "")
    }
  }

  /// Where it stands among all rows.
  public var place: Place { Place(transaction: transaction, change: change, name: value.name) }
}
