import HistoryCoding
import PersistentHistory
import StoreFormat

extension MirroringState {
  /// Returns the progress of the mirror in words.
  func text(_ tokens: TokenText) -> String {
    var text = "to CloudKit"
    if let token, let number = token.number {
      text += ", history read up to \(tokens.text(number))"
      if token.state != .valid { text += " (\(token.state.name))" }
    }
    if let transactionsBehind, transactionsBehind > 0 {
      text += ", \(transactionsBehind.counted("transaction")) behind"
    }
    if let exports {
      text +=
        exports.pendingCount == 0
        ? ", no record is pending"
        : ", \(exports.pendingCount) of \(exports.recordCount) records are pending"
    }
    return text
  }

  /// Returns a line on each kind of work that the mirror has logged.
  func activityTexts(_ time: TimeText) -> [String] {
    switch activities {
    case .value(let activities): activities.map { $0.text(time) }
    case .unreadable(let reason): ["not known: \(reason)"]
    }
  }

  var json: JSONValue {
    let (neededFrom, reason): (Int64?, String?) =
      switch need {
      case .from(let number): (number, nil)
      case .unknown(let reason): (nil, reason)
      }
    let (events, eventsReason): ([JSONValue]?, String?) =
      switch activities {
      case .value(let activities): (activities.map(\.json), nil)
      case .unreadable(let reason): (nil, reason)
      }
    return .object(of: [
      "transaction": token?.number, "state": token?.state.name, "behind": transactionsBehind,
      "records": exports?.recordCount, "pendingRecords": exports?.pendingCount,
      "lowestPending": exports?.lowestPending, "neededFrom": neededFrom, "reason": reason,
      "events": events, "eventsReason": eventsReason,
    ])
  }
}

extension MirroringActivity {
  /// Returns in words whether the work succeeds, and since when it does not.
  func text(_ time: TimeText) -> String {
    if let failures {
      let success = lastSuccess.map { "last succeeded \(time.text($0))" } ?? "never succeeded"
      return "\(kind.name) \(failures.text(time)); \(success)"
    }
    if let lastSuccess { return "\(kind.name) succeeded \(time.text(lastSuccess))" }
    return "\(kind.name) started \(time.text(started)) and has not ended"
  }

  fileprivate var json: JSONValue {
    .object(of: [
      "event": kind.name, "started": started?.iso8601(), "ended": ended?.iso8601(),
      "lastSuccess": lastSuccess?.iso8601(), "failures": failures?.count ?? 0,
      "failingSince": failures?.since?.iso8601(), "errorDomain": failures?.errorDomain,
      "errorCode": failures?.errorCode,
    ])
  }
}

extension MirroringActivity.Failures {
  /// Returns since when the work fails, how often, and with which error.
  func text(_ time: TimeText) -> String {
    let since = self.since.map { " since \(time.text($0))" } ?? ""
    let error = [errorDomain, errorCode.map(String.init), errorName].compactMap(\.self)
    return "fails\(since), \(count.counted("attempt"))"
      + (error.isEmpty ? "" : " (\(error.joined(separator: " ")))")
  }

  /// The name that `CKError.Code` gives the code of a CloudKit error.
  private var errorName: String? {
    guard errorDomain == "CKErrorDomain", let errorCode else { return nil }
    return [
      1: "internalError", 2: "partialFailure", 3: "networkUnavailable", 4: "networkFailure",
      5: "badContainer", 6: "serviceUnavailable", 7: "requestRateLimited",
      8: "missingEntitlement", 9: "notAuthenticated", 10: "permissionFailure", 11: "unknownItem",
      12: "invalidArguments", 14: "serverRecordChanged", 15: "serverRejectedRequest",
      16: "assetFileNotFound", 17: "assetFileModified", 18: "incompatibleVersion",
      19: "constraintViolation", 20: "operationCancelled", 21: "changeTokenExpired",
      22: "batchRequestFailed", 23: "zoneBusy", 24: "badDatabase", 25: "quotaExceeded",
      26: "zoneNotFound", 27: "limitExceeded", 28: "userDeletedZone", 29: "tooManyParticipants",
      30: "alreadyShared", 31: "referenceViolation", 32: "managedAccountRestricted",
      33: "participantMayNeedVerification", 34: "serverResponseLost", 35: "assetNotAvailable",
      36: "accountTemporarilyUnavailable",
    ][errorCode]
  }
}
