import PersistentHistory
import PropertyLists
import StoreFormat

/// Stored values in JSON, each of which is read back bit for bit.
///
/// A value that JSON lacks is written as an object with one key: `$blob` for bytes and `$text` for text
/// that is not clean UTF-8 or holds a NUL, both in base64, and `$real` for `inf`, `-inf` and `-0.0`.
extension JSONWriter {
  /// Writes a stored value.
  package mutating func append(raw value: StoredValue) {
    switch value {
    case .null: appendRaw("null")
    case .integer(let value): appendInteger(value)
    case .real(let value): append(raw: value)
    case .text(let text): appendString(text)
    case .malformedText(let bytes): append(wrappedText: bytes)
    case .blob(let bytes): bytes.withUnsafeBytes { append(blob: $0) }
    }
  }

  /// Writes a floating point number.
  package mutating func append(raw value: Double) {
    if value.isFinite && !(value == 0 && value.sign == .minus) {
      appendReal(value)
    } else {
      // SQLite has no NaN: it stores one as null.
      appendRaw("{\"$real\":")
      appendRaw(value == 0 ? "\"-0.0\"}" : value > 0 ? "\"inf\"}" : "\"-inf\"}")
    }
  }

  private mutating func append(blob bytes: UnsafeRawBufferPointer) {
    appendRaw("{\"$blob\":")
    appendBase64(bytes.assumingMemoryBound(to: UInt8.self))
    appendRaw(UInt8(ascii: "}"))
  }

  /// Writes a text as an object with the key `$text`.
  fileprivate mutating func append(wrappedText bytes: [UInt8]) {
    appendRaw("{\"$text\":")
    appendBase64(bytes)
    appendRaw(UInt8(ascii: "}"))
  }

  /// Writes a value in the form that its attribute's type suggests.
  package mutating func append(_ value: StoredValue, of type: AttributeType) {
    switch value {
    case .null, .malformedText, .text: append(raw: value)
    case .integer(let number): append(LentValue.integer(number), of: type)
    case .real(let number): append(LentValue.real(number), of: type)
    case .blob(let bytes): bytes.withUnsafeBytes { _ = append(LentValue.blob($0), of: type) }
    }
  }

  /// Writes a lent value in the form that its attribute's type suggests.
  ///
  /// - Returns: Whether reading it by its type gives the same value. If not, what was written is not
  ///   usable.
  @inline(__always)
  @discardableResult
  mutating func append(_ value: LentValue, of type: AttributeType) -> Bool {
    switch value.meaning(as: type) {
    case .boolean(let flag): appendBoolean(flag)
    case .time(let time): append(exact: time)
    case .uuid(let bytes):
      appendUninitialized(capacity: 38) { buffer in
        buffer[0] = UInt8(ascii: "\"")
        let count = UUIDText.write(bytes, to: UnsafeMutableBufferPointer(rebasing: buffer[1...]))
        buffer[count + 1] = UInt8(ascii: "\"")
        return count + 2
      }
    case .plain:
      switch value {
      case .integer(let number): appendInteger(number)
      case .real(let number): append(raw: number)
      case .blob(let bytes): append(blob: bytes)
      case .text(let bytes):
        let text = bytes.assumingMemoryBound(to: UInt8.self)
        guard !type.hasTextForm, !text.contains(0), UTF8Check.isValid(text) else { return false }
        appendString(validUTF8: text)
      }
    }
    return true
  }

  /// Writes a time to its last bit, or the stored number if it has no such text.
  private mutating func append(exact time: StoreTimestamp) {
    let start = count
    appendUninitialized(capacity: StoreTimestamp.exactISO8601ByteCount + 2) { buffer in
      let count = time.writeExactISO8601(
        into: UnsafeMutableBufferPointer(rebasing: buffer[1..<buffer.count - 1]))
      guard count > 0 else { return 0 }
      buffer[0] = UInt8(ascii: "\"")
      buffer[count + 1] = UInt8(ascii: "\"")
      return count + 2
    }
    if count == start { append(raw: time.secondsSinceReferenceDate) }
  }
}

extension StoredValue {
  /// Reads a value from its JSON; `nil` if it is none of the forms.
  init?(raw json: JSONValue) {
    switch json {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .string(let text): self = .text(text)
    case .boolean, .array: return nil
    case .object(let object):
      guard object.count == 1, let member = object.first, case .string(let text) = member.value
      else { return nil }
      switch member.key {
      case "$blob":
        guard let bytes = Base64.decode(text) else { return nil }
        self = .blob(bytes)
      case "$text":
        guard let bytes = Base64.decode(text) else { return nil }
        // Other programs may wrap clean texts as well.
        self = bytes.withUnsafeBytes { StoredValue(text: $0) }
      case "$real":
        switch text {
        case "inf": self = .real(.infinity)
        case "-inf": self = .real(-.infinity)
        case "-0.0": self = .real(-0.0)
        default: return nil
        }
      default: return nil
      }
    }
  }
}

extension StoreTimestamp {
  /// Reads a time from the stored number; `nil` if the JSON is not a number.
  package init?(raw json: JSONValue) {
    switch StoredValue(raw: json) {
    case .real(let seconds): self.init(secondsSinceReferenceDate: seconds)
    // Programs that rewrite JSON drop a fraction of zero.
    case .integer(let seconds): self.init(secondsSinceReferenceDate: Double(seconds))
    default: return nil
    }
  }
}

/// Values in the form that their attribute's type suggests.
///
/// A boolean is `true` or `false`, a date ISO 8601 and a UUID upper-case text; everything else is
/// written as it is stored. Where a stored text would be read back as a date or a UUID, the raw form
/// must be written too.
enum TypedValue {
  /// Reads a value; `nil` if the type cannot have it.
  static func value(_ json: JSONValue, of type: AttributeType) -> StoredValue? {
    switch (type, json) {
    case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
    case (.date, .string(let text)):
      StoreTimestamp(exactISO8601: text).map { .real($0.secondsSinceReferenceDate) }
    case (.uuid, .string(let text)): UUIDText.bytes(of: text).map(StoredValue.blob)
    default: StoredValue(raw: json)
    }
  }

  /// Whether the values of a tombstone must be written as they are stored too, because those by their
  /// types say less.
  static func needsStoredForm(_ values: [StoredValue], _ types: [AttributeType]?) -> Bool {
    !values.isEmpty && !(types.map { areExact(values, $0) } ?? false)
  }

  /// Whether reading values by their types gives the same values.
  private static func areExact(_ values: [StoredValue], _ types: [AttributeType]) -> Bool {
    values.count <= types.count
      && !zip(values, types).contains { value, type in
        if case .text = value { type.hasTextForm } else { false }
      }
  }
}

// MARK: - Recorded values

/// Recorded values: an object by name, each value an object with `old` and `new`, as far as they are
/// known, and with `type` if the two do not show their kind.
///
/// Values are written by their kind as those of a tombstone are by their attribute's type.
extension JSONWriter {
  /// Writes the values of a change.
  mutating func appendRecordedValues(_ values: [RecordedValue]) {
    appendRaw(UInt8(ascii: "{"))
    var isFirst = true
    for value in values {
      appendName(value.name, &isFirst)
      appendRaw(UInt8(ascii: "{"))
      var isFirstMember = true
      if value.kind != value.apparentKind {
        append(.type, &isFirstMember)
        appendString(value.kind.rawValue)
      }
      if let old = value.old {
        append(.old, &isFirstMember)
        append(old, value.kind)
      }
      if let new = value.new {
        append(.new, &isFirstMember)
        append(new, value.kind)
      }
      appendRaw(UInt8(ascii: "}"))
    }
    appendRaw(UInt8(ascii: "}"))
  }

  /// Writes the values before or after a change as members, such as `"name":"Rome"`.
  mutating func appendMembers(
    of values: [RecordedValue], _ side: KeyPath<RecordedValue, RecordedContent?>,
    _ isFirst: inout Bool
  ) {
    for value in values {
      guard let content = value[keyPath: side] else { continue }
      appendName(value.name, &isFirst)
      append(content, value.kind)
    }
  }

  /// Writes a value before or after a change.
  package mutating func append(_ content: RecordedContent, _ kind: RecordedValue.Kind) {
    switch content {
    case .digest(let bytes, let byteCount):
      appendRaw("{\"$sha256\":")
      appendHexadecimal(bytes)
      appendRaw(",\"length\":")
      appendInteger(byteCount)
      appendRaw(UInt8(ascii: "}"))
    case .value(.text(let text)) where kind == .object:
      appendRaw("{\"$object\":")
      appendString(text)
      appendRaw(UInt8(ascii: "}"))
    case .value(.text(let text)) where kind.attributeType.hasTextForm:
      // It would be read back as a date or a UUID.
      append(wrappedText: Array(text.utf8))
    case .value(let value): append(value, of: kind.attributeType)
    }
  }
}

extension RecordedValue {
  /// The kind that the values show by themselves; `nil` if they show none.
  var apparentKind: Kind? {
    for content in [old, new].compactMap(\.self) {
      switch content {
      case .value(.text) where kind == .object: return .object
      case .value(.text), .value(.malformedText): return .text
      case .value(.integer): return .integer
      case .value(.real): return .real
      case .value(.blob): return .data
      case .value(.null): continue
      case .digest: return nil
      }
    }
    return nil
  }

  /// Reads a value from its JSON.
  ///
  /// - Throws: ``LineError/unexpected(key:expectation:)``.
  init(_ name: String, _ json: JSONValue) throws(LineError) {
    func refuse(_ expectation: String) -> LineError {
      .unexpected(key: "values.\(name)", expectation: expectation)
    }
    guard case .object(let object) = json, case let old = object[LineKey.old.name],
      case let new = object[LineKey.new.name], old != nil || new != nil
    else { throw refuse("an object with old or new") }
    var kind: Kind?
    if let type = object[LineKey.type.name] {
      guard case .string(let name) = type else {
        throw .unexpected(key: LineKey.type.name, expectation: "a string")
      }
      kind = Kind(rawValue: name)
      if kind == nil {
        throw refuse("one of the types " + Kind.allCases.map(\.rawValue).joined(separator: ", "))
      }
    }
    if kind == nil, [old, new].contains(where: { $0?.objectName != nil }) { kind = .object }
    let oldContent = old.flatMap { RecordedContent($0, kind) }
    let newContent = new.flatMap { RecordedContent($0, kind) }
    guard (old == nil) == (oldContent == nil), (new == nil) == (newContent == nil) else {
      throw refuse("values of its type")
    }
    self.init(name: name, kind: kind ?? .other, old: oldContent, new: newContent)
    guard kind == nil else { return }
    guard let apparentKind else { throw refuse("a type, which the values do not show") }
    self.kind = apparentKind
  }
}

extension JSONValue {
  /// The object that is written in the place of a value; `nil` for any other value.
  fileprivate var objectName: String? {
    guard case .object(let object) = self, object.count == 1,
      case .string(let name)? = object["$object"]
    else { return nil }
    return name
  }
}

extension RecordedContent {
  /// Reads a content from its JSON; `nil` if it is none.
  fileprivate init?(_ json: JSONValue, _ kind: RecordedValue.Kind?) {
    if kind == .object, let name = json.objectName {
      self = .value(.text(name))
    } else if case .object(let object) = json, let digest = object["$sha256"] {
      guard object.count == 2, case .string(let digits) = digest,
        let bytes = Hexadecimal.bytes(of: digits), bytes.count == Self.digestLength,
        case .integer(let count)? = object["length"], count >= 0
      else { return nil }
      self = .digest(bytes, byteCount: count)
    } else if let value = TypedValue.value(json, of: kind?.attributeType ?? .undefined) {
      self = .value(value)
    } else {
      return nil
    }
  }
}
