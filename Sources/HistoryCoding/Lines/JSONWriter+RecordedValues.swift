import PersistentHistory
import StoreFormat

/// Recorded values in JSON: an object by name, each value an object with `old` and `new`, and `type`
/// where the two do not show of what kind they are.
///
/// Values are written by their kind as those of a tombstone are by their attribute's type, and every
/// one comes back bit for bit.
extension JSONWriter {
  /// Writes the values of an update.
  mutating func appendRecordedValues(_ values: [RecordedValue]) {
    appendRaw("{")
    var isFirst = true
    for value in values {
      if isFirst { isFirst = false } else { appendRaw(",") }
      appendString(value.name)
      appendRaw(":{")
      if value.kind != value.apparentKind {
        appendRaw("\"type\":")
        appendString(value.kind.rawValue)
        appendRaw(",")
      }
      appendRaw("\"old\":")
      append(value.old, value.kind)
      appendRaw(",\"new\":")
      append(value.new, value.kind)
      appendRaw("}")
    }
    appendRaw("}")
  }

  /// Writes the values before an update or behind it as members, such as `,"name":"Rome"`.
  mutating func appendMembers(
    of values: [RecordedValue], _ side: KeyPath<RecordedValue, RecordedContent>
  ) {
    for value in values {
      appendRaw(",")
      appendString(value.name)
      appendRaw(":")
      append(value[keyPath: side], value.kind)
    }
  }

  private mutating func append(_ content: RecordedContent, _ kind: RecordedValue.Kind) {
    switch content {
    case .digest(let bytes, let byteCount):
      appendRaw("{\"$sha256\":")
      appendHexadecimal(bytes)
      appendRaw(",\"length\":")
      appendInteger(byteCount)
      appendRaw("}")
    case .value(.text(let text)) where kind == .object:
      appendRaw("{\"$object\":")
      appendString(text)
      appendRaw("}")
    case .value(.text(let text)) where kind == .date || kind == .uuid:
      // It would be read back as a date or a UUID.
      append(wrappedText: Array(text.utf8))
    case .value(let value):
      _ = TombstoneCoding.append(value, of: kind.attributeType, to: &self)
    }
  }
}

extension RecordedValue {
  /// The kind that the values show by themselves; nil where they show none.
  var apparentKind: Kind? {
    for content in [old, new] {
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

  /// A value out of its JSON.
  ///
  /// - Throws: ``LineError/unexpected(key:expectation:)``.
  init(_ name: String, _ json: JSONValue) throws(LineError) {
    func refuse(_ expectation: String) -> LineError {
      .unexpected(key: "values.\(name)", expectation: expectation)
    }
    guard case .object(let object) = json, let old = object["old"], let new = object["new"] else {
      throw refuse("an object with old and new")
    }
    var kind: Kind?
    if let name = try object.string("type") {
      kind = Kind(rawValue: name)
      if kind == nil {
        throw refuse("one of the types " + Kind.allCases.map(\.rawValue).joined(separator: ", "))
      }
    }
    if kind == nil, [old, new].contains(where: { $0.objectName != nil }) { kind = .object }
    guard let oldContent = RecordedContent(old, kind),
      let newContent = RecordedContent(new, kind)
    else { throw refuse("values of its type") }
    self.init(name: name, kind: kind ?? .other, old: oldContent, new: newContent)
    guard kind == nil else { return }
    guard let apparentKind else { throw refuse("a type, which the values do not show") }
    self.kind = apparentKind
  }
}

extension JSONValue {
  /// The object that stands in the place of a value; nil for any other value.
  fileprivate var objectName: String? {
    guard case .object(let object) = self, object.count == 1,
      case .string(let name)? = object["$object"]
    else { return nil }
    return name
  }
}

extension RecordedContent {
  /// A content out of its JSON; nil where it is none.
  fileprivate init?(_ json: JSONValue, _ kind: RecordedValue.Kind?) {
    if kind == .object, let name = json.objectName {
      self = .value(.text(name))
      return
    }
    if case .object(let object) = json, let digest = object["$sha256"] {
      guard object.count == 2, case .string(let digits) = digest,
        let bytes = Hexadecimal.bytes(of: digits), bytes.count == Self.digestLength,
        case .integer(let count)? = object["length"], count >= 0
      else { return nil }
      self = .digest(bytes, byteCount: count)
      return
    }
    guard let value = TombstoneCoding.value(json, of: kind?.attributeType ?? .undefined) else {
      return nil
    }
    self = .value(value)
  }
}
