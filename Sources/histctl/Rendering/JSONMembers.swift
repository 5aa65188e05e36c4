import HistoryCoding

/// The members of a JSON object in the making, those without a value left out.
struct JSONMembers {
  private var members: [(String, JSONValue)] = []

  init() {}

  /// The members that every record about a store begins with.
  init(type: String, path: String, store: String?) {
    add("schema", .integer(1))
    add("type", .string(type))
    add("path", .string(path))
    add("store", store.map(JSONValue.string))
  }

  mutating func add(_ key: String, _ value: JSONValue?) {
    if let value { members.append((key, value)) }
  }

  var json: JSONValue { .object(JSONObject(members)) }
}
