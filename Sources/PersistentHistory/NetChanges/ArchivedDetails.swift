import StoreFormat

/// Tombstones and recorded values of archived transactions, for the objects that are being folded.
///
/// Those of a store are looked up when they are needed; an archive would have to be read again.
/// Their size is limited: when the limit is reached, fewer objects are folded at a time.
struct ArchivedDetails {
  /// The maximum number of bytes that are kept.
  private static let maxBytes = 16 << 20

  struct Entry {
    /// The entity as it was when the object was deleted.
    fileprivate(set) var entity: HistoryEntity?
    /// The first deletion.
    fileprivate(set) var deletion: NetChange.Deletion?
    fileprivate(set) var values = FoldedValues()

    fileprivate var byteCount: Int {
      (deletion?.tombstone.reduce(64) { $0 + $1.byteCount + 32 } ?? 0) + values.values.byteCount
    }
  }

  private var entries: [NetChangeRow.Object: Entry] = [:]
  private var byteCount = 0

  /// Whether fewer objects must be folded at a time.
  var isFull: Bool { byteCount > Self.maxBytes }

  /// The values of an object's archived updates.
  func values(of object: NetChangeRow.Object) -> [RecordedValue] {
    entries[object]?.values.known ?? []
  }

  /// Returns the first deletion of an object, with the entity as it was then, if it is the change with a number.
  func deletion(
    of object: NetChangeRow.Object, change number: Int64
  ) -> (entity: HistoryEntity, deletion: NetChange.Deletion)? {
    guard !entries.isEmpty, let entry = entries[object], let entity = entry.entity,
      let deletion = entry.deletion, deletion.change == number
    else { return nil }
    return (entity, deletion)
  }

  /// Keeps the tombstone of an object's first deletion.
  mutating func addTombstone(_ change: HistoryChange, _ object: NetChangeRow.Object) {
    update(object) { entry in
      guard entry.deletion == nil, let entity = change.entity else { return }
      entry.entity = entity
      entry.deletion = NetChange.Deletion(change: change.number, tombstone: change.tombstone)
    }
  }

  /// Adds the values of an update.
  ///
  /// - Parameter earlier: The columns that earlier updates touched.
  mutating func addValues(
    _ change: HistoryChange, _ object: NetChangeRow.Object, after earlier: TouchedColumns
  ) {
    guard change.kind == .update, !change.values.isEmpty || entries[object] != nil else { return }
    update(object) { entry in
      if entry.values.isEmpty {
        let names = change.entity.flatMap { earlier.names(of: $0) } ?? []
        entry.values = FoldedValues(touched: names)
      }
      entry.values.fold(change.values, of: change.attributes ?? [])
    }
  }

  private mutating func update(_ object: NetChangeRow.Object, _ body: (inout Entry) -> Void) {
    var entry = entries[object] ?? Entry()
    byteCount -= entry.byteCount
    body(&entry)
    byteCount += entry.byteCount
    entries[object] = entry
  }

  /// Removes the objects that come after another one.
  mutating func removeAll(after last: NetChangeRow.Object) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { !(last < $0.key) }
    byteCount = entries.values.reduce(0) { $0 + $1.byteCount }
  }
}
