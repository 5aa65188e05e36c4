import StoreEditing
import StoreFormat

/// What was saved when, by whom and about what: a store's history, or a part of it, in numbers.
///
/// ```swift
/// let store = try StoreFile(path: "default.store")
/// let statistics = try store.read { snapshot in
///   try HistoryStatistics(snapshot: snapshot, schema: HistorySchema(snapshot))
/// }
/// for period in statistics.periods { print(period.period.name, period.activity.transactions) }
/// ```
package struct HistoryStatistics: Sendable {
  /// The activity of one period.
  package struct PeriodActivity: Hashable, Sendable {
    /// When.
    package let period: HistoryPeriod
    /// What was saved then.
    package let activity: Activity
  }

  /// The length of the ``periods``.
  package let unit: PeriodUnit
  /// The clock that divides the time into them.
  package let clock: PeriodClock
  /// All that was selected.
  package let total: Activity
  /// The selected transaction with the lowest number; nil where none is selected.
  package let oldest: TransactionPosition?
  /// The selected transaction with the highest number; nil where none is selected.
  package let newest: TransactionPosition?
  /// The earliest and the latest time that counts; nil where there is none.
  package let times: ClosedRange<StoreTimestamp>?
  /// The periods in which something was saved, in order.
  package let periods: [PeriodActivity]
  /// Transactions without a time, or with one that no clock showed when they were saved: before 2001,
  /// or more than a day after both now and the newest transaction.
  package let withoutTime: Activity
  /// What was saved in the last 7 days up to the latest time; nil where the history is younger.
  package let lastWeek: Activity?
  /// What was saved in the last 30 days up to the latest time; nil where the history is younger.
  package let lastMonth: Activity?
  /// By author, those with the most transactions first; nil is for those without one.
  package let authors: ActivityRanking<RecordedText?>
  /// By bundle, those with the most transactions first.
  package let bundles: ActivityRanking<RecordedText?>
  /// By process, those with the most transactions first.
  package let processes: ActivityRanking<RecordedText?>
  /// By entity, those with the most changes first. A transaction counts for each of its entities.
  package let entities: ActivityRanking<HistoryEntity>
  /// By kind: inserts, updates, deletes, and what no framework writes. A transaction counts for each
  /// of its kinds.
  package let kinds: ActivityRanking<ChangeKind?>
  /// The size of the whole history; nil where SQLite cannot tell.
  package let size: HistorySize?
  /// Whether nothing was left out.
  package let isWhole: Bool

  /// The places in the selected range where history is missing.
  package let gaps: [HistoryGap]
  /// Whether some of what was counted is not in the store.
  private let includesArchive: Bool

  /// Counts what a query selects of a store, as ``init(_:query:schema:unit:clock:now:)`` does of a
  /// timeline.
  package init(
    snapshot: StoreSnapshot, query: HistoryQuery = HistoryQuery(), schema: HistorySchema? = nil,
    unit: PeriodUnit? = nil, clock: PeriodClock = .local, now: StoreTimestamp = .now()
  ) throws {
    try self.init(
      HistoryTimeline(snapshot), query: query, schema: schema ?? HistorySchema(snapshot),
      unit: unit, clock: clock, now: now)
  }

  /// Counts what a query selects.
  ///
  /// Everything is counted in one walk over the history, because SQLite would sort all changes anew
  /// for every `GROUP BY`; an archive is read once more before that, for the times. Memory does not
  /// grow with the history: no more than ``/StoreFormat/StoreSnapshot/mostGroups`` authors, entities
  /// and the like are told apart, and no more than 50,000 periods.
  ///
  /// - Parameters:
  ///   - timeline: The history.
  ///   - query: Which transactions count, each with all of its changes.
  ///   - schema: The names of the entities.
  ///   - unit: The length of the periods; by the span of the history unless given.
  ///   - clock: The clock that divides the time.
  ///   - now: The present time, to tell times that lie far ahead.
  /// - Throws: ``HistoryError`` where the query names what the history does not have or the periods
  ///   are too many, ``/StoreFormat/StoreError``, and what the archive throws.
  package init(
    _ timeline: HistoryTimeline, query: HistoryQuery = HistoryQuery(), schema: HistorySchema,
    unit: PeriodUnit? = nil, clock: PeriodClock = .local, now: StoreTimestamp = .now()
  ) throws {
    let pieces = try timeline.pieces(after: query.after, until: query.until)
    let archivedPieces = pieces.filter { if case .archived = $0 { true } else { false } }
    gaps = try timeline.gaps(after: query.after, until: query.until)
    includesArchive = !archivedPieces.isEmpty
    let stored = pieces.contains(.store) ? timeline.snapshot : nil
    var selection = try stored.map { try query.selection(in: schema, of: $0) }
    var archivedQuery = query
    archivedQuery.order = .ascending
    func archived() throws -> TimelineReader {
      try TimelineReader(timeline, archivedQuery, schema, archivedPieces)
    }

    let usable = UsableTimes.range(newest: try timeline.newestTransaction()?.timestamp, now: now)
    var times = try selection.flatMap { try stored?.times(of: $0, within: usable) }
    if includesArchive { try Self.widen(&times, by: archived(), within: usable) }
    self.times = times
    let span = times.map { $0.upperBound.seconds(since: $0.lowerBound) } ?? 0
    self.unit = unit ?? PeriodUnit(forSpanOf: span)
    self.clock = clock
    if let longest = self.unit.longestSpan, span > longest {
      throw HistoryError.tooManyPeriods(unit: self.unit)
    }
    if query.limit == nil { selection?.order = .ascending }
    var collector = ActivityCollector(unit: self.unit, clock: clock, times: times)
    var numbers = EntityNumbers(schema: schema)
    if includesArchive { try collector.collect(archived(), &numbers) }
    if let stored, let selection {
      collector = try HistoryStatistics.collect(selection, of: stored, with: collector)
    }

    total = collector.total
    oldest = collector.oldest
    newest = collector.newest
    periods = collector.periods.values
      .map { PeriodActivity(period: $0.period, activity: $0.activity) }
      .sorted { $0.period.start < $1.period.start }
    withoutTime = collector.withoutTime
    lastWeek = span >= ActivityCollector.week ? collector.lastWeek : nil
    lastMonth = span >= ActivityCollector.month ? collector.lastMonth : nil
    authors = collector.authors.texts
    bundles = collector.bundles.texts
    processes = collector.processes.texts
    entities = collector.entities.ranking(
      { $0.map { numbers.foreign($0) ?? schema.entity(number: $0) } ?? HistoryEntity(name: nil) },
      isBefore: {
        ($1.activity.changes, $0.key.label) < ($0.activity.changes, $1.key.label)
      })
    kinds = collector.kinds.ranking(
      { $0 }, isBefore: { ($0.key?.rawValue ?? .max) < ($1.key?.rawValue ?? .max) })
    size = try timeline.snapshot?.historySize()
    isWhole = query.selectsEverything
  }

  /// Widens a span of time by the usable times of archived transactions.
  private static func widen(
    _ times: inout ClosedRange<StoreTimestamp>?, by reader: TimelineReader,
    within usable: ClosedRange<StoreTimestamp>
  ) throws {
    while case .transaction(let transaction)? = try reader.nextElement() {
      guard let time = transaction.timestamp, usable.contains(time) else { continue }
      times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
  }

  /// Reads the changes as they lie in the file, in a walk without a look-up; where they lie in another
  /// order than their transactions, which no framework writes, again in order.
  private static func collect(
    _ selection: TransactionSelection, of snapshot: StoreSnapshot, with empty: ActivityCollector
  ) throws -> ActivityCollector {
    let rows = try snapshot.changeRows(of: selection)
    var collector = empty
    do {
      try collector.collect(selection, of: snapshot, among: rows)
    } catch is RowsOutOfOrder {
      collector = empty
      try collector.collect(selection, of: snapshot, among: nil)
    }
    return collector
  }

  // MARK: - Rates

  /// How many days the history spans, and at least one: what was saved within an hour says nothing
  /// of a day.
  package var dayCount: Double {
    max(1, (times.map { $0.upperBound.seconds(since: $0.lowerBound) } ?? 0) / 86_400)
  }

  /// About how many bytes of the file some activity takes, its part of indexes and free space
  /// included, and what is archived by then would take again; nil where SQLite cannot tell.
  package func byteCount(of activity: Activity) -> Int64? {
    guard let size else { return nil }
    // What is left in the store has pages that would be there without any of it.
    guard !includesArchive else {
      return size.pageByteCount(ofRecordBytes: activity.recordByteCount)
    }
    // The records' sizes are about right, the pages' are exact: all activity takes all pages.
    let records = isWhole ? total.recordByteCount : size.recordByteCount
    // Without a row there are pages all the same.
    if isWhole, activity == total { return size.pageByteCount }
    guard activity.recordByteCount > 0, records > 0 else { return 0 }
    let share = Double(activity.recordByteCount) / Double(records)
    return Int64((Double(size.pageByteCount) * min(share, 1)).rounded())
  }

  /// About how many bytes the history grew by each day while some activity went on; nil where SQLite
  /// cannot tell.
  ///
  /// Unlike ``byteCount(of:)`` it leaves out the pages that are there without any row.
  package func bytesPerDay(of activity: Activity, in dayCount: Double) -> Double? {
    size.map { Double($0.pageByteCount(ofRecordBytes: activity.recordByteCount)) / dayCount }
  }

  /// How many bytes the history grows by each day, at present: in the last 30 days, or in all of a
  /// history that is younger; nil where SQLite cannot tell, or nothing has a usable time.
  package var bytesPerDay: Double? {
    if let lastMonth { return bytesPerDay(of: lastMonth, in: 30) }
    return times == nil && !total.isEmpty ? nil : bytesPerDay(of: total, in: dayCount)
  }
}

extension ActivityGroups<TextKey> {
  /// The groups with the most transactions first.
  fileprivate var texts: ActivityRanking<RecordedText?> {
    ranking(
      { $0.text },
      isBefore: { left, right in
        (right.activity.transactions, right.activity.changes, left.key?.string ?? "")
          < (left.activity.transactions, left.activity.changes, right.key?.string ?? "")
      })
  }
}

extension StoreTimestamp {
  /// How many seconds later this is.
  fileprivate func seconds(since earlier: StoreTimestamp) -> Double {
    secondsSinceReferenceDate - earlier.secondsSinceReferenceDate
  }
}
