import StoreFormat

/// Activity by key, for a limited number of keys. All further keys are counted together.
///
/// A hostile file may have an author for every transaction.
struct ActivityGroups<Key: Hashable & Sendable> {
  private struct Entry {
    let key: Key
    var activity = Activity()
    /// The last transaction that was counted.
    var lastTransaction: Int64?
  }

  /// The maximum number of keys.
  private let capacity: Int
  private var entries: [Entry] = []
  private var places: [Key: Int] = [:]
  private var lastPlace: Int?
  private var overflow = Activity()
  private var lastOverflowTransaction: Int64?

  init(capacity: Int = HistoryStatistics.maxGroups) { self.capacity = capacity }

  /// Counts a whole transaction, and returns the place of the key; `nil` beyond the limit.
  @discardableResult
  mutating func add(_ activity: Activity, to key: Key) -> Int? {
    let place = place(of: key)
    if let place {
      entries[place].activity += activity
    } else {
      overflow += activity
    }
    return place
  }

  /// Counts a change, and its transaction with the first of its changes; returns the place of the key,
  /// or `nil` beyond the limit.
  @discardableResult
  mutating func add(
    _ kind: ChangeKind?, byteCount: Int64, of transaction: Int64, to key: Key
  ) -> Int? {
    guard let place = place(of: key) else {
      overflow.add(kind, byteCount: byteCount)
      guard lastOverflowTransaction != transaction else { return nil }
      lastOverflowTransaction = transaction
      overflow.transactions += 1
      return nil
    }
    entries[place].activity.add(kind, byteCount: byteCount)
    if entries[place].lastTransaction != transaction {
      entries[place].lastTransaction = transaction
      entries[place].activity.transactions += 1
    }
    return place
  }

  /// The keys, by place.
  var keys: [Key] { entries.map(\.key) }

  /// Returns the place of a key; `nil` beyond the limit.
  mutating func place(of key: Key) -> Int? {
    // Changes of one key tend to follow each other.
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

  /// Returns the groups by name, sorted.
  func ranking<Name: Sendable>(
    _ name: (Key) -> Name,
    isBefore: (ActivityRanking<Name>.Group, ActivityRanking<Name>.Group) -> Bool
  ) -> ActivityRanking<Name> {
    ActivityRanking(
      groups: entries.enumerated().map { place, entry in
        .init(key: name(entry.key), activity: entry.activity, place: place)
      }.sorted(by: isBefore), overflow: overflow)
  }
}

/// The activity of authors, entities or the like, the largest first.
package struct ActivityRanking<Key: Sendable>: Sendable {
  package struct Group: Sendable {
    package let key: Key
    package let activity: Activity
    /// Its place in the order in which groups were found.
    package let place: Int
  }

  /// The groups that are not listed.
  package struct Rest: Sendable {
    /// The number of groups; `nil` if there are more than are counted each.
    package let groupCount: Int?
    /// Their activity. A transaction with several entities counts for each of them.
    package let activity: Activity
  }

  /// The groups, the largest first.
  package private(set) var groups: [Group]
  /// The activity of all groups beyond the limit.
  private(set) var overflow: Activity

  init(groups: [Group], overflow: Activity) {
    (self.groups, self.overflow) = (groups, overflow)
  }

  /// Adds the groups of another history; those beyond the limit are not listed any more.
  ///
  /// - Parameters:
  ///   - isBefore: The order of groups.
  ///   - name: What groups of the same name have in common.
  mutating func join(
    _ other: Self, _ isBefore: (Group, Group) -> Bool, by name: (Key) -> some Hashable
  ) {
    var places = Dictionary(
      groups.enumerated().map { (name($1.key), $0) }, uniquingKeysWith: { first, _ in first })
    for group in other.groups {
      var activity = group.activity
      if let place = places[name(group.key)] {
        activity += groups[place].activity
        groups[place] = Group(
          key: groups[place].key, activity: activity, place: groups[place].place)
      } else {
        places[name(group.key)] = groups.count
        groups.append(Group(key: group.key, activity: activity, place: groups.count))
      }
    }
    groups.sort(by: isBefore)
    overflow += other.overflow
    for group in groups.dropFirst(HistoryStatistics.maxGroups) { overflow += group.activity }
    groups.removeLast(max(groups.count - HistoryStatistics.maxGroups, 0))
  }

  /// Returns the largest groups, and the sum of the others; `nil` if there are no others.
  package func top(_ count: Int) -> (groups: ArraySlice<Group>, rest: Rest?) {
    let hidden = groups.dropFirst(max(count, 0))
    guard !hidden.isEmpty || !overflow.isEmpty else { return (groups[...], nil) }
    var activity = overflow
    for group in hidden { activity += group.activity }
    return (
      groups.prefix(max(count, 0)),
      Rest(groupCount: overflow.isEmpty ? hidden.count : nil, activity: activity)
    )
  }
}

/// A text of a transaction as a key.
struct TextKey: Hashable, Sendable {
  /// The maximum number of bytes that are kept. Longer texts are compared by their beginning and
  /// length.
  private static let maxLength = 2048

  let text: RecordedText?
  private let byteCount: Int

  init(_ text: RecordedText?) {
    byteCount = text?.malformedBytes?.count ?? text?.string.utf8.count ?? 0
    guard let text, byteCount > Self.maxLength else {
      self.text = text
      return
    }
    let bytes =
      text.malformedBytes.map { $0.prefix(Self.maxLength) }
      ?? Array(text.string.utf8.prefix(Self.maxLength))[...]
    self.text = RecordedText(String(decoding: bytes, as: UTF8.self) + "…")
  }
}

extension ActivityRanking where Key: Hashable {
  /// Adds the groups of another history.
  mutating func join(_ other: Self, _ isBefore: (Group, Group) -> Bool) {
    join(other, isBefore, by: { $0 })
  }
}
