import StoreFormat

/// Activity by a key, for a limited number of keys: whatever comes then is counted together.
///
/// A file made to fill memory may have an author for every transaction. The first that come are
/// told apart, which in a history of an app are all.
struct ActivityGroups<Key: Hashable & Sendable> {
  private struct Entry {
    let key: Key
    var activity = Activity()
    /// The transaction that was counted last.
    var lastTransaction: Int64?
  }

  /// The most keys that are told apart.
  private let capacity: Int
  private var entries: [Entry] = []
  private var places: [Key: Int] = [:]
  private var lastPlace: Int?
  private var overflow = Activity()
  private var lastOverflowTransaction: Int64?

  init(capacity: Int = StoreSnapshot.mostGroups) { self.capacity = capacity }

  /// Counts a whole transaction.
  mutating func add(_ activity: Activity, to key: Key) {
    if let place = place(of: key) {
      entries[place].activity += activity
    } else {
      overflow += activity
    }
  }

  /// Counts a change, and its transaction where it is the first one of it.
  mutating func add(_ kind: ChangeKind?, byteCount: Int64, of transaction: Int64, to key: Key) {
    if let place = place(of: key) {
      entries[place].activity.add(kind, byteCount: byteCount)
      guard entries[place].lastTransaction != transaction else { return }
      entries[place].lastTransaction = transaction
      entries[place].activity.transactions += 1
    } else {
      overflow.add(kind, byteCount: byteCount)
      guard lastOverflowTransaction != transaction else { return }
      lastOverflowTransaction = transaction
      overflow.transactions += 1
    }
  }

  private mutating func place(of key: Key) -> Int? {
    // What belongs together mostly comes together.
    if let lastPlace, entries[lastPlace].key == key { return lastPlace }
    if let place = places[key] {
      lastPlace = place
      return place
    }
    guard entries.count < capacity else { return nil }
    places[key] = entries.count
    lastPlace = entries.count
    entries.append(Entry(key: key))
    return lastPlace
  }

  /// The groups in an order, under the names that people know.
  func ranking<Name: Sendable>(
    _ name: (Key) -> Name,
    isBefore: (ActivityRanking<Name>.Group, ActivityRanking<Name>.Group) -> Bool
  ) -> ActivityRanking<Name> {
    ActivityRanking(
      groups: entries.map { .init(key: name($0.key), activity: $0.activity) }.sorted(by: isBefore),
      overflow: overflow)
  }
}
