import StoreFormat

/// Where the values of a change were found.
enum ValuePlace: Hashable, Sendable {
  /// In the file of recorded values.
  case recorded
  /// In the write-ahead log.
  case log
  /// In an archive.
  case archive
}

/// Finds the old and new values of changes, which are asked for transaction by transaction and in recorded
/// order.
final class ChangeValues {
  private let recorded: TransactionValues?
  private let log: LogValues?
  private let archived: ArchivedValues?
  /// Whether values that were kept from the log are read from it again.
  private let readsLogAgain: Bool
  /// Where the last values were found.
  private(set) var place = ValuePlace.recorded

  init(
    _ values: RecordedValues?, _ snapshot: StoreSnapshot, archive: (any ArchivedHistory)? = nil,
    readsLogAgain: Bool = false
  ) throws {
    self.readsLogAgain = readsLogAgain
    recorded = (values?.file).map(TransactionValues.init)
    log = values?.readsLog == true ? try LogValues(snapshot) : nil
    archived = archive.map(ArchivedValues.init)
  }

  func start(_ position: TransactionPosition) {
    recorded?.start(position)
    log?.start(position)
    archived?.start(position)
  }

  /// Whether the current transaction may have values.
  var mayHaveValues: Bool {
    recorded != nil || log?.isInLog ?? false || archived?.isInArchive ?? false
  }

  /// Whether all values that were asked for of the current transaction were recorded, or are in the log.
  var isComplete: Bool { log?.isComplete ?? false }

  /// The first transaction that may be in the log; `nil` if none is.
  var firstInLog: Int64? { log?.firstTransaction }

  /// Whether transactions up to one may have values.
  func mayHaveValues(upTo number: Int64) -> Bool {
    recorded != nil || archived != nil || log?.mayHave(number) ?? false
  }

  /// Returns the values of a change and where they come from; none if they are not known.
  func values(
    of row: ChangeCursor, _ entity: (Int64) -> HistoryEntity
  ) throws -> (values: [RecordedValue], source: ValueSource) {
    guard let kind = row.kind else { return ([], .program) }
    if let found = try recorded?.values(ofChange: row.number, primaryKey: row.primaryKey),
      !found.values.isEmpty, !readsLogAgain || found.source == .program
    {
      place = .recorded
      return found
    }
    if let log, log.isInLog, let number = row.entityNumber, let primaryKey = row.primaryKey {
      let attributes = row.mask.flatMap { entity(number).slots?.names(in: $0) }
      let found = try log.values(
        ofChange: row.number, kind, entityNumber: number, primaryKey: primaryKey,
        attributes: attributes)
      if !found.isEmpty {
        place = .log
        return (found, .log)
      }
    }
    place = .archive
    return try archived?.values(ofChange: row.number, primaryKey: row.primaryKey) ?? ([], .program)
  }
}
