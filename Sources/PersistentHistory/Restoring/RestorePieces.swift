import StoreEditing
import StoreFormat
import StoreTransactions

/// Returns the rows that a plan puts back, piece by piece.
final class RestorePieces {
  private let plan: RestorePlan
  private let walk: RestoreWalk
  private var current: HistoryTransaction?
  /// The next change of the current transaction, with its recorded values.
  private var pending: (row: RecordedChange, values: [RecordedValueRow])?
  /// Whether the next change of the current transaction was not read yet, although there is none pending.
  private var hasUnreadChanges = false
  /// Called before a piece with recorded values is returned.
  private let willReturnValues: () throws -> Void

  init(
    _ plan: RestorePlan, of sealed: any ArchivedHistory,
    willReturnValues: @escaping () throws -> Void
  ) throws {
    self.plan = plan
    self.willReturnValues = willReturnValues
    walk = try RestoreWalk(
      sealed, through: plan.newestRead, oldest: plan.oldest, schema: plan.schema,
      isModelKnown: plan.isModelKnown, tables: plan.insertion.tables, path: plan.path)
  }

  /// Returns the next piece, or `nil` after the last one.
  func next() throws -> HistoryInsertion.Piece? {
    guard let transaction = try current ?? nextTransaction() else { return nil }
    if current == nil {
      current = transaction
      hasUnreadChanges = true
    }
    if hasUnreadChanges {
      pending = try nextChange(of: transaction)
      hasUnreadChanges = false
    }
    var changes: [RecordedChange] = []
    var values: [RecordedValueRow] = []
    var byteCount = 0
    while let change = pending, changes.count < HistoryInsertion.Piece.size {
      let next = plan.insertion.byteCount(of: change.row, change.values)
      guard changes.isEmpty || byteCount + next <= HistoryInsertion.Piece.maxByteCount else {
        break
      }
      byteCount += next
      changes.append(change.row)
      values += change.values
      // It may be large, and is released before the next one is read.
      pending = nil
      hasUnreadChanges = byteCount >= HistoryInsertion.Piece.maxByteCount
      if hasUnreadChanges { break }
      pending = try nextChange(of: transaction)
    }
    if !values.isEmpty { try willReturnValues() }
    let isWhole = pending == nil && !hasUnreadChanges
    if isWhole { current = nil }
    let row = isWhole ? try walk.row(of: transaction) : nil
    return HistoryInsertion.Piece(
      transaction: transaction.number, changes: changes, row: row, values: values,
      byteCount: byteCount + (row?.byteCount ?? 0))
  }

  private func nextTransaction() throws -> HistoryTransaction? {
    while walk.number != plan.first?.number || walk.number == nil {
      guard let transaction = try walk.nextTransaction() else {
        guard let wanted = plan.first?.number else { return nil }
        throw RestoreObstacle.notSealed(path: plan.path, wanted: wanted, oldestSealed: walk.number)
      }
      let isOldest = transaction.number == plan.oldest?.number
      if isOldest, plan.completed == nil { continue }
      if !isOldest, plan.first.map({ transaction.number < $0.number }) ?? true { return nil }
      return transaction
    }
    return nil
  }

  private func nextChange(
    of transaction: HistoryTransaction
  ) throws -> (row: RecordedChange, values: [RecordedValueRow])? {
    while let change = try walk.nextChange() {
      guard let row = try walk.row(of: change) else { continue }
      return (row, plan.request.restoresValues ? values(of: change, in: transaction) : [])
    }
    return nil
  }

  private func values(
    of change: HistoryChange, in transaction: HistoryTransaction
  ) -> [RecordedValueRow] {
    guard let entityName = change.entity?.name, let primaryKey = change.primaryKey else {
      return []
    }
    return change.values.map {
      RecordedValueRow(
        transaction: transaction.number, timestamp: transaction.timestamp, change: change.number,
        entityName: entityName, primaryKey: primaryKey, value: $0, source: change.valueSource)
    }
  }
}

/// Restores the recorded values of changes beside a store.
final class RestoredValues {
  /// The size of the log at which it is moved into the file, in bytes.
  private static let maxLogSize = 4 << 20
  /// The approximate size of a row without its values, in bytes.
  private static let rowSize = 256

  private let store: StoreLocation
  private let storeIdentifier: String
  private let busyTimeout: Double
  private var editor: RecordedValuesEditor?
  /// The approximate size of the log.
  private var logSize = 0

  /// - Throws: ``/StoreFormat/StoreError/unusableValues(path:reason:)`` if a file of values exists that
  ///   is damaged or of another store.
  init(beside store: StoreLocation, storeIdentifier: String, busyTimeout: Double) throws {
    self.store = store
    self.storeIdentifier = storeIdentifier
    self.busyTimeout = busyTimeout
    if RecordedValuesFile.exists(path) {
      _ = try RecordedValuesFile(path: path, storeIdentifier: storeIdentifier)
    }
  }

  private var path: String { RecordedValuesFile.path(besideStore: store.resolvedPath) }

  /// Opens the file, creating it if it is missing, and keeps its log short. Called while the store is
  /// not locked.
  func prepare() throws {
    if let editor {
      guard logSize > Self.maxLogSize else { return }
      logSize = 0
      return try editor.moveLog()
    }
    editor = try RecordedValuesEditor(
      path: path, storeIdentifier: storeIdentifier, beside: store, busyTimeout: busyTimeout,
      durability: .whenClosed)
  }

  /// Writes values, after ``prepare()``.
  func write(_ rows: [RecordedValueRow]) throws {
    try editor?.write(rows)
    logSize += rows.reduce(0) { $0 + $1.value.byteCount + Self.rowSize }
  }
}
