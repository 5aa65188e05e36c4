/// Which slots of an entity an update touched, as the bits of `ZCOLUMNS`.
///
/// Slot *i* is set when bit `0x80 >> (i mod 8)` of byte *i / 8* is: the raw content of a
/// CFBitVector. A mask belongs to the model it was written with; `EntitySlots.names(in:)` checks
/// whether it fits one. Masks of up to 256 slots, which are nearly all, take no allocation.
public struct ColumnMask: Sendable {
  private static let inlineCapacity = 32

  private var inline: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  private var overflow: [UInt8]?
  /// The length in bytes.
  package let byteCount: Int

  /// A mask out of its bytes.
  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ColumnMask(bytes: $0) }
  }

  /// A mask out of bytes that are only lent.
  package init(bytes: UnsafeRawBufferPointer) {
    byteCount = bytes.count
    if bytes.count <= ColumnMask.inlineCapacity {
      overflow = nil
      withUnsafeMutableBytes(of: &inline) { $0.copyMemory(from: bytes) }
    } else {
      overflow = Array(bytes)
    }
  }

  /// A mask of `slotCount` slots in which the given ones are set; others are ignored.
  package init(slotCount: Int, settingSlots slots: some Sequence<Int>) {
    var bytes = [UInt8](repeating: 0, count: (slotCount + 7) / 8)
    for slot in slots where slot >= 0 && slot < slotCount {
      bytes[slot / 8] |= 0x80 >> (slot % 8)
    }
    self.init(bytes)
  }

  /// Lends the bytes.
  @inline(__always)
  package func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    if let overflow { return try overflow.withUnsafeBytes(body) }
    return try withUnsafeBytes(of: inline) {
      try body(UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
    }
  }

  /// The mask as a number that no other mask has, or `nil` for one of more than 7 bytes.
  package var shortKey: UInt64? {
    byteCount < 8 ? inline.0.littleEndian | UInt64(byteCount) << 56 : nil
  }

  /// The bytes.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  /// Whether a slot is set; a slot after the end is not.
  package func contains(_ slot: Int) -> Bool {
    withBytes { bytes in
      slot >= 0 && slot / 8 < bytes.count && bytes[slot / 8] & (0x80 >> (slot % 8)) != 0
    }
  }

  /// The numbers of the set slots, ascending.
  ///
  /// A damaged mask can have many millions.
  public var setSlots: [Int] { firstSetSlots(.max) }

  /// Returns the numbers of the first set slots, ascending.
  package func firstSetSlots(_ count: Int) -> [Int] {
    var slots: [Int] = []
    withBytes { bytes in
      for (index, byte) in bytes.enumerated() where byte != 0 {
        for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
          guard slots.count < count else { return }
          slots.append(index * 8 + bit)
        }
      }
    }
    return slots
  }

  /// Visits the numbers of the set slots, ascending, without making a list of them.
  @inline(__always)
  package func forEachSetSlot(_ body: (Int) -> Void) {
    withBytes { bytes in
      for (index, byte) in bytes.enumerated() where byte != 0 {
        var rest = byte
        while rest != 0 {
          let bit = rest.leadingZeroBitCount
          body(index * 8 + bit)
          rest &= ~(0x80 >> UInt8(bit))
        }
      }
    }
  }

  /// Returns the mask in which the slots of both are set.
  package func union(_ other: ColumnMask) -> ColumnMask {
    if overflow == nil, other.overflow == nil {
      var union = byteCount >= other.byteCount ? self : other
      let rest = byteCount >= other.byteCount ? other : self
      // A mask is zero after its last byte.
      union.inline.0 |= rest.inline.0
      union.inline.1 |= rest.inline.1
      union.inline.2 |= rest.inline.2
      union.inline.3 |= rest.inline.3
      return union
    }
    var bytes = byteCount >= other.byteCount ? bytes : other.bytes
    let rest = byteCount >= other.byteCount ? other : self
    rest.withBytes { rest in
      for (index, byte) in rest.enumerated() { bytes[index] |= byte }
    }
    return ColumnMask(bytes)
  }

  /// Whether the mask has the length of one of `slotCount` slots, and no bit after the last.
  package func fits(slotCount: Int) -> Bool {
    guard byteCount == (slotCount + 7) / 8 else { return false }
    return withBytes { bytes in
      guard let last = bytes.last, slotCount % 8 != 0 else { return true }
      return last & (0xff >> (slotCount % 8)) == 0
    }
  }
}

extension ColumnMask: Hashable {
  /// Whether the bytes are the same.
  public static func == (left: ColumnMask, right: ColumnMask) -> Bool {
    left.byteCount == right.byteCount
      && left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
  }

  /// Feeds the bytes into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(byteCount)
    withBytes { hasher.combine(bytes: $0) }
  }
}
