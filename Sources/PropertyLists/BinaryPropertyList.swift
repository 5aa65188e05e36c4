/// A property list in Apple's binary format ("bplist00"), read on demand.
///
/// Making one checks the trailer and every entry of the offset table; the objects themselves are
/// decoded only when asked for, so that a few values of a large archive cost little.  Nothing is
/// allocated for a size that the input merely claims.
package struct BinaryPropertyList: Sendable {
  /// The index of the outermost object.
  package let rootIndex: Int

  /// How much a single materialisation may build.
  package let limits: PropertyListLimits

  /// The whole list.
  let bytes: [UInt8]
  /// The position of every object, checked to lie between the header and the offset table.
  let offsets: [UInt32]
  /// The number of bytes in a reference from a container to its content, 1 to 8.
  let referenceSize: Int
  /// The first byte after the objects, where the offset table starts.
  let objectsEnd: Int

  private static let header: [UInt8] = Array("bplist00".utf8)
  private static let trailerSize = 32

  /// Whether the bytes claim to be a binary property list.
  package static func isBinary(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: header)
  }

  /// Takes the bytes of a whole property list.
  ///
  /// Throws when the header, the trailer or the offset table is damaged.
  package init(
    _ bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    guard Self.isBinary(bytes) else {
      throw .damaged("no binary header", expected: "the bytes \"bplist00\"", offset: 0)
    }
    guard bytes.count > Self.header.count + Self.trailerSize else {
      throw .damaged(
        "\(bytes.count) bytes", expected: "at least an object, an offset and a 32-byte trailer",
        offset: bytes.count)
    }
    guard bytes.count <= Int(Int32.max) else {
      throw .beyondLimit("\(bytes.count) bytes")
    }
    let trailer = bytes.count - Self.trailerSize
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw .damaged(
        "integers of \(offsetSize) and \(referenceSize) bytes", expected: "1 to 8 bytes each",
        offset: trailer + 6)
    }
    let counts = bytes.withUnsafeBufferPointer { buffer in
      (
        objects: Self.unsigned(in: buffer, at: trailer + 8, size: 8),
        root: Self.unsigned(in: buffer, at: trailer + 16, size: 8),
        table: Self.unsigned(in: buffer, at: trailer + 24, size: 8)
      )
    }
    guard counts.table > UInt64(Self.header.count), counts.table < UInt64(trailer) else {
      throw .damaged(
        "an offset table at byte \(counts.table)",
        expected: "one between the objects and the trailer at byte \(trailer)",
        offset: trailer + 24)
    }
    let table = Int(counts.table)
    guard counts.objects > 0, counts.objects <= UInt64((trailer - table) / offsetSize) else {
      throw .damaged(
        "\(counts.objects) objects",
        expected: "1 to \((trailer - table) / offsetSize), for which the offset table has room",
        offset: trailer + 8)
    }
    guard counts.root < counts.objects else {
      throw .damaged(
        "object \(counts.root) as the root", expected: "one below \(counts.objects)",
        offset: trailer + 16)
    }
    let count = Int(counts.objects)
    var firstBad: Int?
    let offsets = bytes.withUnsafeBufferPointer { buffer in
      [UInt32](unsafeUninitializedCapacity: count) { output, initialized in
        for index in 0..<count {
          let position = table + index * offsetSize
          let offset = Self.unsigned(in: buffer, at: position, size: offsetSize)
          guard offset >= 8, offset < counts.table else {
            firstBad = position
            break
          }
          output[index] = UInt32(offset)
          initialized = index + 1
        }
      }
    }
    if let firstBad {
      throw .damaged(
        "an object outside the object area", expected: "an offset from 8 to \(table - 1)",
        offset: firstBad)
    }
    self.bytes = bytes
    self.offsets = offsets
    self.referenceSize = referenceSize
    self.objectsEnd = table
    self.rootIndex = Int(counts.root)
    self.limits = limits
  }

  /// The number of objects in the offset table.
  package var objectCount: Int { offsets.count }

  /// The whole property list.
  ///
  /// Throws when an object is damaged, contains itself, or goes beyond the limits.
  package var root: PropertyListValue {
    get throws(PropertyListError) { try value(at: rootIndex, depth: limits.depth) }
  }

  /// The object of an index with everything in it, up to `depth` nested arrays and dictionaries (0
  /// for a scalar only).
  ///
  /// Throws when the index is out of range, an object is damaged, or the content is deeper or larger
  /// than allowed; so a container that contains itself ends in an error.
  package func value(at objectIndex: Int, depth: Int) throws(PropertyListError) -> PropertyListValue
  {
    var budget = Budget(nodes: limits.nodes, bytes: bytes.count * 2)
    return try materialise(try header(at: objectIndex), objectIndex, depth, &budget)
  }

  /// A big-endian integer of 1 to 8 bytes; the caller has checked that they are there.
  static func unsigned(in buffer: UnsafeBufferPointer<UInt8>, at position: Int, size: Int) -> UInt64
  {
    var value: UInt64 = 0
    for index in position..<position + size {
      value = value << 8 | UInt64(buffer[index])
    }
    return value
  }
}
