import HistoryCoding
import StoreFormat

/// Takes members out of a manifest's objects; what is not as the format says is damage.
struct ManifestReader {
  let path: String
  private let object: JSONObject
  private let place: String

  /// Reads an object.
  init(_ json: JSONValue, _ place: String, path: String) throws(ArchiveError) {
    guard case .object(let object) = json else {
      throw .damaged(path: path, place: place, detail: "it is no object")
    }
    self.object = object
    self.place = place
    self.path = path
  }

  func damaged(_ key: String, _ detail: String) -> ArchiveError {
    .damaged(path: path, place: key, detail: detail)
  }

  private func name(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

  func member(_ key: String) throws(ArchiveError) -> JSONValue {
    guard let json = object[key] else { throw damaged(name(key), "it is missing") }
    return json
  }

  func object(_ key: String) throws(ArchiveError) -> ManifestReader {
    try ManifestReader(member(key), name(key), path: path)
  }

  func integer(_ key: String) throws(ArchiveError) -> Int64 {
    guard case .integer(let value) = try member(key) else {
      throw damaged(name(key), "it is no integer")
    }
    return value
  }

  func optionalInteger(_ key: String) throws(ArchiveError) -> Int64? {
    object[key] == nil ? nil : try integer(key)
  }

  /// A count or a size: an integer that is not negative.
  func count(_ key: String) throws(ArchiveError) -> Int64 {
    let value = try integer(key)
    guard value >= 0 else { throw damaged(name(key), "it is negative") }
    return value
  }

  func string(_ key: String) throws(ArchiveError) -> String {
    guard case .string(let value) = try member(key) else {
      throw damaged(name(key), "it is no string")
    }
    return value
  }

  func optionalString(_ key: String) throws(ArchiveError) -> String? {
    object[key] == nil ? nil : try string(key)
  }

  func digest(_ key: String) throws(ArchiveError) -> ArchiveDigest {
    guard let digest = ArchiveDigest(hexadecimal: try string(key)) else {
      throw damaged(name(key), "it is no SHA-256 digest")
    }
    return digest
  }

  func array(_ key: String) throws(ArchiveError) -> [JSONValue] {
    guard case .array(let elements) = try member(key) else {
      throw damaged(name(key), "it is no array")
    }
    return elements
  }

  func strings(_ key: String) throws(ArchiveError) -> [String] {
    var strings: [String] = []
    for element in try array(key) {
      guard case .string(let text) = element else {
        throw damaged(name(key), "it is no array of strings")
      }
      strings.append(text)
    }
    return strings
  }

  /// Pairs of a name and a value; nil where the key is absent.
  func pairs(_ key: String) throws(ArchiveError) -> [(String, JSONValue)]? {
    guard object[key] != nil else { return nil }
    var pairs: [(String, JSONValue)] = []
    for element in try array(key) {
      guard case .array(let pair) = element, pair.count == 2, case .string(let name) = pair[0]
      else { throw damaged(self.name(key), "it is no array of pairs") }
      pairs.append((name, pair[1]))
    }
    return pairs
  }

  /// A time as the store has it; nil where the key is absent.
  func timestamp(_ key: String) throws(ArchiveError) -> StoreTimestamp? {
    guard let json = object[key] else { return nil }
    guard let timestamp = StoreTimestamp(raw: json) else {
      throw damaged(name(key), "it is no number")
    }
    return timestamp
  }
}
