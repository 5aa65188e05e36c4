/// A property list in Apple's binary format ("bplist00"), decoded on demand.
///
/// The initializer checks the trailer and the offset table; objects are decoded when they are read, so that
/// a few values of a large archive are cheap. Nothing is allocated for a size that the input only claims.
package struct BinaryPropertyList: Sendable {
  let rootIndex: Int

  let limits: PropertyListLimits

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
    let counts = try Self.counts(in: bytes, at: trailer, offsetSize: offsetSize)
    // Several objects may have the same offset, so the size of the list does not limit their number.
    guard counts.objects <= limits.nodes else {
      throw .beyondLimit("more than \(limits.nodes) objects", offset: trailer + 8)
    }
    offsets = try Self.offsets(
      in: bytes, at: counts.table, count: counts.objects, size: offsetSize)
    self.bytes = bytes
    self.referenceSize = referenceSize
    self.objectsEnd = counts.table
    self.rootIndex = counts.root
    self.limits = limits
  }

  /// Reads from the trailer how many objects there are, which is the root, and where the table of
  /// their offsets begins.
  private static func counts(
    in bytes: [UInt8], at trailer: Int, offsetSize: Int
  ) throws(PropertyListError) -> (objects: Int, root: Int, table: Int) {
    let counts = bytes.withUnsafeBufferPointer { buffer in
      (
        objects: unsigned(in: buffer, at: trailer + 8, size: 8),
        root: unsigned(in: buffer, at: trailer + 16, size: 8),
        table: unsigned(in: buffer, at: trailer + 24, size: 8)
      )
    }
    guard counts.table > UInt64(header.count), counts.table < UInt64(trailer) else {
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
    return (Int(counts.objects), Int(counts.root), table)
  }

  /// Reads the table of offsets, which begins where the objects end.
  private static func offsets(
    in bytes: [UInt8], at table: Int, count: Int, size: Int
  ) throws(PropertyListError) -> [UInt32] {
    var firstBad: Int?
    let offsets = bytes.withUnsafeBufferPointer { buffer in
      [UInt32](unsafeUninitializedCapacity: count) { output, initialized in
        for index in 0..<count {
          let position = table + index * size
          let offset = unsigned(in: buffer, at: position, size: size)
          guard offset >= 8, offset < UInt64(table) else {
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
    return offsets
  }

  /// The number of objects in the offset table.
  var objectCount: Int { offsets.count }

  package var root: PropertyListValue {
    get throws(PropertyListError) { try value(at: rootIndex, depth: limits.depth) }
  }

  /// The object of an index with everything in it, up to `depth` nested arrays and dictionaries (0
  /// for a scalar only).
  func value(at objectIndex: Int, depth: Int) throws(PropertyListError) -> PropertyListValue {
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

extension BinaryPropertyList {
  /// The kind of an object, from its marker byte.
  enum Kind: Sendable {
    case null, boolean, integer, real, date, data, ascii, utf16, uid, array, dictionary
  }

  /// The kind and length of an object, checked against the bytes that exist.
  struct Header: Sendable {
    var kind: Kind
    /// Bytes of a scalar, UTF-16 units of a string, elements of an array, pairs of a dictionary; the
    /// truth value (0 or 1) of a boolean.
    var count: Int
    /// The position of the first byte after the marker and the count.
    var payload: Int
  }

  func header(at index: Int) throws(PropertyListError) -> Header {
    guard index >= 0, index < offsets.count else {
      throw .damaged("a reference to object \(index)", expected: "one below \(offsets.count)")
    }
    let start = Int(offsets[index])
    let marker = bytes[start]
    let low = Int(marker & 0x0F)
    let header: Header
    let unitSize: Int
    switch (marker >> 4, low) {
    case (0x0, 0x0):
      return Header(kind: .null, count: 0, payload: start + 1)
    case (0x0, 0x8), (0x0, 0x9):
      return Header(kind: .boolean, count: low - 8, payload: start + 1)
    case (0x1, 0...4):
      (header, unitSize) = (Header(kind: .integer, count: 1 << low, payload: start + 1), 1)
    case (0x2, 2...3):
      (header, unitSize) = (Header(kind: .real, count: 1 << low, payload: start + 1), 1)
    case (0x3, 3):
      (header, unitSize) = (Header(kind: .date, count: 8, payload: start + 1), 1)
    case (0x4, _):
      (header, unitSize) = (try counted(.data, low, start), 1)
    case (0x5, _):
      (header, unitSize) = (try counted(.ascii, low, start), 1)
    case (0x6, _):
      (header, unitSize) = (try counted(.utf16, low, start), 2)
    case (0x8, _):
      (header, unitSize) = (Header(kind: .uid, count: low + 1, payload: start + 1), 1)
    case (0xA, _):
      (header, unitSize) = (try counted(.array, low, start), referenceSize)
    case (0xD, _):
      (header, unitSize) = (try counted(.dictionary, low, start), 2 * referenceSize)
    default:
      throw .damaged(
        "an object of type 0x\(String(marker, radix: 16))",
        expected: "null, a boolean, number, date, data, string, uid, array or dictionary",
        offset: start)
    }
    guard header.payload <= objectsEnd, header.count <= (objectsEnd - header.payload) / unitSize
    else {
      throw .damaged(
        "an object of \(header.count) units of \(unitSize) bytes",
        expected: "at most \(max(0, objectsEnd - header.payload)) bytes", offset: start)
    }
    return header
  }

  /// The header of an object whose count follows in an integer object when it is 15 or more.
  private func counted(
    _ kind: Kind, _ low: Int, _ start: Int
  ) throws(PropertyListError) -> Header {
    guard low == 0x0F else { return Header(kind: kind, count: low, payload: start + 1) }
    guard start + 1 < objectsEnd, (0x10...0x13).contains(bytes[start + 1]) else {
      throw .damaged("no count", expected: "an integer of 1 to 8 bytes", offset: start + 1)
    }
    let size = 1 << Int(bytes[start + 1] & 0x0F)
    guard start + 2 + size <= objectsEnd else {
      throw .damaged("a cut-off count", expected: "\(size) bytes", offset: start + 2)
    }
    let count = bytes.withUnsafeBufferPointer {
      Self.unsigned(in: $0, at: start + 2, size: size)
    }
    guard count <= UInt64(bytes.count) else {
      throw .damaged("a count of \(count)", expected: "at most \(bytes.count)", offset: start + 2)
    }
    return Header(kind: kind, count: Int(count), payload: start + 2 + size)
  }

  /// The object index in slot `slot` of a container: elements of an array, or the keys (0 to count -
  /// 1) and then the values (count to 2 * count - 1) of a dictionary.
  ///
  /// The slot must be in range; the index that is returned is as large as the file says.
  func reference(_ slot: Int, of container: Header) -> Int {
    bytes.withUnsafeBufferPointer { buffer in
      let position = container.payload + slot * referenceSize
      if referenceSize == 2 {
        return Int(buffer[position]) << 8 | Int(buffer[position + 1])
      }
      return Int(
        truncatingIfNeeded: Self.unsigned(in: buffer, at: position, size: referenceSize))
    }
  }
}

extension BinaryPropertyList {
  struct Budget {
    /// Values and keys that may still be built.
    var nodes: Int
    /// Bytes of long strings and data that may still be copied.  Objects that overlap in the file
    /// could otherwise multiply its size.
    var bytes: Int
    /// Long strings and data decoded so far, by object index, so that shared ones share memory.
    var long: [Int: PropertyListValue] = [:]
  }

  /// The maximum length of a dictionary key.
  private static let longestKey = 4096
  /// Strings up to this many bytes are stored in the value itself.
  private static let shortLength = 15

  func materialise(
    _ header: Header, _ index: Int, _ depth: Int, _ budget: inout Budget
  ) throws(PropertyListError) -> PropertyListValue {
    switch header.kind {
    case .array:
      try enter(header, slots: header.count, depth, &budget)
      var elements: [PropertyListValue] = []
      elements.reserveCapacity(header.count)
      for slot in 0..<header.count {
        let index = reference(slot, of: header)
        elements.append(try materialise(try self.header(at: index), index, depth - 1, &budget))
      }
      return .array(elements)
    case .dictionary:
      try enter(header, slots: header.count * 2, depth, &budget)
      var values: [String: PropertyListValue] = [:]
      values.reserveCapacity(header.count)
      for slot in 0..<header.count {
        let key = try key(reference(slot, of: header), &budget)
        let index = reference(header.count + slot, of: header)
        let value = try materialise(try self.header(at: index), index, depth - 1, &budget)
        // The first of equal keys counts, as in Core Foundation.
        if values[key] == nil { values[key] = value }
      }
      return .dictionary(values)
    case .data, .ascii, .utf16:
      guard header.count > Self.shortLength else { return try scalar(header) }
      if let known = budget.long[index] { return known }
      budget.bytes -= header.count
      guard budget.bytes >= 0 else {
        throw .beyondLimit("overlapping strings or data", offset: header.payload)
      }
      let value = try scalar(header)
      budget.long[index] = value
      return value
    default:
      return try scalar(header)
    }
  }

  private func key(_ index: Int, _ budget: inout Budget) throws(PropertyListError) -> String {
    let header = try self.header(at: index)
    guard header.kind == .ascii || header.kind == .utf16,
      case .string(let key) = try materialise(header, index, 0, &budget)
    else {
      throw .damaged(
        "a dictionary key that is not a string", expected: "a string", offset: header.payload)
    }
    // Hashing a shared long key in every dictionary would take too long.
    guard header.count <= Self.longestKey else {
      throw .beyondLimit(
        "a dictionary key of \(header.count) characters", offset: header.payload)
    }
    return key
  }

  /// Counts the content of a container against the limits before memory is reserved for it.
  private func enter(
    _ header: Header, slots: Int, _ depth: Int, _ budget: inout Budget
  ) throws(PropertyListError) {
    guard depth > 0 else {
      throw .beyondLimit(
        "arrays and dictionaries nested too deeply, or in themselves", offset: header.payload)
    }
    budget.nodes -= slots
    guard budget.nodes >= 0 else {
      throw .beyondLimit("more than \(limits.nodes) values", offset: header.payload)
    }
  }

  func scalar(_ header: Header) throws(PropertyListError) -> PropertyListValue {
    switch header.kind {
    case .null: return .null
    case .boolean: return .boolean(header.count != 0)
    case .integer: return try integer(header)
    case .real:
      let pattern = unsigned(header.payload, header.count)
      return header.count == 4
        ? .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern))))
        : .real(Double(bitPattern: pattern))
    case .date: return .date(Double(bitPattern: unsigned(header.payload, 8)))
    case .data: return .data(Array(bytes[header.payload..<header.payload + header.count]))
    case .ascii, .utf16: return .string(string(header))
    case .uid: return .uid(try uid(header))
    case .array, .dictionary:
      throw .damaged("an array or dictionary", expected: "a single value", offset: header.payload)
    }
  }

  /// Decodes a string, and repairs malformed bytes.
  func string(_ header: Header) -> String {
    bytes.withUnsafeBufferPointer { buffer in
      if header.kind == .ascii {
        let range = header.payload..<header.payload + header.count
        return String(decoding: UnsafeBufferPointer(rebasing: buffer[range]), as: UTF8.self)
      }
      let units = [UInt16](unsafeUninitializedCapacity: header.count) { output, initialized in
        for unit in 0..<header.count {
          let position = header.payload + unit * 2
          output[unit] = UInt16(buffer[position]) << 8 | UInt16(buffer[position + 1])
        }
        initialized = header.count
      }
      return String(decoding: units, as: UTF16.self)
    }
  }

  /// Decodes an archive's reference of 1 to 16 bytes, at most `UInt32.max`.
  func uid(_ header: Header) throws(PropertyListError) -> Int {
    let leading = max(0, header.count - 8)
    let value = unsigned(header.payload + leading, header.count - leading)
    let hasLeadingBits = leading > 0 && unsigned(header.payload, leading) != 0
    guard !hasLeadingBits, value <= UInt64(UInt32.max) else {
      throw .damaged("a uid of more than 32 bits", expected: "32 bits", offset: header.payload)
    }
    return Int(value)
  }

  private func integer(_ header: Header) throws(PropertyListError) -> PropertyListValue {
    guard header.count == 16 else {
      // Only 8 bytes carry a sign; shorter integers are unsigned.
      return .integer(Int64(bitPattern: unsigned(header.payload, header.count)))
    }
    let high = unsigned(header.payload, 8)
    let low = unsigned(header.payload + 8, 8)
    let signed = Int64(bitPattern: low)
    switch high {
    case 0: return signed >= 0 ? .integer(signed) : .unsigned(low)
    case .max where signed < 0: return .integer(signed)
    default:
      throw .damaged("an integer of more than 64 bits", expected: "64", offset: header.payload)
    }
  }

  private func unsigned(_ position: Int, _ size: Int) -> UInt64 {
    bytes.withUnsafeBufferPointer { Self.unsigned(in: $0, at: position, size: size) }
  }
}
