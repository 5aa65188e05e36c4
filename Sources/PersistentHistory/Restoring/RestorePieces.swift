import StoreEditing
import StoreFormat

/// Gives what a plan puts back, piece by piece, as rows of the store.
final class RestorePieces {
  private let plan: RestorePlan
  private let reader: any SealedTransactionReader
  private let translator: HistoryTranslator
  private var current: HistoryTransaction?
  /// A change of the current transaction that has been read ahead, with its recorded values.
  private var pending: (row: RecordedChange, values: [RecordedValueRow])?
  private var lowest: Int64?
  /// Is told when recorded values are about to be given.
  private let willGiveValues: () throws -> Void

  init(
    _ plan: RestorePlan, of sealed: any RestorableHistory,
    willGiveValues: @escaping () throws -> Void
  ) throws {
    self.plan = plan
    self.willGiveValues = willGiveValues
    reader = try sealed.transactions(through: plan.newestRead)
    translator = HistoryTranslator(
      schema: plan.schema, isModelKnown: plan.isModelKnown, tables: plan.insertion.tables,
      path: plan.path)
  }

  /// The next piece; `nil` after the last.
  ///
  /// - Throws: ``RestoreObstacle``, and what the reading throws.
  func next() throws -> HistoryInsertion.Piece? {
    guard let transaction = try current ?? nextTransaction() else { return nil }
    if current == nil {
      current = transaction
      pending = try nextChange(of: transaction)
    }
    var changes: [RecordedChange] = []
    var values: [RecordedValueRow] = []
    var length = 0
    while let change = pending, changes.count < HistoryInsertion.Piece.size,
      length < HistoryInsertion.Piece.valueLength
    {
      changes.append(change.row)
      values += change.values
      length += change.values.reduce(0) { $0 + $1.value.byteCount }
      pending = try nextChange(of: transaction)
    }
    if !values.isEmpty { try willGiveValues() }
    let isWhole = pending == nil
    if isWhole { current = nil }
    return HistoryInsertion.Piece(
      transaction: transaction.number, changes: changes,
      row: isWhole ? try translator.row(of: transaction) : nil, values: values)
  }

  private func nextTransaction() throws -> HistoryTransaction? {
    while lowest != plan.first?.number || lowest == nil {
      guard let transaction = try reader.nextTransaction() else {
        guard let wanted = plan.first?.number else { return nil }
        throw RestoreObstacle.notSealed(path: plan.path, wanted: wanted, oldestSealed: lowest)
      }
      if let lowest, transaction.number >= lowest {
        throw RestoreObstacle.disorder(transaction: transaction.number)
      }
      lowest = transaction.number
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
    while let change = try reader.nextChange() {
      let row = try translator.row(
        of: change, in: transaction.number,
        skipsGoneEntities: transaction.number == plan.oldest?.number)
      guard let row else { continue }
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
        entityName: entityName, primaryKey: primaryKey, value: $0)
    }
  }
}
