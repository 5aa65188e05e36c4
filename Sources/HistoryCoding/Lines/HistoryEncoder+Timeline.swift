import PersistentHistory
import StoreFormat

extension HistoryEncoder {
  /// Adds a transaction that a reader of a timeline has gone to, with its changes; where its line is
  /// there already and lines are wanted, that.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - reader: Where its changes come from.
  ///   - byteLimit: How much text may be gathered.
  ///   - flush: Puts the text elsewhere when ``byteCount`` has reached that.
  package mutating func append(
    _ transaction: HistoryTransaction, of reader: TimelineReader, byteLimit: Int,
    flush: (inout Self) throws -> Void
  ) throws {
    if takesLines, !reader.readsPresentObjects, reader.keepsArchivedChanges,
      let source = reader.archiveSource as? any TransactionLineSource,
      try source.readLine({ piece in
        append(line: piece)
        if byteCount >= byteLimit { try flush(&self) }
      })
    {
      return
    }
    begin(transaction)
    while try !appendChanges(of: reader, byteLimit: byteLimit) { try flush(&self) }
    end()
  }

  /// Adds the changes that a reader of a timeline gives of its current transaction.
  private mutating func appendChanges(
    of reader: TimelineReader, byteLimit: Int
  ) throws -> Bool {
    if let store = reader.storeReader {
      return try appendChanges(of: store, byteLimit: byteLimit)
    }
    let readsPresentObjects = reader.readsPresentObjects
    while let change = try reader.nextChange() {
      if readsPresentObjects {
        append(change, present: try reader.presentObject(of: change))
      } else {
        append(change)
      }
      if byteCount >= byteLimit { return false }
    }
    return true
  }
}
