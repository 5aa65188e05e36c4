import StoreFormat

/// The columns that some updates of an object touched, together.
///
/// ``merged(with:)`` is associative, commutative and idempotent, and ``none`` changes nothing.
package struct TouchedColumns: Hashable, Sendable {
  /// The slots that are known to have been touched; nil where no update told any.
  package let mask: ColumnMask?
  /// Whether ``mask`` can be taken for all that was touched.
  ///
  /// It cannot where an update has no mask, one of which no entity has so many slots, or where masks
  /// of different lengths came together: those belong to different models.
  package let isComplete: Bool

  /// The longest mask that is kept, in bytes; the slots of no entity need more.
  static let longestMask = 1024

  /// No columns, as of an insert or a delete.
  package static let none = TouchedColumns(mask: nil, isComplete: true)

  /// The columns of one update.
  package init(updateWith mask: ColumnMask?) {
    guard let mask, mask.byteCount <= Self.longestMask else {
      self.init(mask: nil, isComplete: false)
      return
    }
    self.init(mask: mask, isComplete: true)
  }

  init(mask: ColumnMask?, isComplete: Bool) {
    self.mask = mask
    self.isComplete = isComplete
  }

  /// The columns of both.
  package func merged(with other: TouchedColumns) -> TouchedColumns {
    guard let mask, let otherMask = other.mask else {
      return TouchedColumns(
        mask: mask ?? other.mask, isComplete: isComplete && other.isComplete)
    }
    return TouchedColumns(
      mask: mask.union(otherMask),
      isComplete: isComplete && other.isComplete && mask.byteCount == otherMask.byteCount)
  }

  /// The properties of an entity that were touched, in slot order and each once; nil where they
  /// cannot be known.
  package func names(of entity: HistoryEntity) -> [String]? {
    guard isComplete, let mask else { return nil }
    return entity.slots?.names(in: mask)
  }
}
