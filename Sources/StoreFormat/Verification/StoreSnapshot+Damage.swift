/// What SQLite came upon that contradicts itself or the layout.
package struct StoreDamage: Hashable, Sendable {
  /// The part of the store.
  package let place: String
  /// What is wrong there.
  package let detail: String

  /// Damage.
  package init(place: String, detail: String) {
    self.place = place
    self.detail = detail
  }
}

extension StoreSnapshot {
  /// Does something that reads the store, and gives the damage that kept it from going on; nil where
  /// nothing did.
  ///
  /// Whoever looks for damage goes on with what can still be read.
  ///
  /// - Throws: Whatever else went wrong.
  package func damage(in body: () throws -> Void) throws -> StoreDamage? {
    do {
      try body()
      return nil
    } catch {
      let error = StoreError.translating(error, location: location, busyTimeout: 0)
      guard case StoreError.damaged(_, let place, let detail) = error else { throw error }
      return StoreDamage(place: place, detail: detail)
    }
  }
}
