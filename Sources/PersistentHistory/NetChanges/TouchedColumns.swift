import StoreFormat

/// The columns that updates of an object touched.
///
/// ``merged(with:)`` is associative, commutative and idempotent, and ``none`` changes nothing.
package struct TouchedColumns: Hashable, Sendable {
  /// The slots that are known to have been touched; `nil` if no update named any.
  package let mask: ColumnMask?
  /// Whether ``mask`` has all slots that were touched.
  ///
  /// It does not if an update has no mask or a far too long one, or if masks have different
  /// lengths, as in different models.
  package let isComplete: Bool

  /// The maximum length of a mask in bytes; no entity needs more.
  static let maxMaskLength = 1024

  /// No columns, as for an insert or a delete.
  package static let none = TouchedColumns(mask: nil, isComplete: true)

  /// The columns of one update.
  package init(updateWith mask: ColumnMask?) {
    guard let mask, mask.byteCount <= Self.maxMaskLength else {
      self.init(mask: nil, isComplete: false)
      return
    }
    self.init(mask: mask, isComplete: true)
  }

  init(mask: ColumnMask?, isComplete: Bool) {
    self.mask = mask
    self.isComplete = isComplete
  }

  /// Returns the columns of both.
  package func merged(with other: TouchedColumns) -> TouchedColumns {
    guard let mask, let otherMask = other.mask else {
      return TouchedColumns(
        mask: mask ?? other.mask, isComplete: isComplete && other.isComplete)
    }
    return TouchedColumns(
      mask: mask.union(otherMask),
      isComplete: isComplete && other.isComplete && mask.byteCount == otherMask.byteCount)
  }

  /// Returns the properties of an entity that were touched, in slot order and each once; `nil` if
  /// they are not known.
  func names(of entity: HistoryEntity) -> [String]? {
    guard isComplete, let mask else { return nil }
    return entity.slots?.names(in: mask)
  }
}

/// Assigns numbers to masks, the same to equal ones, because most objects share their masks.
struct MaskPool {
  /// The number for no mask.
  static let none: UInt32 = 0

  private var masks: [ColumnMask] = []
  private var numbers: [ColumnMask: UInt32] = [:]
  /// Updates of one entity tend to follow each other.
  private var last: (mask: ColumnMask, number: UInt32)?

  /// The estimated bytes of all masks.
  private(set) var byteCount = 0

  subscript(number: UInt32) -> ColumnMask? {
    number == Self.none ? nil : masks[Int(number) - 1]
  }

  /// Returns the number of a mask.
  mutating func number(of mask: ColumnMask) -> UInt32 {
    if let last, last.mask == mask { return last.number }
    let number: UInt32
    if let known = numbers[mask] {
      number = known
    } else {
      masks.append(mask)
      number = UInt32(masks.count)
      numbers[mask] = number
      // The mask is in the list and in the dictionary, which is half empty. A long one has its
      // bytes apart from both.
      byteCount += 3 * MemoryLayout<ColumnMask>.stride + mask.byteCount
    }
    last = (mask, number)
    return number
  }
}
