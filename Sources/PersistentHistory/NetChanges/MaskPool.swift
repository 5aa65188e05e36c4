import StoreFormat

/// Masks by small numbers, equal ones by the same: of a million objects most were touched alike.
struct MaskPool {
  /// The number that stands for no mask.
  static let none: UInt32 = 0

  private var masks: [ColumnMask] = []
  private var numbers: [ColumnMask: UInt32] = [:]
  /// Updates of one entity tend to stand together.
  private var last: (mask: ColumnMask, number: UInt32)?

  /// About how many bytes the masks take.
  private(set) var byteCount = 0

  /// The mask of a number.
  subscript(number: UInt32) -> ColumnMask? {
    number == Self.none ? nil : masks[Int(number) - 1]
  }

  /// The number of a mask.
  mutating func number(of mask: ColumnMask) -> UInt32 {
    if let last, last.mask == mask { return last.number }
    let number: UInt32
    if let known = numbers[mask] {
      number = known
    } else {
      masks.append(mask)
      number = UInt32(masks.count)
      numbers[mask] = number
      // The mask stands in the list and in the table, which is half empty; a long one has its bytes
      // apart from both.
      byteCount += 3 * MemoryLayout<ColumnMask>.stride + mask.byteCount
    }
    last = (mask, number)
    return number
  }
}
