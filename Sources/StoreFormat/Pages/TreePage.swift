/// One page of a b-tree and the places of its cells.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#b_tree_pages>. Nothing in a page
/// is trusted: an offset outside of it is `nil`.
struct TreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
    var isTable: Bool { self == .tableInterior || self == .tableLeaf }
  }

  let number: UInt32
  let kind: Kind
  let cellCount: Int
  /// The page after the last cell; 0 in a leaf.
  let lastChild: UInt32
  private let start: UnsafeRawPointer
  private let usableSize: Int
  private let pointers: Int

  /// Reads a page; `nil` if it is missing or not a page of a b-tree.
  ///
  /// - Parameter buffer: Holds the page, and must outlive it.
  init?(_ buffer: PageBuffer, reading number: UInt32, of source: PageSource) {
    guard source.read(page: number, into: buffer) else { return nil }
    self.number = number
    start = UnsafeRawPointer(buffer.start)
    usableSize = source.usableSize
    // The header of the file precedes that of the first page.
    let header = number == 1 ? FileHeader.length : 0
    guard let kind = Kind(rawValue: start.load(fromByteOffset: header, as: UInt8.self)) else {
      return nil
    }
    self.kind = kind
    cellCount = Int(start.bigEndian16(at: header + 3))
    pointers = header + (kind.isLeaf ? 8 : 12)
    lastChild = kind.isLeaf ? 0 : start.bigEndian32(at: header + 8)
    guard pointers + 2 * cellCount <= usableSize else { return nil }
  }

  /// Returns where a cell begins, or `nil` if that is outside of the area for cells.
  @inline(__always)
  func cell(_ index: Int) -> Int? {
    let offset = Int(start.bigEndian16(at: pointers + 2 * index))
    return offset >= pointers + 2 * cellCount && offset + 4 <= usableSize ? offset : nil
  }

  /// Returns the page to the left of an interior cell.
  func child(ofCellAt offset: Int) -> UInt32 { start.bigEndian32(at: offset) }

  /// Returns what a cell holds, or `nil` if it reaches out of the page.
  ///
  /// In the interior of a table that is only the highest row number of the page to the left.
  @inline(__always)
  func record(ofCellAt offset: Int) -> TreeRecord? {
    var place = kind.isLeaf ? offset : offset + 4
    if kind == .tableInterior {
      let number = Int64(bitPattern: start.variableInteger(at: &place))
      return TreeRecord(rowNumber: number, start: start + place, count: 0, isWhole: false)
    }
    let length = start.variableInteger(at: &place)
    let number = kind == .tableLeaf ? Int64(bitPattern: start.variableInteger(at: &place)) : 0
    let longest = kind == .tableLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    guard length <= UInt64(longest) else {
      // The rest is in overflow pages, which are not read here.
      return TreeRecord(rowNumber: number, start: start + place, count: 0, isWhole: false)
    }
    guard place + Int(length) <= usableSize else { return nil }
    return TreeRecord(rowNumber: number, start: start + place, count: Int(length), isWhole: true)
  }
}

/// A record of a table or an index, valid until its cursor moves on.
struct TreeRecord {
  /// The number of the row; 0 in an index.
  let rowNumber: Int64
  /// Its bytes, followed by at least ``PageSource/padding`` bytes that can be read.
  let start: UnsafeRawPointer
  /// The number of bytes; 0 if it is not whole.
  let count: Int
  /// Whether all of it is in this page.
  let isWhole: Bool
}

extension UnsafeRawPointer {
  @inline(__always)
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always)
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Reads an integer of one to nine bytes and goes past it.
  @inline(__always)
  func variableInteger(at place: inout Int) -> UInt64 {
    let first = load(fromByteOffset: place, as: UInt8.self)
    place &+= 1
    return first < 0x80 ? UInt64(first) : longInteger(UInt64(first & 0x7f), at: &place)
  }

  private func longInteger(_ first: UInt64, at place: inout Int) -> UInt64 {
    var value = first
    for _ in 0..<7 {
      let byte = load(fromByteOffset: place, as: UInt8.self)
      place &+= 1
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return value }
    }
    let last = load(fromByteOffset: place, as: UInt8.self)
    place &+= 1
    return value << 8 | UInt64(last)
  }
}
