import StoreFormat

/// Counts transactions and their changes in every group while they are read once.
struct ActivityCollector {
  static let week = 7 * 86_400.0
  static let month = 30 * 86_400.0

  private let unit: PeriodUnit
  private let clock: PeriodClock
  private let times: ClosedRange<StoreTimestamp>?

  private(set) var total = Activity()
  private(set) var oldest: TransactionPosition?
  private(set) var newest: TransactionPosition?
  private(set) var periods: [StoreTimestamp: (period: HistoryPeriod, activity: Activity)] = [:]
  private(set) var weekActivity = WeekActivity()
  private(set) var withoutTime = Activity()
  private(set) var lastWeek = Activity()
  private(set) var lastMonth = Activity()
  private(set) var authors = ActivityGroups<TextKey>()
  private(set) var bundles = ActivityGroups<TextKey>()
  private(set) var processes = ActivityGroups<TextKey>()
  private(set) var entities = ActivityGroups<Int64?>()
  private(set) var kinds = ActivityGroups<ChangeKind?>()
  /// Activity by time and name; `nil` if it is not wanted.
  private(set) var grid: ActivityGrid?
  /// Updates by attribute.
  private(set) var attributes: AttributeTally
  /// The objects that changed most often.
  private(set) var objects: FrequentObjects

  /// The period of the last transaction, which is mostly that of the next one too.
  private var current: HistoryPeriod?

  // The transaction that is being counted.
  private var position = TransactionPosition(number: 0, timestamp: nil)
  private var activity = Activity()
  private var author: Int?
  /// Whether its changes are counted for plots.
  private var isPlotted = false

  /// - Parameters:
  ///   - schema: The entities of the history.
  ///   - plots: Whether to count what a plot needs too.
  ///   - objects: Counts objects.
  init(
    unit: PeriodUnit, clock: PeriodClock, times: ClosedRange<StoreTimestamp>?,
    schema: HistorySchema, plots: Bool, objects: FrequentObjects = FrequentObjects()
  ) {
    self.unit = unit
    self.clock = clock
    self.times = times
    self.objects = objects
    attributes = AttributeTally(schema: schema)
    if plots { grid = ActivityGrid() }
  }

  /// Counts the selected transactions.
  mutating func collect(_ selection: TransactionSelection, of snapshot: StoreSnapshot) throws {
    let transactions = try snapshot.transactions(selection)
    let changes = try transactions.changes(.sizes)
    let byteCount = try snapshot.historyTables().transactionByteCount
    while try transactions.next() {
      begin(transactions.number, transactions.timestamp, transactions.author, byteCount)
      while try changes.next() {
        add(changes.kind, changes.byteCount, of: changes.entityNumber, changes.primaryKey)
        if changes.kind == .update, let mask = changes.mask {
          attributes.add(
            mask, ofEntity: changes.entityNumber, byteCount: changes.byteCount, in: position,
            by: author)
        }
      }
      end(author: transactions.author, bundle: transactions.bundle, process: transactions.process)
    }
  }

  /// Counts archived transactions.
  ///
  /// - Parameters:
  ///   - reader: Reads them.
  ///   - numbers: Assigns numbers to their entities.
  mutating func collect(_ reader: TimelineReader, _ numbers: inout EntityNumbers) throws {
    while case .transaction(let row)? = try reader.nextElement() {
      begin(row.number, row.timestamp, row.author, Self.archivedTransactionByteCount)
      while let change = try reader.nextChange() {
        let byteCount = change.recordByteCount
        let entity = change.entity.flatMap { numbers.number(of: $0) }
        add(change.kind, byteCount, of: entity, change.primaryKey)
        if change.kind == .update {
          attributes.add(change, byteCount: byteCount, in: position, by: author)
        }
      }
      end(author: row.author, bundle: row.bundle, process: row.process)
    }
  }

  /// The estimated bytes of a row of the current layout.
  private static let archivedTransactionByteCount: Int64 = 30

  /// Begins a transaction, before its changes.
  private mutating func begin(
    _ number: Int64, _ time: StoreTimestamp?, _ author: RecordedText?, _ byteCount: Int64
  ) {
    position = TransactionPosition(number: number, timestamp: time)
    activity = Activity()
    activity.transactions = 1
    activity.recordByteCount = byteCount
    self.author = authors.place(of: TextKey(author))
    isPlotted = turnGrid(to: time)
  }

  /// Counts a change of the transaction.
  @inline(__always)
  private mutating func add(
    _ kind: ChangeKind?, _ byteCount: Int64, of entity: Int64?, _ primaryKey: Int64?
  ) {
    activity.add(kind, byteCount: byteCount)
    let transaction = position.number
    let places = (
      entity: entities.add(kind, byteCount: byteCount, of: transaction, to: entity),
      kind: kinds.add(kind, byteCount: byteCount, of: transaction, to: kind)
    )
    if let entity, let primaryKey {
      objects.add(
        kind, byteCount: byteCount,
        of: FrequentObjects.Key(entityNumber: entity, primaryKey: primaryKey), in: position,
        by: author)
    }
    if isPlotted {
      grid?.add(1, of: transaction, to: .entity, places.entity)
      grid?.add(1, of: transaction, to: .kind, places.kind)
    }
  }

  /// Ends a transaction, after its changes.
  private mutating func end(author: RecordedText?, bundle: RecordedText?, process: RecordedText?) {
    total += activity
    if oldest.map({ position.number < $0.number }) ?? true { oldest = position }
    if newest.map({ position.number > $0.number }) ?? true { newest = position }
    let places = [
      authors.add(activity, to: TextKey(author)), bundles.add(activity, to: TextKey(bundle)),
      processes.add(activity, to: TextKey(process)),
    ]

    guard let times, let time = position.timestamp, times.contains(time),
      let period = period(containing: time)
    else {
      withoutTime += activity
      return
    }
    if grid != nil {
      grid?.add(activity)
      for (dimension, place) in zip([ActivityGrid.Dimension.author, .bundle, .process], places) {
        grid?.add(activity.changes, of: position.number, to: dimension, place)
      }
    }
    periods[period.start, default: (period, Activity())].activity += activity
    weekActivity.add(activity, at: time, clock)
    let age =
      times.upperBound.secondsSinceReferenceDate - time.secondsSinceReferenceDate
    if age < Self.week { lastWeek += activity }
    if age < Self.month { lastMonth += activity }
  }

  // MARK: - For plots

  /// Ends the counting.
  mutating func settle() {
    grid?.settle()
    attributes.settle()
  }

  /// Turns the grid to a transaction; returns `false` if it has no usable time.
  private mutating func turnGrid(to time: StoreTimestamp?) -> Bool {
    guard grid != nil, let times, let time, times.contains(time) else { return false }
    grid?.turn(to: time)
    return true
  }

  private mutating func period(containing time: StoreTimestamp) -> HistoryPeriod? {
    if let current, current.start <= time, time < current.end { return current }
    current = clock.period(unit, containing: time)
    return current
  }
}
