/// What SQLite came upon that contradicts itself or the layout.
public struct StoreDamage: Hashable, Sendable {
  /// The part of the store.
  public let place: String
  /// What is wrong there.
  public let detail: String

  /// Damage.
  public init(place: String, detail: String) {
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
  public func damage(in body: () throws -> Void) throws -> StoreDamage? {
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
