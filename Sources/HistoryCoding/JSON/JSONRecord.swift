import PersistentHistory
import StoreFormat

extension TransactionPosition: JSONConvertible {
  /// The number, and the time if it is within the calendar.
  package var json: JSONValue {
    .object(of: ["transaction": number, "timestamp": timestamp?.iso8601()])
  }
}

extension JSONValue {
  /// Returns a record, which begins with its schema and type.
  package static func record(
    _ type: String, _ members: Members, and others: [(String, JSONValue)] = []
  ) -> JSONValue {
    .object(JSONObject(JSONMembers.start(type) + list(of: members) + others))
  }
}

/// The members of a JSON object being made, without those that have no value.
package struct JSONMembers {
  private var members: [(String, JSONValue)] = []

  package init() {}

  /// The members that every record begins with.
  package static func start(_ type: String) -> [(String, JSONValue)] {
    [("schema", .integer(HistoryLine.schema)), ("type", .string(type))]
  }

  /// The members that every record begins with, and those of every record about a store.
  package init(type: String, path: String? = nil, store: String? = nil) {
    members = Self.start(type)
    add("path", path.map(JSONValue.string))
    add("store", store.map(JSONValue.string))
  }

  package mutating func add(_ key: String, _ value: JSONValue?) {
    if let value { members.append((key, value)) }
  }

  package var json: JSONValue { .object(JSONObject(members)) }
}
