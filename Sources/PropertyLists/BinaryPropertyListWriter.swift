/// Writes property lists in Apple's binary format ("bplist00").
///
/// The bytes depend on the value alone: objects are numbered from the root down, the keys of a
/// dictionary in the order of their UTF-8 bytes and before its values, and equal scalars are written
/// once, unless they are long.
package enum BinaryPropertyListWriter {
  /// The maximum length in bytes of texts and data that are compared and written once.
  static let longestShared = 4096

  package static func bytes(of value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
    var table = ObjectTable()
    _ = try table.add(value, depth: PropertyListLimits.standard.depth)
    return table.bytes()
  }
}

/// The objects of a property list being written, numbered in the order they are met.
private struct ObjectTable {
  private enum Entry {
    case scalar([UInt8])
    case array([Int])
    case dictionary([Int])
  }

  private var entries: [Entry] = []
  /// Scalars by their encoded form, which, unlike Swift's equality, distinguishes 0.0 from -0.0 and
  /// strings of different bytes.
  private var scalars: [[UInt8]: Int] = [:]

  mutating func add(_ value: PropertyListValue, depth: Int) throws(PropertyListError) -> Int {
    switch value {
    case .array(let elements):
      let index = try reserve(depth)
      var references: [Int] = []
      references.reserveCapacity(elements.count)
      for element in elements {
        references.append(try add(element, depth: depth - 1))
      }
      entries[index] = .array(references)
      return index
    case .dictionary(let values):
      let index = try reserve(depth)
      let pairs = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      var references: [Int] = []
      references.reserveCapacity(pairs.count * 2)
      for pair in pairs {
        references.append(add(scalar: BinaryScalar.encoding(pair.key)))
      }
      for pair in pairs {
        references.append(try add(pair.value, depth: depth - 1))
      }
      entries[index] = .dictionary(references)
      return index
    default:
      return add(scalar: try BinaryScalar.encoding(value))
    }
  }

  /// Assigns a container's number before those of its content.
  private mutating func reserve(_ depth: Int) throws(PropertyListError) -> Int {
    guard depth > 0 else {
      throw .unwritable(
        "arrays and dictionaries nested too deeply",
        expected: "at most \(PropertyListLimits.standard.depth) levels")
    }
    entries.append(.array([]))
    return entries.count - 1
  }

  private mutating func add(scalar encoding: [UInt8]) -> Int {
    let isShared = encoding.count <= BinaryPropertyListWriter.longestShared
    if isShared, let known = scalars[encoding] { return known }
    entries.append(.scalar(encoding))
    if isShared { scalars[encoding] = entries.count - 1 }
    return entries.count - 1
  }

  func bytes() -> [UInt8] {
    let referenceSize = BinaryScalar.byteCount(of: UInt64(entries.count))
    var output = Array("bplist00".utf8)
    var offsets: [Int] = []
    offsets.reserveCapacity(entries.count)
    for entry in entries {
      offsets.append(output.count)
      switch entry {
      case .scalar(let encoding):
        output += encoding
      case .array(let references):
        BinaryScalar.appendMarker(0xA0, count: references.count, to: &output)
        for reference in references {
          BinaryScalar.append(UInt64(reference), size: referenceSize, to: &output)
        }
      case .dictionary(let references):
        BinaryScalar.appendMarker(0xD0, count: references.count / 2, to: &output)
        for reference in references {
          BinaryScalar.append(UInt64(reference), size: referenceSize, to: &output)
        }
      }
    }
    let table = output.count
    let offsetSize = BinaryScalar.byteCount(of: UInt64(table))
    for offset in offsets {
      BinaryScalar.append(UInt64(offset), size: offsetSize, to: &output)
    }
    output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    BinaryScalar.append(UInt64(entries.count), size: 8, to: &output)
    BinaryScalar.append(0, size: 8, to: &output)
    BinaryScalar.append(UInt64(table), size: 8, to: &output)
    return output
  }
}

/// The binary form of values other than containers.
private enum BinaryScalar {
  static func encoding(_ value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
    var output: [UInt8] = []
    switch value {
    case .null:
      output = [0x00]
    case .boolean(let flag):
      output = [flag ? 0x09 : 0x08]
    case .integer(let number):
      appendInteger(number, to: &output)
    case .unsigned(let number):
      if let number = Int64(exactly: number) {
        appendInteger(number, to: &output)
      } else {
        // Eight bytes would be read as negative.
        output = [0x14]
        append(0, size: 8, to: &output)
        append(number, size: 8, to: &output)
      }
    case .real(let number):
      output = [0x23]
      append(number.bitPattern, size: 8, to: &output)
    case .date(let seconds):
      output = [0x33]
      append(seconds.bitPattern, size: 8, to: &output)
    case .data(let bytes):
      appendMarker(0x40, count: bytes.count, to: &output)
      output += bytes
    case .string(let text):
      return encoding(text)
    case .uid(let index):
      guard let index = UInt32(exactly: index) else {
        throw .unwritable("the uid \(index)", expected: "0 to \(UInt32.max)")
      }
      let size = byteCount(of: UInt64(index))
      output = [0x80 | UInt8(size - 1)]
      append(UInt64(index), size: size, to: &output)
    case .array, .dictionary:
      throw .unwritable("an array or dictionary as a scalar", expected: "a single value")
    }
    return output
  }

  static func encoding(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      appendMarker(0x50, count: text.utf8.count, to: &output)
      output += text.utf8
    } else {
      let units = Array(text.utf16)
      appendMarker(0x60, count: units.count, to: &output)
      output.reserveCapacity(output.count + units.count * 2)
      for unit in units {
        output.append(UInt8(unit >> 8))
        output.append(UInt8(truncatingIfNeeded: unit))
      }
    }
    return output
  }

  static func appendMarker(_ kind: UInt8, count: Int, to output: inout [UInt8]) {
    if count < 15 {
      output.append(kind | UInt8(count))
    } else {
      output.append(kind | 0x0F)
      appendInteger(Int64(count), to: &output)
    }
  }

  static func append(_ value: UInt64, size: Int, to output: inout [UInt8]) {
    for index in (0..<size).reversed() {
      output.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8)))
    }
  }

  private static func appendInteger(_ number: Int64, to output: inout [UInt8]) {
    // Only eight bytes carry a sign.
    let size = number < 0 ? 8 : byteCount(of: UInt64(number))
    output.append(0x10 | UInt8(size.trailingZeroBitCount))
    append(UInt64(bitPattern: number), size: size, to: &output)
  }

  static func byteCount(of number: UInt64) -> Int {
    if number < 1 << 8 { return 1 }
    if number < 1 << 16 { return 2 }
    return number < 1 << 32 ? 4 : 8
  }
}
