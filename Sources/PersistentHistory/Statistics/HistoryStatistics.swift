import StoreEditing
import StoreFormat

/// Counts of a history, or of a part of it, by time, author, bundle, process, entity and kind.
///
/// ```swift
/// let store = try StoreFile(path: "default.store")
/// let statistics = try store.read { snapshot in
///   try HistoryStatistics(snapshot: snapshot, schema: HistorySchema(snapshot))
/// }
/// for period in statistics.periods { print(period.period.name, period.activity.transactions) }
/// ```
package struct HistoryStatistics: Sendable {
  /// The maximum number of authors, entities and the like that are counted each.
  static let maxGroups = 1000

  /// The activity of one period.
  package struct PeriodActivity: Hashable, Sendable {
    package let period: HistoryPeriod
    package let activity: Activity
  }

  /// The length of the ``periods``.
  package let unit: PeriodUnit
  /// The clock that divides time into them.
  package let clock: PeriodClock
  /// The activity of all selected transactions.
  package let total: Activity
  /// The selected transaction with the lowest number; `nil` if none is selected.
  package let oldest: TransactionPosition?
  /// The selected transaction with the highest number; `nil` if none is selected.
  package let newest: TransactionPosition?
  /// The earliest and the latest usable time; `nil` if there is none.
  package let times: ClosedRange<StoreTimestamp>?
  /// The periods with activity, in order.
  package let periods: [PeriodActivity]
  /// The activity by weekday and hour of the day.
  package let weekActivity: WeekActivity
  /// The activity of transactions without a usable time: with none, with one before 2001, or with
  /// one more than a day after both now and the newest transaction.
  package let withoutTime: Activity
  /// The activity of the last 7 days before the latest time; `nil` for a younger history.
  let lastWeek: Activity?
  /// The activity of the last 30 days before the latest time; `nil` for a younger history.
  let lastMonth: Activity?
  /// The activity by author, the most transactions first; `nil` stands for none.
  package let authors: ActivityRanking<RecordedText?>
  /// The activity by bundle, the most transactions first.
  package let bundles: ActivityRanking<RecordedText?>
  /// The activity by process, the most transactions first.
  package let processes: ActivityRanking<RecordedText?>
  /// The activity by entity, the most changes first. A transaction counts for each of its entities.
  package let entities: ActivityRanking<HistoryEntity>
  /// The activity by kind: inserts, updates, deletes, others. A transaction counts for each of its
  /// kinds.
  package let kinds: ActivityRanking<ChangeKind?>
  /// The activity by time and name; `nil` unless it was asked for.
  package let grid: ActivityGrid?
  /// The updates by attribute.
  package let attributes: AttributeTally
  /// The objects that changed most often.
  package let objects: ObjectRanking
  /// The authors, by their places.
  private let authorNames: [RecordedText?]
  /// The size of the whole history; `nil` if SQLite cannot tell.
  package let size: HistorySize?
  /// Whether the whole history was counted.
  package let isWhole: Bool

  /// The gaps in the selected range.
  package let gaps: [HistoryGap]
  /// Whether archived transactions were counted.
  private let includesArchive: Bool

  /// Counts the selected transactions of a store; see ``init(_:query:schema:unit:clock:now:)``.
  package init(
    snapshot: StoreSnapshot, query: HistoryQuery = HistoryQuery(), schema: HistorySchema? = nil,
    unit: PeriodUnit? = nil, clock: PeriodClock = .local, now: StoreTimestamp = .now()
  ) throws {
    try self.init(
      HistoryTimeline(snapshot), query: query, schema: schema ?? HistorySchema(snapshot),
      unit: unit, clock: clock, now: now)
  }

  /// Counts the selected transactions of a timeline.
  ///
  /// The history is read once, because SQLite would sort all changes for every `GROUP BY`. An
  /// archive is read once more before, for the times. If more objects changed than can be counted at a
  /// time, the history is read again for exact counts of the most frequent ones. Memory does not grow with
  /// the history: at most ``maxGroups`` authors, entities and the like are counted each, and at most 50,000
  /// periods.
  ///
  /// - Parameters:
  ///   - timeline: The history.
  ///   - query: Which transactions to count, and whether only their matching changes.
  ///   - schema: The names of the entities.
  ///   - unit: The length of the periods; `nil` to choose it by the span of the history.
  ///   - clock: The clock that divides time.
  ///   - now: The present time, to recognize times in the future.
  ///   - plots: Whether to count ``grid`` too.
  /// - Throws: ``HistoryError`` if the query names something that the history does not have or
  ///   there are too many periods, ``/StoreFormat/StoreError``, and what the archive throws.
  package init(
    _ timeline: HistoryTimeline, query: HistoryQuery = HistoryQuery(), schema: HistorySchema,
    unit: PeriodUnit? = nil, clock: PeriodClock = .local, now: StoreTimestamp = .now(),
    plots: Bool = false
  ) throws {
    let pieces = try timeline.pieces(after: query.after, until: query.until)
    let archivedPieces = pieces.filter { if case .archived = $0 { true } else { false } }
    gaps = try timeline.gaps(after: query.after, until: query.until)
    includesArchive = !archivedPieces.isEmpty
    // Values are compared, and other changes left out, when changes are read.
    let readsChanges =
      !query.change.values.isEmpty || query.keepsOnlyMatchingChanges && !query.change.isEmpty
    let stored = pieces.contains(.store) && !readsChanges ? timeline.snapshot : nil
    var selection = try stored.map { try query.selection(in: schema, of: $0) }
    var archivedQuery = query
    archivedQuery.order = .ascending
    func archived() throws -> TimelineReader {
      try TimelineReader(timeline, archivedQuery, schema, readsChanges ? pieces : archivedPieces)
    }
    let reads = includesArchive || readsChanges

    let usable = UsableTimes.range(newest: try timeline.newestTransaction()?.timestamp, now: now)
    var times = try selection.flatMap { try stored?.times(of: $0, within: usable) }
    if reads { try Self.widen(&times, by: archived(), within: usable) }
    self.times = times
    let span = times.map { $0.upperBound.seconds(since: $0.lowerBound) } ?? 0
    self.unit = unit ?? PeriodUnit(forSpanOf: span)
    self.clock = clock
    if let limit = self.unit.maxSpan, span > limit {
      throw HistoryError.tooManyPeriods(unit: self.unit)
    }
    if query.limit == nil { selection?.order = .ascending }
    var collector = ActivityCollector(
      unit: self.unit, clock: clock, times: times, schema: schema, plots: plots)
    var numbers = EntityNumbers(schema: schema)
    func collect(_ collector: inout ActivityCollector, _ numbers: inout EntityNumbers) throws {
      if reads { try collector.collect(archived(), &numbers) }
      if let stored, let selection { try collector.collect(selection, of: stored) }
    }
    try collect(&collector, &numbers)
    var objects = collector.objects
    if objects.needsRecount {
      var second = ActivityCollector(
        unit: self.unit, clock: clock, times: times, schema: schema, plots: false,
        objects: FrequentObjects(recounting: objects))
      try collect(&second, &numbers)
      objects = second.objects
    }

    collector.settle()
    (grid, attributes) = (collector.grid, collector.attributes)
    self.objects = ObjectRanking(objects) { numbers.foreign($0) ?? schema.entity(number: $0) }
    authorNames = collector.authors.keys.map(\.text)
    total = collector.total
    oldest = collector.oldest
    newest = collector.newest
    periods = collector.periods.values
      .map { PeriodActivity(period: $0.period, activity: $0.activity) }
      .sorted { $0.period.start < $1.period.start }
    weekActivity = collector.weekActivity
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

  /// Returns who made most of the changes of an object or attribute, and how many, or `nil` if there are none by
  /// a counted author.
  package func author(
    of activity: TimedActivity
  ) -> (name: RecordedText?, changes: Int64)? {
    activity.authors.max { $0.changes < $1.changes }.flatMap { author in
      authorNames.indices.contains(author.place)
        ? (authorNames[author.place], author.changes) : nil
    }
  }

  /// Returns the shares of all counted changes and of their bytes, from 0 to 1.
  package func shares(of activity: TimedActivity) -> (changes: Double, bytes: Double) {
    func share(_ part: Int64, of whole: Int64) -> Double {
      whole > 0 ? min(Double(part) / Double(whole), 1) : 0
    }
    return (
      share(activity.activity.changes, of: total.changes),
      share(activity.activity.recordByteCount, of: total.recordByteCount)
    )
  }

  // MARK: - Rates

  /// Activity over some days.
  package struct Rate: Sendable {
    package let days: Double
    package let activity: Activity
  }

  /// The activity of the whole span.
  package var totalRate: Rate { Rate(days: dayCount, activity: total) }
  /// The activity of the last 7 days; `nil` for a younger history.
  package var lastWeekRate: Rate? { lastWeek.map { Rate(days: 7, activity: $0) } }
  /// The activity of the last 30 days; `nil` for a younger history.
  package var lastMonthRate: Rate? { lastMonth.map { Rate(days: 30, activity: $0) } }

  /// The number of days that the history spans, at least one.
  var dayCount: Double {
    max(1, (times.map { $0.upperBound.seconds(since: $0.lowerBound) } ?? 0) / 86_400)
  }

  /// Estimates the bytes of the file that some activity takes, with its share of indexes and free
  /// space, or would take if it were not archived; `nil` if SQLite cannot tell.
  package func byteCount(of activity: Activity) -> Int64? {
    guard let size else { return nil }
    // The store has pages that do not depend on these rows.
    guard !includesArchive else {
      return size.pageByteCount(ofRecordBytes: activity.recordByteCount)
    }
    // The sizes of records are estimates, those of pages are exact: all activity takes all pages.
    let records = isWhole ? total.recordByteCount : size.recordByteCount
    // An empty history has pages too.
    if isWhole, activity == total { return size.pageByteCount }
    guard activity.recordByteCount > 0, records > 0 else { return 0 }
    let share = Double(activity.recordByteCount) / Double(records)
    return Int64((Double(size.pageByteCount) * min(share, 1)).rounded())
  }

  /// Estimates the growth of the history in bytes a day by some activity; `nil` if SQLite cannot
  /// tell.
  ///
  /// Unlike ``byteCount(of:)`` it leaves out the pages of an empty history.
  package func bytesPerDay(of activity: Activity, in dayCount: Double) -> Double? {
    size.map { Double($0.pageByteCount(ofRecordBytes: activity.recordByteCount)) / dayCount }
  }

  /// The present growth of the history in bytes a day: in the last 30 days, or of a younger history
  /// in all; `nil` if SQLite cannot tell, or no transaction has a usable time.
  package var bytesPerDay: Double? {
    if let lastMonth { return bytesPerDay(of: lastMonth, in: 30) }
    return times == nil && !total.isEmpty ? nil : bytesPerDay(of: total, in: dayCount)
  }
}

extension ActivityGroups<TextKey> {
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
  fileprivate func seconds(since earlier: StoreTimestamp) -> Double {
    secondsSinceReferenceDate - earlier.secondsSinceReferenceDate
  }
}

/// When a history will reach a size at its present growth.
package enum GrowthForecast: Hashable, Sendable {
  /// It has reached it already.
  case reached
  /// It does not grow.
  case never
  /// In a number of days.
  case inDays(Double)

  /// Computes a forecast; `nil` if SQLite cannot tell the size, or no transaction has a usable
  /// time.
  package init?(_ statistics: HistoryStatistics, byteCount: Int64) {
    guard let size = statistics.size else { return nil }
    if size.pageByteCount >= byteCount {
      self = .reached
      return
    }
    guard let rate = statistics.bytesPerDay else { return nil }
    if rate > 0 {
      self = .inDays(Double(byteCount - size.pageByteCount) / rate)
    } else {
      self = .never
    }
  }

  /// Returns the date; `nil` if there is none, or it is after the year 9999.
  package func date(from now: StoreTimestamp) -> StoreTimestamp? {
    guard case .inDays(let days) = self else { return nil }
    let date = StoreTimestamp(
      secondsSinceReferenceDate: now.secondsSinceReferenceDate + days * 86_400)
    return date.iso8601() == nil ? nil : date
  }
}

/// The times that count as times of a save.
///
/// A clock that was never set shows 1970 or 2001, and a damaged or hostile row may have any number.
/// One such row would stretch the history over millennia, so it is counted separately.
enum UsableTimes {
  /// 2100-01-01T00:00:00Z. A clock that shows a later time is wrong.
  private static let century = StoreTimestamp(secondsSinceReferenceDate: 3_124_137_600)
  private static let day = 86_400.0

  /// Returns the times from 2001-01-01 to a day after now, or after the newest transaction if that
  /// is later.
  static func range(newest: StoreTimestamp?, now: StoreTimestamp) -> ClosedRange<StoreTimestamp> {
    let first = StoreTimestamp(secondsSinceReferenceDate: 0)
    let latest = [now, newest].compactMap { $0 }.filter { $0 < century && $0 >= first }.max()
    return
      first...StoreTimestamp(
        secondsSinceReferenceDate: (latest ?? first).secondsSinceReferenceDate + day)
  }
}
