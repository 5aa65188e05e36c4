import StoreFormat
import Synchronization

/// An entity of a history, with the order of its mask and tombstone columns.
///
/// All changes of the entity share one object, so that a change stores no text.
public final class HistoryEntity: Sendable {
  /// The name, or `nil` where the store does not name the number.
  public let name: String?
  /// The number in this store, or `nil` where the entity does not come from a store.
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

  /// Creates an entity whose slots are computed when they are first needed.
  init(name: String, number: Int64, source: LazySlots) {
    self.name = name
    self.number = number
    self.source = source
    cachedSlots = Mutex(nil)
  }

  /// The order of mask and tombstone columns, or `nil` without a model.
  package var slots: EntitySlots? {
    cachedSlots.withLock { cached in
      if let slots = cached { return slots }
      let slots = name.flatMap { source?.slots(of: $0) }
      cached = .some(slots)
      return slots
    }
  }

  /// Returns the values of a tombstone by attribute, without nulls, or `nil` without a model.
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
  /// Returns whether the names are equal or, of two entities without a name, the numbers.
  public static func == (left: HistoryEntity, right: HistoryEntity) -> Bool {
    left === right
      || left.name == right.name && (left.name != nil || left.number == right.number)
  }

  /// Hashes the name or, without a name, the number.
  public func hash(into hasher: inout Hasher) {
    if let name { hasher.combine(name) } else { hasher.combine(number) }
  }
}
