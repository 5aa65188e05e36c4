import StoreFormat

/// Puts recorded values back beside a store: those of changes that are about to come back.
///
/// As with saves they are written first, so that whatever is interrupted leaves values of transactions
/// that are not there, which nobody sees; restoring goes on with them.
final class RestoredValues {
  /// How many bytes of values are gathered before they are written.
  private static let mostBytes = 1 << 20

  private let store: StoreLocation
  private let storeIdentifier: String
  private let busyTimeout: Double
  private var editor: RecordedValuesEditor?
  private var rows: [RecordedValueRow] = []
  private var byteCount = 0

  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)`` where there is a file of values
  ///   that is damaged or of another store.
  init(beside store: StoreLocation, storeIdentifier: String, busyTimeout: Double) throws {
    self.store = store
    self.storeIdentifier = storeIdentifier
    self.busyTimeout = busyTimeout
    if RecordedValuesFile.isThere(path) {
      _ = try RecordedValuesFile(path: path, storeIdentifier: storeIdentifier)
    }
  }

  private var path: String { RecordedValuesFile.path(besideStore: store.resolvedPath) }

  /// Takes the values of a change.
  func add(_ change: HistoryChange, of transaction: HistoryTransaction) throws {
    guard let entityName = change.entity?.name, let primaryKey = change.primaryKey else { return }
    for value in change.values {
      byteCount += value.byteCount
      rows.append(
        RecordedValueRow(
          transaction: transaction.number, timestamp: transaction.timestamp,
          change: change.number, entityName: entityName, primaryKey: primaryKey, value: value))
    }
    if byteCount > Self.mostBytes { try write() }
  }

  /// Writes what has been taken.
  func write() throws {
    guard !rows.isEmpty else { return }
    if editor == nil {
      editor = try RecordedValuesEditor(
        path: path, storeIdentifier: storeIdentifier, beside: store, busyTimeout: busyTimeout,
        durability: .whenClosed)
    }
    try editor?.write(rows)
    rows.removeAll(keepingCapacity: true)
    byteCount = 0
  }
}
