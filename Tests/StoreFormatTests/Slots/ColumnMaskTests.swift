import TestSupport
import Testing

@testable import StoreFormat

/// Masks of every length hold their bits.
@Suite(.bounded) struct ColumnMaskTests {
  @Test(
    arguments: [
      ([], []), ([0x80], [0]), ([0x01], [7]), ([0x10], [3]), ([0x80, 0x02, 0x02], [0, 14, 22]),
      ([0x1d, 0x60], [3, 4, 5, 7, 9, 10]), ([0, 0, 0, 0x40, 0, 0, 0, 0], [25]),
      ([0x40, 0, 0x20, 0, 0x80, 0], [1, 18, 32]), ([0xff, 0xff], Array(0..<16)),
    ] as [([UInt8], [Int])])
  func `slots are the bits of a mask from the left`(bytes: [UInt8], slots: [Int]) {
    let mask = ColumnMask(bytes)
    #expect(mask.bytes == bytes)
    #expect(mask.byteCount == bytes.count)
    #expect(mask.setSlots == slots)
    #expect((-9..<bytes.count * 8 + 9).filter(mask.contains) == slots)
    #expect(!mask.contains(.max) && !mask.contains(.min))
  }

  @Test
  func `a mask of any number of slots has the bits that were set`() {
    var generator = SeededGenerator(seed: 8)
    for count in 0...300 {
      let set = (0..<count).filter { _ in Bool.random(using: &generator) }
      let mask = ColumnMask(slotCount: count, settingSlots: set + [-1, count, count + 7, .max])
      var bytes = [UInt8](repeating: 0, count: count / 8 + (count % 8 == 0 ? 0 : 1))
      for slot in set { bytes[slot / 8] += [128, 64, 32, 16, 8, 4, 2, 1][slot % 8] }
      #expect(mask.bytes == bytes)
      #expect(mask.setSlots == set)
      #expect(mask.fits(slotCount: count))
      #expect((count..<count + 17).allSatisfy { !mask.contains($0) })
      // Other counts fit where the bytes are as many and no bit stands behind the last slot.
      for other in max(0, count - 9)..<count + 9 {
        let fits = (other + 7) / 8 == bytes.count && (set.last ?? -1) < other
        #expect(mask.fits(slotCount: other) == fits, "\(count) as \(other)")
      }
    }
  }

  @Test
  func `masks are equal if their bytes are equal`() {
    var generator = SeededGenerator(seed: 9)
    for length in [0, 1, 7, 8, 31, 32, 33, 40, 100] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(ColumnMask(bytes) == ColumnMask(bytes))
      #expect(ColumnMask(bytes).hashValue == ColumnMask(bytes).hashValue)
      #expect(ColumnMask(bytes) != ColumnMask(bytes + [0]))
      for offset in bytes.indices {
        var other = bytes
        other[offset] ^= 1
        #expect(ColumnMask(bytes) != ColumnMask(other))
      }
    }
    #expect(Set([ColumnMask([0]), ColumnMask([0, 0]), ColumnMask([0])]).count == 2)
  }
}
