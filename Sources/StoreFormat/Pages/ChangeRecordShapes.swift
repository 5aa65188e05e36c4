/// The shapes of the change records that were met, by their headers.
struct ChangeRecordShapes {
  /// More places than a history has shapes; where two meet at one, the later takes it.
  private static let placeCount = 256

  private struct Key: Equatable {
    let first: UInt64
    let second: UInt64
    let third: UInt64

    /// The first bytes of a record, zero behind its header.
    @inline(__always)
    init(_ start: UnsafeRawPointer, headerLength: Int) {
      func word(_ index: Int) -> UInt64 {
        let bytes = UInt64(
          littleEndian: start.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        let count = headerLength - index * 8
        if count >= 8 { return bytes }
        return count <= 0 ? 0 : bytes & ((1 &<< UInt64(count * 8)) &- 1)
      }
      first = word(0)
      second = word(1)
      third = word(2)
    }

    @inline(__always)
    package var place: Int {
      let product =
        (first ^ second &* 0x9e37_79b9_7f4a_7c15 ^ third &* 0xc2b2_ae3d_27d4_eb4f)
        &* 0xff51_afd7_ed55_8ccd
      return Int(product >> 56)
    }
  }

  private let pages: ChangePages
  private var keys: [Key?] = Array(repeating: nil, count: placeCount)
  private var shapes: [ChangeRecordShape?] = Array(repeating: nil, count: placeCount)

  init(_ pages: ChangePages) { self.pages = pages }

  /// The shape of a record; nil for one that is not what the frameworks write.
  ///
  /// - Throws: ``RowsOutOfOrder`` where the numbers of the table's rows are not those of the changes.
  @inline(__always)
  mutating func shape(of record: TreeRecord) throws -> ChangeRecordShape? {
    guard record.count > 0 else { return nil }
    let headerLength = Int(record.start.load(as: UInt8.self))
    guard headerLength <= ChangeRecordShape.mostHeaderBytes, headerLength <= record.count else {
      return try ChangeRecordShape(record, pages)
    }
    let key = Key(record.start, headerLength: headerLength)
    let place = key.place
    if keys[place] == key {
      guard let shape = shapes[place] else { return nil }
      if shape.fits(record) { return shape }
    }
    let shape = try ChangeRecordShape(record, pages)
    keys[place] = key
    shapes[place] = shape
    return shape
  }
}
