import HistoryCoding
import StoreFormat

extension TransactionPosition {
  /// The position as a JSON object: number and, where the calendar has it, time.
  var json: JSONValue {
    var members: [(String, JSONValue)] = [("transaction", .integer(number))]
    if let time = timestamp?.iso8601() { members.append(("timestamp", .string(time))) }
    return .object(JSONObject(members))
  }
}
