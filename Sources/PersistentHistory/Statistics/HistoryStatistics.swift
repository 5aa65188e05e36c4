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
  package private(set) var total: Activity
  /// The selected transaction with the lowest number; `nil` if none is selected.
  package private(set) var oldest: TransactionPosition?
  /// The selected transaction with the highest number; `nil` if none is selected.
  package private(set) var newest: TransactionPosition?
  /// The earliest and the latest usable time; `nil` if there is none.
  package let times: ClosedRange<StoreTimestamp>?
  /// The periods with activity, in order.
  package private(set) var periods: [PeriodActivity]
  /// The activity by weekday and hour of the day.
  package private(set) var weekActivity: WeekActivity
  /// The activity of transactions without a usable time: with none, with one before 2001, or with
  /// one more than a day after both now and the newest transaction.
  package private(set) var withoutTime: Activity
  /// The activity of the last 7 days before the latest time; `nil` for a younger history.
  private(set) var lastWeek: Activity?
  /// The activity of the last 30 days before the latest time; `nil` for a younger history.
  private(set) var lastMonth: Activity?
  /// The activity by author, the most transactions first; `nil` stands for none.
  package private(set) var authors: ActivityRanking<RecordedText?>
  /// The activity by bundle, the most transactions first.
  package private(set) var bundles: ActivityRanking<RecordedText?>
  /// The activity by process, the most transactions first.
  package private(set) var processes: ActivityRanking<RecordedText?>
  /// The activity by entity, the most changes first. A transaction counts for each of its entities.
  package private(set) var entities: ActivityRanking<HistoryEntity>
  /// The activity by kind: inserts, updates, deletes, others. A transaction counts for each of its
  /// kinds.
  package private(set) var kinds: ActivityRanking<ChangeKind?>
  /// The activity by time and name; `nil` unless it was asked for.
  package let grid: ActivityGrid?
  /// The updates by attribute.
  package let attributes: AttributeTally
  /// The objects that changed most often.
  package let objects: ObjectRanking
  /// The authors, by their places.
  private let authorNames: [RecordedText?]
  /// The size of the whole history; `nil` if SQLite cannot tell.
  package private(set) var size: HistorySize?
  /// Whether the whole history was counted.
  package private(set) var isWhole: Bool

  /// The gaps in the selected range.
  package private(set) var gaps: [HistoryGap]
  /// Whether archived transactions were counted.
  private var includesArchive: Bool

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
  ///   - span: The earliest and the latest time of several histories that are counted for one answer; `nil` for
  ///     those of this one.
  /// - Throws: ``HistoryError`` if the query names something that the history does not have or
  ///   there are too many periods, ``/StoreFormat/StoreError``, and what the archive throws.
  package init(
    _ timeline: HistoryTimeline, query: HistoryQuery = HistoryQuery(), schema: HistorySchema,
    unit: PeriodUnit? = nil, clock: PeriodClock = .local, now: StoreTimestamp = .now(),
    plots: Bool = false, span given: ClosedRange<StoreTimestamp>? = nil
  ) throws {
    let source = try Source(timeline, query, schema)
    gaps = try timeline.gaps(after: query.after, until: query.until)
    includesArchive = source.includesArchive
    let times = try given ?? source.times(now: now)
    self.times = times
    let span = times.map { $0.upperBound.seconds(since: $0.lowerBound) } ?? 0
    self.unit = unit ?? PeriodUnit(forSpanOf: span)
    self.clock = clock
    if let limit = self.unit.maxSpan, span > limit {
      throw HistoryError.tooManyPeriods(unit: self.unit)
    }
    var collector = ActivityCollector(
      unit: self.unit, clock: clock, times: times, schema: schema, plots: plots)
    var numbers = EntityNumbers(schema: schema)
    func collect(_ collector: inout ActivityCollector, _ numbers: inout EntityNumbers) throws {
      if let reader = try source.reader() { try collector.collect(reader, &numbers) }
      if let stored = source.stored, let selection = source.selection {
        try collector.collect(selection, of: stored)
      }
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
      isBefore: Self.orderOfEntities)
    kinds = collector.kinds.ranking({ $0 }, isBefore: Self.orderOfKinds)
    size = try timeline.snapshot?.historySize()
    isWhole = query.selectsEverything
  }

  /// Where the transactions of a query are read.
  private struct Source {
    let timeline: HistoryTimeline
    let schema: HistorySchema
    let includesArchive: Bool
    /// The store whose rows are counted; `nil` if its changes are read as those of an archive.
    let stored: StoreSnapshot?
    private(set) var selection: TransactionSelection?
    private let pieces: [HistoryTimeline.Piece]
    private let query: HistoryQuery

    init(_ timeline: HistoryTimeline, _ query: HistoryQuery, _ schema: HistorySchema) throws {
      (self.timeline, self.schema) = (timeline, schema)
      let pieces = try timeline.pieces(after: query.after, until: query.until)
      let archived = pieces.filter { if case .archived = $0 { true } else { false } }
      includesArchive = !archived.isEmpty
      // Values are compared, and other changes left out, when changes are read.
      let readsChanges =
        !query.change.values.isEmpty || query.keepsOnlyMatchingChanges && !query.change.isEmpty
      stored = pieces.contains(.store) && !readsChanges ? timeline.snapshot : nil
      selection = try stored.map { try query.selection(in: schema, of: $0) }
      if query.limit == nil { selection?.order = .ascending }
      self.pieces = readsChanges ? pieces : archived
      var ascending = query
      ascending.order = .ascending
      self.query = ascending
    }

    /// Returns a reader of what is not counted by rows; `nil` if there is nothing.
    func reader() throws -> TimelineReader? {
      pieces.isEmpty ? nil : try TimelineReader(timeline, query, schema, pieces)
    }

    /// Returns the earliest and the latest usable time.
    func times(now: StoreTimestamp) throws -> ClosedRange<StoreTimestamp>? {
      let usable = StoreTimestamp.usable(
        newest: try timeline.newestTransaction()?.timestamp, now: now)
      var times = try selection.flatMap { try stored?.times(of: $0, within: usable) }
      guard let reader = try reader() else { return times }
      while case .transaction(let transaction)? = try reader.nextElement() {
        guard let time = transaction.timestamp, usable.contains(time) else { continue }
        times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
      }
      return times
    }
  }

  /// Returns the earliest and the latest usable time of the selected transactions; `nil` if there is none.
  package static func times(
    _ timeline: HistoryTimeline, query: HistoryQuery, schema: HistorySchema, now: StoreTimestamp
  ) throws -> ClosedRange<StoreTimestamp>? {
    try Source(timeline, query, schema).times(now: now)
  }

  /// Adds the counts of another history, which were made for the same periods. Its objects and attributes are not
  /// added: those of the same name are others.
  package mutating func join(_ other: HistoryStatistics) {
    total += other.total
    (oldest, newest) = (nil, nil)
    weekActivity.add(other.weekActivity)
    withoutTime += other.withoutTime
    if let week = other.lastWeek { lastWeek? += week }
    if let month = other.lastMonth { lastMonth? += month }
    var activities = Dictionary(
      periods.map { ($0.period.start, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in other.periods {
      var activity = activities[entry.period.start]?.activity ?? Activity()
      activity += entry.activity
      activities[entry.period.start] = PeriodActivity(period: entry.period, activity: activity)
    }
    periods = activities.values.sorted { $0.period.start < $1.period.start }
    authors.join(other.authors, Self.orderOfTexts)
    bundles.join(other.bundles, Self.orderOfTexts)
    processes.join(other.processes, Self.orderOfTexts)
    entities.join(other.entities, Self.orderOfEntities, by: \.label)
    kinds.join(other.kinds, Self.orderOfKinds)
    size = size.flatMap { size in other.size.map { size.joined(with: $0) } }
    isWhole = isWhole && other.isWhole
    gaps += other.gaps
    includesArchive = includesArchive || other.includesArchive
  }

  fileprivate static func orderOfTexts(
    _ left: ActivityRanking<RecordedText?>.Group, _ right: ActivityRanking<RecordedText?>.Group
  ) -> Bool {
    (right.activity.transactions, right.activity.changes, left.key?.string ?? "")
      < (left.activity.transactions, left.activity.changes, right.key?.string ?? "")
  }

  private static func orderOfEntities(
    _ left: ActivityRanking<HistoryEntity>.Group, _ right: ActivityRanking<HistoryEntity>.Group
  ) -> Bool {
    (right.activity.changes, left.key.label) < (left.activity.changes, right.key.label)
  }

  private static func orderOfKinds(
    _ left: ActivityRanking<ChangeKind?>.Group, _ right: ActivityRanking<ChangeKind?>.Group
  ) -> Bool {
    (left.key?.rawValue ?? .max) < (right.key?.rawValue ?? .max)
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
    ranking({ $0.text }, isBefore: HistoryStatistics.orderOfTexts)
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
