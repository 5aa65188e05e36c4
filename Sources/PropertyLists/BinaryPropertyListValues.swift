extension BinaryPropertyList {
  /// What is left of a materialisation's allowance.
  struct Budget {
    /// Values and keys that may still be built.
    var nodes: Int
    /// Bytes of long strings and data that may still be copied.  Objects that overlap in the file
    /// could otherwise multiply its size.
    var bytes: Int
    /// Long strings and data decoded so far, by object index, so that shared ones share memory.
    var long: [Int: PropertyListValue] = [:]
  }

  /// Strings up to this many bytes are stored in the value itself.
  private static let shortLength = 15

  /// Decodes an object and everything in it.
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
        let keyIndex = reference(slot, of: header)
        let keyHeader = try self.header(at: keyIndex)
        guard keyHeader.kind == .ascii || keyHeader.kind == .utf16,
          case .string(let key) = try materialise(keyHeader, keyIndex, 0, &budget)
        else {
          throw .damaged(
            "a dictionary key that is no string", expected: "a string", offset: keyHeader.payload)
        }
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

  /// Charges the content of a container before memory is taken for it.
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

  /// Decodes an object that is no container.
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

  /// Decodes a string; bytes that are not what they should be are repaired.
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
