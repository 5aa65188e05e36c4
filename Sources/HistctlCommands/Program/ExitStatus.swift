/// The statuses that histctl ends with; each means the same in every command.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case answerIsNo = 1
  case failure = 2
  case partlyDone = 3
  case historyGap = 4
  case damaged = 5
  case refused = 6
  case busy = 7
  case notAStore = 8
  case cannotReadOrWrite = 9
  case usage = 64

  /// What the status means, as manual pages say it.
  var meaning: String {
    switch self {
    case .success: "done, or nothing to do"
    case .answerIsNo:
      "the answer is no: a token that does not work, a difference where none was wanted, an object that is nowhere, an oddity that verify found"
    case .failure: "failed in a way that no other status names"
    case .partlyDone: "partly done; the rest is listed"
    case .historyGap:
      "history gap: a token is expired, foreign, diverged or ahead, or two stores share no history"
    case .damaged: "the store or the archive is damaged"
    case .refused: "refused by a guard"
    case .busy: "busy: another program holds the store or the archive"
    case .notAStore: "not a store, or a store without history tables"
    case .cannotReadOrWrite: "cannot read or write a file"
    case .usage: "the command line is wrong"
    }
  }
}

extension ExitStatus {
  /// How bad the status is, for a command that does several things and ends with the worst.
  var severity: Int {
    switch self {
    case .success: 0
    case .answerIsNo: 1
    case .partlyDone: 2
    case .busy: 3
    case .refused: 4
    case .historyGap: 5
    case .notAStore: 6
    case .cannotReadOrWrite: 7
    case .damaged: 8
    case .failure: 9
    case .usage: 10
    }
  }
}
