import StoreFormat

/// Reads a query's part of a timeline: transactions of archive and store as one history, and its
/// gaps.
///
/// Memory does not grow with the history.
package final class TimelineReader {
  package enum Element {
    /// A transaction, without its changes.
    case transaction(HistoryTransaction)
    /// Transactions that were deleted.
    case gap(HistoryGap)
  }

  /// The reader of the store, while the current transaction is in the store.
  package private(set) var storeReader: HistoryReader?
  /// The source of the current transaction, if it is archived.
  private(set) var archiveSource: (any TransactionSource)?

  /// The number of the transaction that was returned last; `nil` before the first one.
  package private(set) var lastNumber: Int64?

  private let timeline: HistoryTimeline
  private var query: HistoryQuery
  private var pieces: [HistoryTimeline.Piece]
  private let schema: HistorySchema
  /// The number of transactions that remain; `nil` for all.
  private var rest: Int?
  /// Whether values of the current transaction were released.
  private var hasReleased = false

  /// The size in bytes above which a transaction is not kept beside those of other readers.
  private static let largeTransaction = 1 << 14

  /// Prepares to read.
  ///
  /// - Parameters:
  ///   - timeline: The history.
  ///   - query: Which transactions to read.
  ///   - schema: Its entities.
  /// - Throws: ``HistoryError`` if the query names something that the history does not have, or the
  ///   archive is of another copy of the store; ``/StoreFormat/StoreError``, and what the archive
  ///   throws.
  package convenience init(
    _ timeline: HistoryTimeline, query: HistoryQuery, schema: HistorySchema
  ) throws {
    try self.init(
      timeline, query, schema, try timeline.pieces(after: query.after, until: query.until))
  }

  /// Prepares to read archived transactions and gaps only.
  ///
  /// - Parameters:
  ///   - timeline: The history.
  ///   - query: Which transactions to read.
  ///   - schema: Its entities.
  /// - Throws: As ``init(_:query:schema:)``.
  package convenience init(
    archivedPartOf timeline: HistoryTimeline, query: HistoryQuery, schema: HistorySchema
  ) throws {
    let pieces = try timeline.pieces(after: query.after, until: query.until)
    try self.init(timeline, query, schema, pieces.filter { $0 != .store })
  }

  /// Passes on the transactions of a store's reader.
  package init(_ reader: HistoryReader) {
    timeline = HistoryTimeline()
    query = HistoryQuery()
    schema = reader.schema
    pieces = []
    storeReader = reader
  }

  /// Reads some of the pieces that the query touches.
  init(
    _ timeline: HistoryTimeline, _ query: HistoryQuery, _ schema: HistorySchema,
    _ pieces: [HistoryTimeline.Piece]
  ) throws {
    self.timeline = timeline
    self.query = query
    self.schema = schema
    // Reject unknown names before reading anything.
    try query.change.check(in: schema, of: timeline)
    // Pieces are taken from the end of the list.
    self.pieces = query.order == .ascending ? pieces.reversed() : pieces
    // Only this reader finds the newest transactions if values are compared when they are read.
    let findsNewest =
      query.order == .ascending && query.limitKeepsNewest && query.limit != nil
      && !query.change.values.isEmpty
    guard pieces != [.store] || findsNewest else {
      self.pieces = []
      storeReader = try reader(query)
      return
    }
    if query.order == .ascending, query.limitKeepsNewest, let limit = query.limit {
      try begin(atNewest: limit)
    } else {
      rest = query.limit
    }
  }

  /// Goes to the next transaction or gap; `nil` after the last one. ``nextChange()`` returns the
  /// changes of a transaction.
  package func nextElement() throws -> Element? {
    while true {
      if let storeReader {
        if let transaction = try storeReader.nextTransaction() { return given(transaction) }
        self.storeReader = nil
      } else if let archiveSource {
        if let transaction = try archiveSource.nextTransaction() { return given(transaction) }
        self.archiveSource = nil
      }
      guard rest.map({ $0 > 0 }) ?? true, let piece = pieces.popLast() else { return nil }
      if let gap = try turn(to: piece) { return .gap(gap) }
    }
  }

  /// Releases the values of the current transaction if they are large, so that many readers can each keep one.
  ///
  /// - Parameter transaction: The current transaction.
  /// - Returns: What is left of it; `nil` if nothing was released. ``transactionAgain()`` returns all of it.
  package func releaseLarge(_ transaction: HistoryTransaction) -> HistoryTransaction? {
    guard let storeReader, transaction.byteCount > Self.largeTransaction else { return nil }
    storeReader.releaseTransaction()
    hasReleased = true
    return HistoryTransaction(
      store: transaction.store, number: transaction.number, timestamp: transaction.timestamp,
      isPartial: transaction.isPartial)
  }

  /// Reads the current transaction again; `nil` if nothing of it was released.
  package func transactionAgain() throws -> HistoryTransaction? {
    guard hasReleased, let storeReader else { return nil }
    hasReleased = false
    return try storeReader.transactionAgain()
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  package func nextChange() throws -> HistoryChange? {
    if let storeReader { return try storeReader.nextChange() }
    guard var change = try archiveSource?.nextChange() else { return nil }
    if query.omitsRecordedValues { change.removeValues() }
    return change
  }

  /// Where the values of the last change were found; `nil` if none were read.
  var valuePlace: ValuePlace? {
    archiveSource == nil ? storeReader?.valuePlace : .archive
  }

  /// Counts the changes of the current transaction; of an archived one those that were not read.
  package func countChanges() throws -> ChangeSummary {
    if let storeReader { return try storeReader.countChanges() }
    var summary = ChangeSummary()
    while let change = try archiveSource?.nextChange() { summary.add(change) }
    return summary
  }

  /// Whether the query asks for the present state of objects.
  package var readsPresentObjects: Bool { query.readsPresentObjects }

  /// Returns the object of a change as it is now; see ``HistoryReader/presentObject(of:)``. `nil`
  /// without a store.
  package func presentObject(of change: HistoryChange) throws -> PresentObject? {
    if let storeReader { return try storeReader.presentObject(of: change) }
    guard query.readsPresentObjects, change.kind != .delete, let snapshot = timeline.snapshot,
      let name = change.entity?.name, let number = snapshot.entities.number(of: name),
      let primaryKey = change.primaryKey
    else { return nil }
    let object = try snapshot.objects().object(
      entityNumber: number, primaryKey: primaryKey, countsRelated: false)
    return object?.entityNumber == number ? object : nil
  }

  private func given(_ transaction: HistoryTransaction) -> Element {
    if let rest { self.rest = rest - 1 }
    lastNumber = transaction.number
    return .transaction(transaction)
  }

  /// Returns a reader of the store's part, which also takes values from the archive; `nil` without a store.
  private func reader(_ query: HistoryQuery) throws -> HistoryReader? {
    guard let snapshot = timeline.snapshot else { return nil }
    let hasValues =
      !query.omitsRecordedValues && (query.recordedValues != nil || timeline.archive != nil)
    let values =
      hasValues
      ? try ChangeValues(query.recordedValues, snapshot, archive: timeline.archive) : nil
    return try HistoryReader(snapshot, query, schema, values)
  }

  /// Opens a piece; returns the gap if it is one.
  private func turn(to piece: HistoryTimeline.Piece) throws -> HistoryGap? {
    var part = query
    part.limit = rest
    part.limitKeepsNewest = false
    switch piece {
    case .gap(let gap): return gap
    case .store:
      storeReader = try reader(part)
    case .archived(let numbers):
      let before = numbers.lowerBound == .min ? .min : numbers.lowerBound - 1
      part.after = max(query.after ?? .min, before)
      part.until = min(query.until ?? .max, numbers.upperBound)
      // Only a store knows the inheritance of entities.
      if let snapshot = timeline.snapshot {
        part.change = try query.change.namingRelatives(in: schema, of: snapshot)
      }
      archiveSource = try timeline.archive?.transactions(part)
    }
    return nil
  }

  /// Finds the first of the newest transactions, to read them oldest first.
  private func begin(atNewest limit: Int) throws {
    let reader = try TimelineReader(
      timeline, query.readingNewestFirst, schema, pieces.reversed())
    let (count, first) = try reader.last(of: limit)
    query.limit = nil
    guard limit > 0 else {
      pieces = []
      return
    }
    // If there are fewer, all are read, with all gaps.
    guard count == limit, let first, first > .min else { return }
    query.after = max(query.after ?? .min, first - 1)
    pieces = try timeline.pieces(after: query.after, until: query.until).reversed()
  }

  /// Reads a number of transactions, and returns how many there are and the number of the last one.
  fileprivate func last(of limit: Int) throws -> (count: Int, number: Int64?) {
    var count = 0
    var number: Int64?
    while count < limit, let element = try nextElement() {
      guard case .transaction(let transaction) = element else { continue }
      number = transaction.number
      count += 1
    }
    return (count, number)
  }
}

extension HistoryQuery {
  /// The query without what only the output needs, newest transaction first.
  package var readingNewestFirst: HistoryQuery {
    var newest = self
    newest.order = .descending
    newest.keepsOnlyMatchingChanges = false
    newest.readsPresentObjects = false
    // The transactions are counted when they are read again.
    newest.valueSearch = nil
    return newest
  }

  /// Leaves out the newest transactions that it selects.
  ///
  /// - Parameter count: The number of transactions to leave out.
  package mutating func skip(
    newest count: Int, of timeline: HistoryTimeline, schema: HistorySchema
  ) throws {
    guard count > 0 else { return }
    var skipped = readingNewestFirst
    skipped.limit = count
    let reader = try TimelineReader(timeline, query: skipped, schema: schema)
    let (found, number) = try reader.last(of: count)
    guard found == count, let number, number > .min else {
      limit = 0
      return
    }
    until = number - 1
  }
}
