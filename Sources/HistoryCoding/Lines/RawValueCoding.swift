import StoreFormat

/// Stored values in JSON, so that every one comes back bit for bit.
///
/// What JSON lacks is written as an object with one key: `$blob` for bytes and `$text` for text that
/// is not clean UTF-8 or holds a NUL, both in base64, and `$real` for `inf`, `-inf` and `-0.0`.
extension JSONWriter {
  /// Writes a stored value.
  package mutating func append(raw value: StoredValue) {
    switch value {
    case .null: appendRaw("null")
    case .integer(let value): appendInteger(value)
    case .real(let value): append(raw: value)
    case .text(let text): appendString(text)
    case .malformedText(let bytes): append(wrappedText: bytes)
    case .blob(let bytes): append(blob: bytes)
    }
  }

  /// Writes bytes.
  mutating func append(blob bytes: [UInt8]) { append(wrapped: "{\"$blob\":", bytes) }

  /// Writes bytes that are lent.
  mutating func append(blob bytes: UnsafeRawBufferPointer) {
    appendRaw("{\"$blob\":")
    appendBase64(bytes.assumingMemoryBound(to: UInt8.self))
    appendRaw("}")
  }

  /// Writes a floating point number.
  package mutating func append(raw value: Double) {
    if value.isFinite && !(value == 0 && value.sign == .minus) {
      appendReal(value)
    } else if value == 0 {
      appendRaw("{\"$real\":\"-0.0\"}")
    } else if value > 0 {
      appendRaw("{\"$real\":\"inf\"}")
    } else {
      // SQLite has no NaN: it stores one as null.
      appendRaw("{\"$real\":\"-inf\"}")
    }
  }

  /// Writes a text in the form of one that JSON lacks.
  mutating func append(wrappedText bytes: [UInt8]) { append(wrapped: "{\"$text\":", bytes) }

  private mutating func append(wrapped start: StaticString, _ bytes: [UInt8]) {
    appendRaw(start)
    appendBase64(bytes)
    appendRaw("}")
  }
}

extension StoredValue {
  /// A value out of its JSON; nil where it is none of the forms.
  package init?(raw json: JSONValue) {
    switch json {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .string(let text): self = .text(text)
    case .boolean, .array: return nil
    case .object(let object):
      guard object.count == 1, let member = object.first, case .string(let text) = member.value
      else {
        return nil
      }
      switch member.key {
      case "$blob":
        guard let bytes = Base64.decode(text) else { return nil }
        self = .blob(bytes)
      case "$text":
        guard let bytes = Base64.decode(text) else { return nil }
        self = StoredValue(text: bytes)
      case "$real":
        guard let value = ["inf": Double.infinity, "-inf": -Double.infinity, "-0.0": -0.0][text]
        else {
          return nil
        }
        self = .real(value)
      default: return nil
      }
    }
  }
}

extension StoredValue {
  /// A text out of its bytes, clean ones as such: other programs may wrap those as well.
  private init(text bytes: [UInt8]) {
    if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
      self = .text(text)
    } else {
      self = .malformedText(bytes)
    }
  }
}

extension StoreTimestamp {
  /// A time out of the stored number; nil for what is no number.
  package init?(raw json: JSONValue) {
    switch StoredValue(raw: json) {
    case .real(let seconds): self.init(secondsSinceReferenceDate: seconds)
    // Programs that rewrite JSON drop a fraction of zero.
    case .integer(let seconds): self.init(secondsSinceReferenceDate: Double(seconds))
    default: return nil
    }
  }
}
