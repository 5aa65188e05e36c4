import HistoryCoding
import StoreFormat

/// The members of a JSON object in the making, those without a value left out.
struct JSONMembers {
  private var members: [(String, JSONValue)] = []

  init() {}

  /// The members that every record begins with.
  static func start(_ type: String) -> [(String, JSONValue)] {
    [("schema", .integer(HistoryLine.schema)), ("type", .string(type))]
  }

  /// The members that every record begins with, and those of every record about a store.
  init(type: String, path: String? = nil, store: String? = nil) {
    members = Self.start(type)
    add("path", path.map(JSONValue.string))
    add("store", store.map(JSONValue.string))
  }

  mutating func add(_ key: String, _ value: JSONValue?) {
    if let value { members.append((key, value)) }
  }

  var json: JSONValue { .object(JSONObject(members)) }
}

extension TransactionPosition {
  /// The position as a JSON object: number and, where the calendar has it, time.
  var json: JSONValue {
    var members: [(String, JSONValue)] = [("transaction", .integer(number))]
    if let time = timestamp?.iso8601() { members.append(("timestamp", .string(time))) }
    return .object(JSONObject(members))
  }
}
