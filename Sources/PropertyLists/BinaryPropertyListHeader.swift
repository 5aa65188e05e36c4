extension BinaryPropertyList {
  /// The kind of an object, from its marker byte.
  enum Kind: Sendable {
    case null, boolean, integer, real, date, data, ascii, utf16, uid, array, dictionary
  }

  /// What the start of an object says, checked against the bytes that are there.
  struct Header: Sendable {
    /// The kind of the object.
    var kind: Kind
    /// Bytes of a scalar, UTF-16 units of a string, elements of an array, pairs of a dictionary; the
    /// truth value (0 or 1) of a boolean.
    var count: Int
    /// The position of the first byte after the marker and the count.
    var payload: Int
  }

  /// Reads the start of an object.
  ///
  /// Throws when the index is out of range, the marker unknown, or the object longer than the room
  /// for it.
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
