import HistoryCoding
import PersistentHistory
import StoreFormat

/// A value that a report writes as JSON.
protocol JSONConvertible {
  var json: JSONValue { get }
}

extension JSONValue: JSONConvertible { var json: JSONValue { self } }
extension String: JSONConvertible { var json: JSONValue { .string(self) } }
extension Int: JSONConvertible { var json: JSONValue { .integer(Int64(self)) } }
extension Int64: JSONConvertible { var json: JSONValue { .integer(self) } }
extension Double: JSONConvertible { var json: JSONValue { .real(self) } }
extension Bool: JSONConvertible { var json: JSONValue { .boolean(self) } }

extension Array: JSONConvertible where Element: JSONConvertible {
  var json: JSONValue { .array(map(\.json)) }
}

extension TransactionPosition: JSONConvertible {
  /// The number and, for a time that the calendar has, the time.
  var json: JSONValue {
    .object(of: ["transaction": number, "timestamp": timestamp?.iso8601()])
  }
}

extension JSONValue {
  /// A JSON object being made; members without a value are left out.
  typealias Members = KeyValuePairs<String, (any JSONConvertible)?>

  /// Makes an object.
  static func object(of members: Members, and others: [(String, JSONValue)] = []) -> JSONValue {
    .object(JSONObject(list(of: members) + others))
  }

  /// Makes a record, which says its schema and type first.
  static func record(
    _ type: String, _ members: Members, and others: [(String, JSONValue)] = []
  ) -> JSONValue {
    .object(JSONObject(JSONMembers.start(type) + list(of: members) + others))
  }

  /// Lists members that have a value.
  static func list(of members: Members) -> [(String, JSONValue)] {
    members.compactMap { key, value in value.map { (key, $0.json) } }
  }
}

/// The members of a JSON object being made, without those that have no value.
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
