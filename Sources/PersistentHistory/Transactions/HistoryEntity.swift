import StoreFormat
import Synchronization

/// An entity as history knows it: its name, and how its masks and tombstones are to be read.
///
/// One object stands for all changes of the entity, so that a change costs no text.
public final class HistoryEntity: Sendable {
  /// The name; nil where the store does not name the number.
  public let name: String?
  /// The number in this store; nil where the entity does not come from a store.
  public let number: Int64?
  private let source: LazySlots?
  private let cachedSlots: Mutex<EntitySlots??>

  /// An entity whose slots, if any, are known.
  package init(name: String?, number: Int64? = nil, slots: EntitySlots? = nil) {
    self.name = name
    self.number = number
    source = nil
    cachedSlots = Mutex(.some(slots))
  }

  /// An entity whose slots are worked out when they are first needed.
  init(name: String, number: Int64, source: LazySlots) {
    self.name = name
    self.number = number
    self.source = source
    cachedSlots = Mutex(nil)
  }

  /// The order of mask and tombstone columns; nil where no model tells.
  package var slots: EntitySlots? {
    cachedSlots.withLock { cached in
      if let slots = cached { return slots }
      let slots = name.flatMap { source?.slots(of: $0) }
      cached = .some(slots)
      return slots
    }
  }

  /// The values of a tombstone by attribute, without those that were nil; nil where no model tells
  /// the names.
  func preservedValues(
    in tombstone: [StoredValue]
  ) -> [(attribute: ManagedAttribute, value: StoredValue)]? {
    slots.map { slots in
      zip(slots.tombstoneAttributes, tombstone).filter { !$0.1.isNull }
        .map { (attribute: $0.0, value: $0.1) }
    }
  }

  /// The name, or the number where there is no name.
  public var label: String { name ?? number.map { "#\($0)" } ?? "#?" }
}

extension HistoryEntity: Hashable {
  /// Whether the names are the same, or, of two entities without a name, the numbers.
  public static func == (left: HistoryEntity, right: HistoryEntity) -> Bool {
    left === right
      || left.name == right.name && (left.name != nil || left.number == right.number)
  }

  /// Feeds what ``==(_:_:)`` compares into a hasher.
  public func hash(into hasher: inout Hasher) {
    if let name { hasher.combine(name) } else { hasher.combine(number) }
  }
}
