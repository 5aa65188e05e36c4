/// The fields of a record, found by one walk through its header.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#record_format>.
struct RecordFields {
  private let start: UnsafeRawPointer
  private let end: Int
  private let headerEnd: Int
  private var place: Int
  private var body: Int

  /// Begins before the first field; `nil` if the header does not fit into the record.
  @inline(__always)
  init?(_ record: TreeRecord) {
    guard record.isWhole, record.count > 0 else { return nil }
    start = record.start
    end = record.count
    place = 0
    let length = start.variableInteger(at: &place)
    guard length <= UInt64(record.count), Int(length) >= place else { return nil }
    headerEnd = Int(length)
    body = headerEnd
  }

  /// Returns the next field; `nil` after the last one and in a malformed record.
  @inline(__always)
  mutating func next() -> Field? {
    guard place < headerEnd else { return nil }
    let type = start.variableInteger(at: &place)
    let length =
      type < 12 ? Int(Self.lengths >> (type * 4) & 0xf) : Int(clamping: (type - 12) / 2)
    let offset = body
    guard length <= end - offset else {
      place = .max
      return nil
    }
    body = offset + length
    return Field(type: type, start: start + offset, count: length)
  }

  /// Skips nulls, of which a row of the history has many in a row; returns their number, up to 8.
  @inline(__always)
  mutating func skipNulls() -> Int {
    guard place < headerEnd else { return 0 }
    // Eight types; the padding of a page follows the last record.
    let types = start.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
    let count = min(types.trailingZeroBitCount / 8, headerEnd - place)
    place += count
    return count
  }

  /// Whether every field has been read.
  @inline(__always) var isAtEnd: Bool { place == headerEnd }

  /// The lengths of the types below 12, four bits each.
  private static let lengths: UInt64 = 0x8864_3210

  /// One value of a record.
  struct Field {
    let type: UInt64
    let start: UnsafeRawPointer
    let count: Int

    @inline(__always) var isNull: Bool { type == 0 }

    /// The value in place; `nil` for null, for an unknown type, and for NaN.
    @inline(__always)
    var value: LentValue? {
      switch type {
      case 1...6: return .integer(integer(byteCount: count))
      case 7:
        let real = Double(bitPattern: UInt64(bitPattern: integer(byteCount: 8)))
        return real.isNaN ? nil : .real(real)
      case 8: return .integer(0)
      case 9: return .integer(1)
      case 0, 10, 11: return nil
      default:
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        return type % 2 == 0 ? .blob(bytes) : .text(bytes)
      }
    }

    /// The value of an integer; `nil` for anything else.
    var integer: Int64? {
      switch type {
      case 1...6: integer(byteCount: count)
      case 8: 0
      case 9: 1
      default: nil
      }
    }

    /// The number in the first bytes; the bytes after it are read too and shifted out.
    @inline(__always)
    private func integer(byteCount: Int) -> Int64 {
      let bytes = start.loadUnaligned(as: UInt64.self)
      return Int64(bitPattern: UInt64(bigEndian: bytes)) &>> Int64(64 - byteCount * 8)
    }

    /// The bytes of a blob; `nil` for anything else.
    @inline(__always)
    var blob: UnsafeRawBufferPointer? {
      type >= 12 && type % 2 == 0 ? UnsafeRawBufferPointer(start: start, count: count) : nil
    }
  }
}
