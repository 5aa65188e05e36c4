import HistoryCoding

/// The members of a JSON object in the making, those without a value left out.
struct JSONMembers {
  private var members: [(String, JSONValue)] = []

  init() {}

  /// The members that every record begins with.
  static func start(_ type: String) -> [(String, JSONValue)] {
    [("schema", .integer(HistoryLine.schema)), ("type", .string(type))]
  }

  /// The members that every record about a store begins with.
  init(type: String, path: String, store: String?) {
    members = Self.start(type)
    add("path", .string(path))
    add("store", store.map(JSONValue.string))
  }

  mutating func add(_ key: String, _ value: JSONValue?) {
    if let value { members.append((key, value)) }
  }

  var json: JSONValue { .object(JSONObject(members)) }
}
