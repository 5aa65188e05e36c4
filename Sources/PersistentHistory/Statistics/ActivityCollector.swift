import StoreFormat

/// Counts transactions and their changes from every side in one walk.
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
  private(set) var withoutTime = Activity()
  private(set) var lastWeek = Activity()
  private(set) var lastMonth = Activity()
  private(set) var authors = ActivityGroups<TextKey>()
  private(set) var bundles = ActivityGroups<TextKey>()
  private(set) var processes = ActivityGroups<TextKey>()
  private(set) var entities = ActivityGroups<Int64?>()
  private(set) var kinds = ActivityGroups<ChangeKind?>()

  /// The period that the last transaction fell into; the next one mostly does so too.
  private var current: HistoryPeriod?

  init(unit: PeriodUnit, clock: PeriodClock, times: ClosedRange<StoreTimestamp>?) {
    self.unit = unit
    self.clock = clock
    self.times = times
  }

  /// Counts all that a selection names.
  ///
  /// - Parameters:
  ///   - selection: The transactions.
  ///   - snapshot: The store.
  ///   - rows: Where their changes lie, to read them as they lie in the file; nil to look them up.
  /// - Throws: ``/StoreFormat/RowsOutOfOrder`` where they do not lie in order, and must be looked up.
  mutating func collect(
    _ selection: TransactionSelection, of snapshot: StoreSnapshot, among rows: ChangeRowSpan?
  ) throws {
    let transactions = try snapshot.transactions(selection)
    let changes = try snapshot.changes(selection, detail: .sizes, among: rows)
    let transactionByteCount = try snapshot.historyTables().transactionByteCount
    while try transactions.next() {
      var activity = Activity()
      activity.transactions = 1
      activity.recordByteCount = transactionByteCount
      try changes.start(transaction: transactions.number)
      while try changes.next() {
        activity.add(changes.kind, byteCount: changes.byteCount)
        entities.add(
          changes.kind, byteCount: changes.byteCount, of: transactions.number,
          to: changes.entityNumber)
        kinds.add(
          changes.kind, byteCount: changes.byteCount, of: transactions.number, to: changes.kind)
      }
      add(
        activity, number: transactions.number, time: transactions.timestamp,
        author: transactions.author, bundle: transactions.bundle, process: transactions.process)
    }
    try changes.finish()
  }

  /// Counts archived transactions.
  ///
  /// - Parameters:
  ///   - reader: What to count.
  ///   - numbers: Gives their entities numbers.
  mutating func collect(_ reader: TimelineReader, _ numbers: inout EntityNumbers) throws {
    while case .transaction(let transaction)? = try reader.nextElement() {
      var activity = Activity()
      activity.transactions = 1
      activity.recordByteCount = Self.archivedTransactionByteCount
      while let change = try reader.nextChange() {
        let byteCount = change.recordByteCount
        activity.add(change.kind, byteCount: byteCount)
        entities.add(
          change.kind, byteCount: byteCount, of: transaction.number,
          to: change.entity.flatMap { numbers.number(of: $0) })
        kinds.add(
          change.kind, byteCount: byteCount, of: transaction.number, to: change.kind)
      }
      add(
        activity, number: transaction.number, time: transaction.timestamp,
        author: transaction.author, bundle: transaction.bundle, process: transaction.process)
    }
  }

  /// What a row of the present layout takes.
  private static let archivedTransactionByteCount: Int64 = 30

  private mutating func add(
    _ activity: Activity, number: Int64, time: StoreTimestamp?, author: RecordedText?,
    bundle: RecordedText?, process: RecordedText?
  ) {
    total += activity
    let position = TransactionPosition(number: number, timestamp: time)
    if oldest.map({ position.number < $0.number }) ?? true { oldest = position }
    if newest.map({ position.number > $0.number }) ?? true { newest = position }
    authors.add(activity, to: TextKey(author))
    bundles.add(activity, to: TextKey(bundle))
    processes.add(activity, to: TextKey(process))

    guard let times, let time, times.contains(time),
      let period = period(containing: time)
    else {
      withoutTime += activity
      return
    }
    periods[period.start, default: (period, Activity())].activity += activity
    let age =
      times.upperBound.secondsSinceReferenceDate - time.secondsSinceReferenceDate
    if age < Self.week { lastWeek += activity }
    if age < Self.month { lastMonth += activity }
  }

  private mutating func period(containing time: StoreTimestamp) -> HistoryPeriod? {
    if let current, current.start <= time, time < current.end { return current }
    current = clock.period(unit, containing: time)
    return current
  }
}
