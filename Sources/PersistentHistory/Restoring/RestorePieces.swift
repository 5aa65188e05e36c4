import StoreFormat

/// Gives what a plan puts back, piece by piece, as rows of the store.
final class RestorePieces {
  private let plan: RestorePlan
  private let reader: any SealedTransactionReader
  private let translator: HistoryTranslator
  private var current: HistoryTransaction?
  /// A change of the current transaction that has been read ahead.
  private var pending: RecordedChange?
  private var lowest: Int64?
  /// Takes the recorded values of what is given; nil where they do not come back.
  private let values: RestoredValues?

  init(
    _ plan: RestorePlan, of sealed: any RestorableHistory, values: RestoredValues? = nil
  ) throws {
    self.plan = plan
    self.values = values
    reader = try sealed.transactions(through: plan.newestRead)
    translator = HistoryTranslator(
      schema: plan.schema, isModelKnown: plan.isModelKnown, tables: plan.insertion.tables,
      path: plan.path)
  }

  /// The next piece; nil behind the last.
  ///
  /// - Throws: ``RestoreObstacle``, and what the reading throws.
  func next() throws -> HistoryInsertion.Piece? {
    guard let transaction = try current ?? nextTransaction() else { return nil }
    if current == nil {
      current = transaction
      pending = try nextChange(of: transaction)
    }
    var changes: [RecordedChange] = []
    while let change = pending, changes.count < HistoryInsertion.Piece.size {
      changes.append(change)
      pending = try nextChange(of: transaction)
    }
    try values?.write()
    if pending != nil {
      return HistoryInsertion.Piece(transaction: transaction.number, changes: changes, row: nil)
    }
    current = nil
    return HistoryInsertion.Piece(
      transaction: transaction.number, changes: changes,
      row: try translator.row(of: transaction))
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

  private func nextChange(of transaction: HistoryTransaction) throws -> RecordedChange? {
    while let change = try reader.nextChange() {
      let row = try translator.row(
        of: change, in: transaction.number,
        skipsGoneEntities: transaction.number == plan.oldest?.number)
      guard let row else { continue }
      try values?.add(change, of: transaction)
      return row
    }
    return nil
  }
}
