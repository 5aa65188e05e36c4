import StoreFormat

/// Members of a line, each with the type that the format gives it.
extension JSONObject {
  /// An integer; nil where the key is absent.
  func integer(_ key: String) throws(LineError) -> Int64? {
    switch self[key] {
    case nil: return nil
    case .integer(let value)?: return value
    default: throw .unexpected(key: key, expectation: "an integer")
    }
  }

  /// An integer that must be there.
  func required(_ key: String) throws(LineError) -> Int64 {
    guard let value = try integer(key) else {
      throw .unexpected(key: key, expectation: "there, an integer")
    }
    return value
  }

  /// A text; nil where the key is absent.
  func string(_ key: String) throws(LineError) -> String? {
    switch self[key] {
    case nil: return nil
    case .string(let value)?: return value
    default: throw .unexpected(key: key, expectation: "a string")
    }
  }

  /// A text that need not be clean UTF-8; nil where the key is absent.
  func text(_ key: String) throws(LineError) -> RecordedText? {
    guard let json = self[key] else { return nil }
    guard let value = StoredValue(raw: json), let text = RecordedText(value) else {
      throw .unexpected(key: key, expectation: "a text")
    }
    return text
  }

  /// Bytes; nil where the key is absent.
  func blob(_ key: String) throws(LineError) -> [UInt8]? {
    guard let json = self[key] else { return nil }
    guard case .blob(let bytes)? = StoredValue(raw: json) else {
      throw .unexpected(key: key, expectation: "bytes in base64")
    }
    return bytes
  }

  /// The columns under `extra`.
  func extra() throws(LineError) -> [ExtraColumn] {
    guard let json = self["extra"] else { return [] }
    guard case .object(let members) = json else {
      throw .unexpected(key: "extra", expectation: "an object")
    }
    var columns: [ExtraColumn] = []
    for member in members {
      guard let value = StoredValue(raw: member.value) else {
        throw .unexpected(key: "extra.\(member.key)", expectation: "a raw value")
      }
      columns.append(ExtraColumn(column: member.key, value: value))
    }
    return columns
  }
}
