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
    let start: [(String, JSONValue)] = [
      ("schema", .integer(HistoryLine.schema)), ("type", .string(type)),
    ]
    return .object(JSONObject(start + list(of: members) + others))
  }
}
