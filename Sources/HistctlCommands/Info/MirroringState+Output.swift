import HistoryCoding
import PersistentHistory

extension MirroringState {
  /// Returns the progress of the mirror in words.
  func text(_ tokens: TokenText) -> String {
    var text = "to CloudKit"
    if let token, let number = token.number {
      text += ", history read up to \(tokens.text(number))"
      if token.state != .valid { text += " (\(token.state.name))" }
    }
    if let exports {
      text +=
        exports.pendingCount == 0
        ? ", no record is pending"
        : ", \(exports.pendingCount) of \(exports.recordCount) records are pending"
    }
    return text
  }

  var json: JSONValue {
    let (neededFrom, reason): (Int64?, String?) =
      switch need {
      case .from(let number): (number, nil)
      case .unknown(let reason): (nil, reason)
      }
    return .object(of: [
      "transaction": token?.number, "state": token?.state.name, "records": exports?.recordCount,
      "pendingRecords": exports?.pendingCount, "lowestPending": exports?.lowestPending,
      "neededFrom": neededFrom, "reason": reason,
    ])
  }
}
