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
  private(set) var withoutTime = Activity()
  private(set) var lastWeek = Activity()
  private(set) var lastMonth = Activity()
  private(set) var authors = ActivityGroups<TextKey>()
  private(set) var bundles = ActivityGroups<TextKey>()
  private(set) var processes = ActivityGroups<TextKey>()
  private(set) var entities = ActivityGroups<Int64?>()
  private(set) var kinds = ActivityGroups<ChangeKind?>()

  /// The period of the last transaction, which is mostly that of the next one too.
  private var current: HistoryPeriod?

  init(unit: PeriodUnit, clock: PeriodClock, times: ClosedRange<StoreTimestamp>?) {
    self.unit = unit
    self.clock = clock
    self.times = times
  }

  /// Counts the selected transactions.
  mutating func collect(_ selection: TransactionSelection, of snapshot: StoreSnapshot) throws {
    let transactions = try snapshot.transactions(selection)
    let changes = try transactions.changes(.sizes)
    let transactionByteCount = try snapshot.historyTables().transactionByteCount
    while try transactions.next() {
      var activity = Activity()
      activity.transactions = 1
      activity.recordByteCount = transactionByteCount
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
  }

  /// Counts archived transactions.
  ///
  /// - Parameters:
  ///   - reader: Reads them.
  ///   - numbers: Assigns numbers to their entities.
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

  /// The estimated bytes of a row of the current layout.
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
