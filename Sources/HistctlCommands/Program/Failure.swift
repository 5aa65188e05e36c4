import HistoryCoding
import PersistentHistory
import StoreFormat

/// An error as a person or a script is told of it.
struct Failure: Error {
  /// The status that the program ends with.
  let status: ExitStatus
  /// The name of the error for scripts.
  let kind: String
  /// What is wrong.
  let message: String
  /// What to do about it.
  let hint: String?
  /// What else a script may want to know.
  var details: [(String, JSONValue)] = []

  /// The error as one JSON object.
  var json: JSONValue {
    var members = JSONMembers.start("error")
    members += [
      ("kind", .string(kind)), ("code", .integer(Int64(status.rawValue))),
      ("message", .string(message)),
    ]
    if let hint { members.append(("hint", .string(hint))) }
    return .object(JSONObject(members + details))
  }
}

/// An end that has been explained already.
struct EndWithStatus: Error {
  let status: ExitStatus
}
