import StoreFormat

/// What objects left behind that were deleted in archived transactions.
///
/// A store is asked for it when it is needed; an archive would have to be read again. What is kept
/// has a limit, and who reaches it folds fewer objects at a time.
struct ArchivedDeletions {
  /// How many bytes are kept at a time.
  private static let mostBytes = 16 << 20

  struct Entry {
    let entity: HistoryEntity
    let deletion: NetChange.Deletion
    fileprivate let byteCount: Int
  }

  private var entries: [NetChangeRow.Object: Entry] = [:]
  private var byteCount = 0

  /// Whether fewer objects must be folded at a time.
  var isFull: Bool { byteCount > Self.mostBytes }

  /// The first deletion of an object, where it is the one that an outline means.
  subscript(outline: NetChangeOutline) -> Entry? {
    guard !entries.isEmpty, outline.hasTombstone, outline.effect.existedBefore,
      let entry = entries[outline.object], entry.deletion.change == outline.deletion
    else { return nil }
    return entry
  }

  /// Keeps what an object left behind, if it is its first deletion.
  mutating func add(_ change: HistoryChange, _ object: NetChangeRow.Object) {
    guard entries[object] == nil, let entity = change.entity else { return }
    let byteCount = change.tombstone.reduce(64) { $0 + $1.byteCount + 32 }
    entries[object] = Entry(
      entity: entity,
      deletion: NetChange.Deletion(change: change.number, tombstone: change.tombstone),
      byteCount: byteCount)
    self.byteCount += byteCount
  }

  /// Forgets the objects that come behind another one.
  mutating func removeAll(behind last: NetChangeRow.Object) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { !(last < $0.key) }
    byteCount = entries.values.reduce(0) { $0 + $1.byteCount }
  }
}
