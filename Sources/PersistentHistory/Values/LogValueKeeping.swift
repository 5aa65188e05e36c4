import StoreEditing
import StoreFormat

extension StoreFile {
  /// The size of a batch of values in bytes, about.
  private static let batchSize = 1 << 20

  /// Writes the values that the store's log holds into the file of recorded values beside it, so that they are
  /// not lost when the log is restarted.
  ///
  /// Values that the file has already stay. The store itself is only read.
  ///
  /// - Parameter first: The oldest transaction whose values are kept; `nil` for all.
  /// - Returns: The number of values that were written.
  /// - Throws: ``/StoreEditing/StoreWriteError/unrecordedValues(path:reason:)``, and
  ///   ``/StoreFormat/StoreError``.
  @discardableResult
  package func keepLogValues(from first: Int64? = nil) throws -> Int {
    try read { snapshot in
      guard let identifier = snapshot.metadata.storeIdentifier,
        let values = try RecordedValues(beside: snapshot, busyTimeout: busyTimeout),
        values.readsLog,
        let start = try snapshot.logValueExtent()?.first
      else { return 0 }
      var query = HistoryQuery(after: max(start, first ?? start) - 1)
      query.recordedValues = values
      query.checksCompleteness = false
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      let batch = ValueBatch(
        path: RecordedValuesFile.path(besideStore: location.resolvedPath),
        storeIdentifier: identifier, store: location, busyTimeout: busyTimeout)
      while let transaction = try reader.nextTransaction() {
        while let change = try reader.nextChange() {
          guard change.valueSource == .log, let name = change.entity?.name,
            let primaryKey = change.primaryKey
          else { continue }
          try batch.add(
            change.values.map {
              RecordedValueRow(
                transaction: transaction.number, timestamp: transaction.timestamp,
                change: change.number, entityName: name, primaryKey: primaryKey, value: $0,
                source: .log)
            })
        }
      }
      return try batch.finish()
    }
  }

  /// Writes rows in batches.
  private final class ValueBatch {
    private let open: () throws -> RecordedValuesEditor
    private var editor: RecordedValuesEditor?
    private var rows: [RecordedValueRow] = []
    private var byteCount = 0
    private var count = 0

    init(path: String, storeIdentifier: String, store: StoreLocation, busyTimeout: Double) {
      open = {
        try RecordedValuesEditor(
          path: path, storeIdentifier: storeIdentifier, beside: store, busyTimeout: busyTimeout)
      }
    }

    func add(_ more: [RecordedValueRow]) throws {
      rows += more
      byteCount += more.reduce(0) { $0 + $1.value.byteCount + 128 }
      if byteCount >= StoreFile.batchSize { try write() }
    }

    /// Writes what is left; returns the number of all rows.
    func finish() throws -> Int {
      try write()
      try editor?.close()
      return count
    }

    private func write() throws {
      guard !rows.isEmpty else { return }
      let editor = try editor ?? open()
      self.editor = editor
      try editor.write(rows)
      count += rows.count
      rows = []
      byteCount = 0
    }
  }
}
