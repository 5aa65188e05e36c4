/// A recorded value with the change that it belongs to: one row of the file of recorded values.
package struct RecordedValueRow: Hashable, Sendable {
  /// The transaction's number.
  package var transaction: Int64
  /// The transaction's time, which tells it from another one that has its number in another copy of
  /// the store.
  package var timestamp: StoreTimestamp?
  /// The change's number.
  package var change: Int64
  /// The object's own entity.
  package var entityName: String
  /// The object's primary key.
  package var primaryKey: Int64
  /// The value.
  package var value: RecordedValue

  /// A row.
  package init(
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
  package struct Place: Hashable, Sendable {
    let transaction: Int64
    let change: Int64
    let name: String

    init(transaction: Int64, change: Int64, name: String) {
      self.transaction = transaction
      self.change = change
      self.name = name
    }

    /// The place before all values of a change.
    package init(before change: Int64, of transaction: Int64) {
      self.init(transaction: transaction, change: change, name: "")
    }
  }

  /// Where it stands among all rows.
  package var place: Place { Place(transaction: transaction, change: change, name: value.name) }
}
