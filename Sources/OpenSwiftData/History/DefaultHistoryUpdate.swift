/// That a model was changed, as a ``DefaultStore`` has recorded it.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate where Model: PersistentModel {
  /// The transaction's number.
  public typealias TransactionIdentifier = Int64
  /// The change's number.
  public typealias ChangeIdentifier = Int64

  /// The change's number.
  public let changeIdentifier: Int64
  /// The transaction's number.
  public let transactionIdentifier: Int64
  /// What identifies the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that were set; a value need not differ from the one before.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// What the values of properties were before and behind the update, by name, where the store's
  /// configuration records values.
  public let changedValues: [String: HistoryValueChange]

  /// Whether both are the same change of one store.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Feeds what tells changes apart into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
