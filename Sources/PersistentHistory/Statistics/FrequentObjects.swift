import StoreFormat

/// The changes of one object, or the updates of one attribute: how many, how large, when and by whom.
package struct TimedActivity: Sendable {
  /// The counts, without transactions.
  package private(set) var activity = Activity()
  /// The transaction with the lowest number.
  package private(set) var first: TransactionPosition?
  /// The transaction with the highest number.
  package private(set) var last: TransactionPosition?
  /// The changes by the place of their author, the first few authors.
  private(set) var authors: [(place: Int, changes: Int64)] = []

  /// The maximum number of authors that are counted each.
  private static let maxAuthors = 8

  /// Counts a change.
  ///
  /// - Parameter author: The place of the author; `nil` for one that is not distinguished.
  @inline(__always)
  mutating func add(
    _ kind: ChangeKind?, byteCount: Int64, in position: TransactionPosition, by author: Int?
  ) {
    activity.add(kind, byteCount: byteCount)
    widen(position)
    if let author { add(1, by: author) }
  }

  /// Adds the counts of another one.
  mutating func add(_ other: TimedActivity) {
    activity += other.activity
    if let first = other.first { widen(first) }
    if let last = other.last { widen(last) }
    for author in other.authors { add(author.changes, by: author.place) }
  }

  private mutating func widen(_ position: TransactionPosition) {
    if first.map({ position.number < $0.number }) ?? true { first = position }
    if last.map({ position.number > $0.number }) ?? true { last = position }
  }

  private mutating func add(_ changes: Int64, by author: Int) {
    if let index = authors.firstIndex(where: { $0.place == author }) {
      authors[index].changes += changes
    } else if authors.count < Self.maxAuthors {
      authors.append((author, changes))
    }
  }

  /// The average time between two changes in seconds; `nil` if there is only one, or a time is not usable.
  package var interval: Double? {
    guard activity.changes > 1, let first = first?.timestamp, let last = last?.timestamp else {
      return nil
    }
    let span = last.secondsSinceReferenceDate - first.secondsSinceReferenceDate
    return span.isFinite && span >= 0 ? span / Double(activity.changes - 1) : nil
  }
}

/// Finds the objects that changed most often, in one or two passes over a history.
///
/// At most ``capacity`` objects are counted at a time. When there are more, the median of their weights is
/// subtracted from each weight, and objects without any weight left are dropped (Misra and Gries 1982, with the
/// pruning of frequent-items sketches). Each step takes at least the median from half of them, so an object with
/// more than 2 of every ``capacity`` changes is never dropped. If any was dropped, the counts of those that remain
/// may lack their first changes, and a second pass counts them again.
struct FrequentObjects: Sendable {
  struct Key: Hashable, Sendable {
    let entityNumber: Int64
    let primaryKey: Int64
  }

  fileprivate struct Entry: Sendable {
    var weight: Int64 = 0
    var activity = TimedActivity()
  }

  static let capacity = 8192

  private var entries: [Key: Entry] = [:]
  /// The maximum number of changes of an object that was dropped.
  private(set) var maxMissed: Int64 = 0
  /// Whether only known objects are counted.
  private let isFixed: Bool

  init() { isFixed = false }

  /// Counts the objects that another one has found, from the beginning.
  init(recounting other: FrequentObjects) {
    isFixed = true
    entries = other.entries.mapValues { _ in Entry() }
    maxMissed = other.maxMissed
  }

  /// Whether the counts are only lower bounds.
  var needsRecount: Bool { !isFixed && maxMissed > 0 }

  var activities: [(key: Key, activity: TimedActivity)] {
    entries.map { ($0.key, $0.value.activity) }
  }

  /// Counts a change.
  @inline(__always)
  mutating func add(
    _ kind: ChangeKind?, byteCount: Int64, of key: Key, in position: TransactionPosition,
    by author: Int?
  ) {
    if isFixed {
      guard let index = entries.index(forKey: key) else { return }
      entries.values[index].activity.add(kind, byteCount: byteCount, in: position, by: author)
      return
    }
    entries[key, default: Entry()].add(kind, byteCount: byteCount, in: position, by: author)
    if entries.count > Self.capacity { drop() }
  }

  /// Drops at least half of the objects.
  private mutating func drop() {
    let weights = entries.values.map(\.weight).sorted()
    let median = weights[weights.count / 2]
    maxMissed += median
    entries = entries.compactMapValues { entry in
      guard entry.weight > median else { return nil }
      var entry = entry
      entry.weight -= median
      return entry
    }
  }
}

extension FrequentObjects.Entry {
  @inline(__always)
  fileprivate mutating func add(
    _ kind: ChangeKind?, byteCount: Int64, in position: TransactionPosition, by author: Int?
  ) {
    weight += 1
    activity.add(kind, byteCount: byteCount, in: position, by: author)
  }
}

/// The objects that changed most often, each with exact counts.
package struct ObjectRanking: Sendable {
  package struct Entry: Sendable {
    package let entity: HistoryEntity
    package let primaryKey: Int64
    package let activity: TimedActivity

    /// The object, as `Trip/p12`.
    package var label: String { "\(entity.label)/p\(primaryKey)" }
  }

  /// The objects, the most changes first.
  package let entries: [Entry]
  /// The maximum number of changes of an object that is missing; 0 if every object is listed.
  package let maxMissed: Int64

  init(_ objects: FrequentObjects, _ entity: (Int64) -> HistoryEntity) {
    maxMissed = objects.maxMissed
    entries = objects.activities.map { key, activity in
      Entry(entity: entity(key.entityNumber), primaryKey: key.primaryKey, activity: activity)
    }.filter { $0.activity.activity.changes > 0 }.sorted {
      // Not by bytes, which are known only of what the store keeps: an archive does not change the order.
      ($1.activity.activity.changes, $0.entity.label, $0.primaryKey)
        < ($0.activity.activity.changes, $1.entity.label, $1.primaryKey)
    }
  }
}
