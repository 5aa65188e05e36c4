extension JSONWriter {
  /// Writes text as it is; it must be a part of JSON.
  @inline(__always)
  package mutating func appendRaw(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    appendUninitialized(capacity: length) { room in
      text.withUTF8Buffer { source in
        UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer(source))
      }
      return length
    }
  }

  /// Writes bytes as they are; they must be a part of JSON.
  @inline(__always)
  package mutating func appendRaw(_ bytes: UnsafeBufferPointer<UInt8>) {
    appendUninitialized(capacity: bytes.count) { room in
      UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer(bytes))
      return bytes.count
    }
  }

  /// Writes bytes as they are; they must be a part of JSON.
  @inline(__always)
  package mutating func appendRaw(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { appendRaw($0) }
  }

  /// Writes one byte as it is.
  @inline(__always)
  package mutating func appendRaw(_ byte: UInt8) {
    appendUninitialized(capacity: 1) { room in
      room[0] = byte
      return 1
    }
  }

  /// Writes `true` or `false`.
  @inline(__always)
  package mutating func appendBoolean(_ value: Bool) {
    if value { appendRaw("true") } else { appendRaw("false") }
  }

  /// Writes an integer.
  @inline(__always)
  package mutating func appendInteger(_ value: Int64) {
    appendUninitialized(capacity: 20) { JSONNumberText.write(value, to: $0) }
  }

  /// Writes the shortest text that reads back to the same bits; an integral value keeps its `.0`.
  ///
  /// JSON has no text for infinities and NaN: they are written as `null`, and whoever must not lose
  /// them has to ask before.
  package mutating func appendReal(_ value: Double) {
    guard value.isFinite else { return appendRaw("null") }
    appendUninitialized(capacity: 32) { JSONNumberText.write(value, to: $0) }
  }

  /// Writes a value with all that is in it.
  ///
  /// It calls itself for each level of nesting, so a value that was not read by `JSONReader` (which
  /// limits them) must not be nested thousands deep.
  package mutating func append(_ value: JSONValue) {
    switch value {
    case .null: appendRaw("null")
    case .boolean(let value): appendBoolean(value)
    case .integer(let value): appendInteger(value)
    case .real(let value): appendReal(value)
    case .string(let value): appendString(value)
    case .array(let elements):
      appendRaw("[")
      for (position, element) in elements.enumerated() {
        if position > 0 { appendRaw(",") }
        append(element)
      }
      appendRaw("]")
    case .object(let object):
      appendRaw("{")
      for (position, member) in object.members.enumerated() {
        if position > 0 { appendRaw(",") }
        appendString(member.key)
        appendRaw(":")
        append(member.value)
      }
      appendRaw("}")
    }
  }
}
