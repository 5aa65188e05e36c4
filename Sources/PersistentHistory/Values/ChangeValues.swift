import StoreFormat

/// Finds the old and new values of changes, which are asked for transaction by transaction and in recorded
/// order.
final class ChangeValues {
  private let recorded: TransactionValues?
  private let log: LogValues?

  init(_ values: RecordedValues, _ snapshot: StoreSnapshot) throws {
    recorded = values.file.map(TransactionValues.init)
    log = values.readsLog ? try LogValues(snapshot) : nil
  }

  func start(_ position: TransactionPosition) {
    recorded?.start(position)
    log?.start(position)
  }

  /// Whether the current transaction may have values.
  var mayHaveValues: Bool { recorded != nil || log?.isInLog ?? false }

  /// Whether all values that were asked for of the current transaction were recorded, or are in the log.
  var isComplete: Bool { log?.isComplete ?? false }

  /// The first transaction that may be in the log; `nil` if none is.
  var firstInLog: Int64? { log?.firstTransaction }

  /// Whether transactions up to one may have values.
  func mayHaveValues(upTo number: Int64) -> Bool {
    recorded != nil || log?.mayHave(number) ?? false
  }

  /// Returns the values of a change and where they come from; none if they are not known.
  func values(
    of row: ChangeCursor, _ entity: (Int64) -> HistoryEntity
  ) throws -> (values: [RecordedValue], source: ValueSource) {
    guard let kind = row.kind else { return ([], .program) }
    if let found = try recorded?.values(ofChange: row.number, primaryKey: row.primaryKey),
      !found.values.isEmpty
    {
      return found
    }
    guard let log, log.isInLog, let number = row.entityNumber, let primaryKey = row.primaryKey
    else {
      return ([], .program)
    }
    let attributes = row.mask.flatMap { entity(number).slots?.names(in: $0) }
    return (
      try log.values(
        ofChange: row.number, kind, entityNumber: number, primaryKey: primaryKey,
        attributes: attributes), .log
    )
  }
}
