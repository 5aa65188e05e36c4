extension BinaryPropertyList {
  /// The object index of a key's value in a dictionary, found without decoding anything; nil when
  /// the key is not there.
  ///
  /// Keys are compared byte for byte; the first of equal keys counts.  The index may be out of range
  /// when the file is damaged.
  func index(ofKey key: String, in dictionary: Header) -> Int? {
    var key = key
    let slot = key.withUTF8 { wanted in
      (0..<dictionary.count).first { slot in
        matches(reference(slot, of: dictionary), wanted)
      }
    }
    guard let slot else { return nil }
    return reference(dictionary.count + slot, of: dictionary)
  }

  /// Whether an object is the string of the given UTF-8 bytes.
  func matches(_ index: Int, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
    guard index >= 0, index < offsets.count else { return false }
    return bytes.withUnsafeBufferPointer { buffer in
      let start = Int(offsets[index])
      let marker = buffer[start]
      if marker >> 4 == 0x5, marker != 0x5F {
        // The common case, kept free of errors and calls: a short ASCII string.
        guard wanted.count == Int(marker & 0x0F), start + 1 + wanted.count <= objectsEnd else {
          return false
        }
        return Self.equal(buffer, start + 1, wanted)
      }
      guard marker >> 4 == 0x5 || marker >> 4 == 0x6, let header = try? header(at: index) else {
        return false
      }
      if header.kind == .ascii {
        return header.count == wanted.count && Self.equal(buffer, header.payload, wanted)
      }
      // One UTF-16 unit is one to three bytes of UTF-8.
      guard header.count <= wanted.count, wanted.count <= header.count * 3 else { return false }
      return string(header).utf8.elementsEqual(wanted)
    }
  }

  private static func equal(
    _ buffer: UnsafeBufferPointer<UInt8>, _ start: Int, _ wanted: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var index = wanted.count - 1
    // From the end: names of one archive share their beginnings ("NS", "NSAttribute").
    while index >= 0 {
      guard buffer[start + index] == wanted[index] else { return false }
      index -= 1
    }
    return true
  }
}
