/// An object in a store, or one that a save will insert.
package struct StoreObject: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    case stored(primaryKey: Int64)
    case inserted(number: Int)
  }

  package let entityName: String
  package let place: Place

  package init(entityName: String, primaryKey: Int64) {
    self.entityName = entityName
    place = .stored(primaryKey: primaryKey)
  }

  package init(entityName: String, insertedAs number: Int) {
    self.entityName = entityName
    place = .inserted(number: number)
  }

  /// The primary key, or `nil` for an object that a save will insert; ``AppendedTransaction/primaryKey(of:)``
  /// then returns it.
  package var primaryKey: Int64? {
    if case .stored(let primaryKey) = place { primaryKey } else { nil }
  }
}
