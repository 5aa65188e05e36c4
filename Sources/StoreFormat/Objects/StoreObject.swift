/// An object that is in a store, or that a save is about to put there.
package struct StoreObject: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    case stored(primaryKey: Int64)
    case inserted(number: Int)
  }

  /// The object's own entity.
  package let entityName: String
  package let place: Place

  /// An object that is in the store.
  package init(entityName: String, primaryKey: Int64) {
    self.entityName = entityName
    place = .stored(primaryKey: primaryKey)
  }

  package init(entityName: String, insertedAs number: Int) {
    self.entityName = entityName
    place = .inserted(number: number)
  }

  /// The primary key of an object that is in the store; nil for one that a save is about to insert,
  /// whose key ``AppendedTransaction/primaryKey(of:)`` tells afterwards.
  package var primaryKey: Int64? {
    if case .stored(let primaryKey) = place { primaryKey } else { nil }
  }
}
