import StoreEditing
import StoreFormat

/// Puts recorded values back beside a store: those of changes that are about to come back.
final class RestoredValues {
  /// How long the log may grow before it is moved into the file, in bytes.
  private static let longestLog = 4 << 20
  /// About how many bytes a row takes without its values.
  private static let rowLength = 256

  private let store: StoreLocation
  private let storeIdentifier: String
  private let busyTimeout: Double
  private var editor: RecordedValuesEditor?
  /// About how long the log is.
  private var logLength = 0

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

  /// Does what need not be done while the store is locked: opens the file, which is made where it is
  /// missing, and keeps its log short.
  func prepare() throws {
    if let editor {
      guard logLength > Self.longestLog else { return }
      logLength = 0
      return try editor.moveLog()
    }
    editor = try RecordedValuesEditor(
      path: path, storeIdentifier: storeIdentifier, beside: store, busyTimeout: busyTimeout,
      durability: .whenClosed, movesLog: false)
  }

  /// Writes values, behind ``prepare()``.
  func write(_ rows: [RecordedValueRow]) throws {
    try editor?.write(rows)
    logLength += rows.reduce(0) { $0 + $1.value.byteCount + Self.rowLength }
  }
}
