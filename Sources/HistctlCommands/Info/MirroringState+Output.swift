import HistoryCoding
import PersistentHistory

extension MirroringState {
  /// How far the mirror has come, for people.
  func text(_ tokens: TokenText) -> String {
    var text = "to CloudKit"
    if let token, let number = token.number {
      text += ", history read up to \(tokens.text(number))"
      if token.state != .valid { text += " (\(token.state.name))" }
    }
    if let exports {
      text +=
        exports.pendingCount == 0
        ? ", no record waits" : ", \(exports.pendingCount) of \(exports.recordCount) records wait"
    }
    return text
  }

  /// The state as a JSON object.
  var json: JSONValue {
    var members: [(String, JSONValue)] = []
    if let token {
      if let number = token.number { members.append(("transaction", .integer(number))) }
      members.append(("state", .string(token.state.name)))
    }
    if let exports {
      members.append(("records", .integer(exports.recordCount)))
      members.append(("pendingRecords", .integer(exports.pendingCount)))
      if let lowest = exports.lowestPending { members.append(("lowestPending", .integer(lowest))) }
    }
    switch need {
    case .from(let number): members.append(("neededFrom", .integer(number)))
    case .unknown(let reason): members.append(("reason", .string(reason)))
    }
    return .object(JSONObject(members))
  }
}

extension MirroringState.Need {
  /// How the sentence goes on that says the mirror needs history.
  var text: String {
    switch self {
    case .from(let number): " from transaction \(number) on"
    case .unknown(let reason): "; how much of it cannot be known: \(reason)"
    }
  }
}
