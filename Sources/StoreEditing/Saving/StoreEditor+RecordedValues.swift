import GRDB
import StoreFormat

/// Old and new values of updates are kept beside the store, and go with their transactions.
extension StoreEditor {
  /// Opens the file that keeps the values of a store.
  static func valuesEditor(
    beside location: StoreLocation, _ queue: DatabaseQueue, busyTimeout: Double,
    durability: Durability
  ) throws -> RecordedValuesEditor {
    let identifier = try queue.read { try StoreMetadata.identifier(StatementRunner($0)) }
    guard !identifier.isEmpty else {
      throw StoreError.damaged(
        path: location.path, place: "its metadata", detail: "the store has no identifier")
    }
    return try RecordedValuesEditor(
      path: RecordedValuesFile.path(besideStore: location.resolvedPath),
      storeIdentifier: identifier, beside: location, busyTimeout: busyTimeout,
      durability: durability)
  }

  /// Removes recorded values of transactions that are gone, which nobody sees any more.
  package func eraseValues(before number: Int64) {
    let path = RecordedValuesFile.path(besideStore: location.resolvedPath)
    guard !isMigrating, RecordedValuesFile.isThere(path),
      let identifier = try? queue.unsafeReentrantRead({
        try StoreMetadata.identifier(StatementRunner($0))
      }),
      let file = try? RecordedValuesFile(path: path, storeIdentifier: identifier)
    else { return }
    _ = RecordedValuesErasure.erase(before: number, from: file, of: location)
  }
}
