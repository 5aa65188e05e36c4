import StoreFormat

/// Counts how many updates touched each attribute, for a limited number of them.
package struct AttributeTally: Sendable {
  /// An attribute or relationship of an entity, by the names to show.
  package struct Name: Hashable, Sendable {
    package let entity: String
    /// The name, or `#` and the number of the column where the model does not name it.
    package let attribute: String
  }

  private struct Key: Hashable {
    let entityNumber: Int64?
    let mask: ColumnMask
  }

  private static let maxMasks = 4096
  /// The longest mask that is kept, in bytes; no model needs more.
  private static let maxMaskLength = 64
  private static let maxNames = 10_000

  /// The updates by attribute.
  private var counts: [Name: TimedActivity] = [:]
  /// The number of those that touched attributes beyond the limit.
  package private(set) var overflow: Int64 = 0

  private let schema: HistorySchema
  private var masks: [Key: TimedActivity] = [:]
  private var last: (key: Key, activity: TimedActivity)?

  init(schema: HistorySchema) { self.schema = schema }

  /// The attributes, those that were updated most often first.
  package var ranking: [(name: Name, activity: TimedActivity)] {
    counts.map { (name: $0.key, activity: $0.value) }.sorted {
      ($1.activity.activity.updates, $0.name.entity, $0.name.attribute)
        < ($0.activity.activity.updates, $1.name.entity, $1.name.attribute)
    }
  }

  /// Counts an update of a store's row.
  mutating func add(
    _ mask: ColumnMask, ofEntity number: Int64?, byteCount: Int64, in position: TransactionPosition,
    by author: Int?
  ) {
    guard mask.byteCount <= Self.maxMaskLength else {
      return add(
        mask, of: number.map(schema.entity) ?? HistoryEntity(name: nil),
        Self.update(byteCount, position, author))
    }
    let key = Key(entityNumber: number, mask: mask)
    if last?.key != key {
      settleLast()
      last = (key, TimedActivity())
    }
    last?.activity.add(.update, byteCount: byteCount, in: position, by: author)
  }

  private static func update(
    _ byteCount: Int64, _ position: TransactionPosition, _ author: Int?
  ) -> TimedActivity {
    var activity = TimedActivity()
    activity.add(.update, byteCount: byteCount, in: position, by: author)
    return activity
  }

  /// Counts an update.
  mutating func add(
    _ change: HistoryChange, byteCount: Int64, in position: TransactionPosition, by author: Int?
  ) {
    guard let mask = change.mask else { return }
    add(
      mask, of: change.entity ?? HistoryEntity(name: nil),
      Self.update(byteCount, position, author))
  }

  /// Finds the names of all masks that were counted.
  mutating func settle() {
    settleLast()
    for (key, activity) in masks {
      add(key.mask, of: key.entityNumber.map(schema.entity) ?? HistoryEntity(name: nil), activity)
    }
    masks.removeAll()
  }

  private mutating func settleLast() {
    guard let last else { return }
    masks[last.key, default: TimedActivity()].add(last.activity)
    self.last = nil
    if masks.count >= Self.maxMasks { settle() }
  }

  private mutating func add(
    _ mask: ColumnMask, of entity: HistoryEntity, _ activity: TimedActivity
  ) {
    for name in entity.columnLabels(in: mask) {
      let name = Name(entity: entity.label, attribute: name)
      if counts[name] != nil || counts.count < Self.maxNames {
        counts[name, default: TimedActivity()].add(activity)
      } else {
        overflow += activity.activity.updates
      }
    }
  }
}

extension HistoryEntity {
  /// The longest mask whose columns are numbered, in bytes.
  private static let maxMaskLength = 1024

  /// Returns the names of the properties that a mask marks, or `#` and the number of each column where
  /// the model does not name them; `#?` for a mask that is longer than any model's.
  package func columnLabels(in mask: ColumnMask) -> [String] {
    guard mask.byteCount <= Self.maxMaskLength else { return ["#?"] }
    return slots?.names(in: mask) ?? mask.setSlots.map { "#\($0)" }
  }
}
