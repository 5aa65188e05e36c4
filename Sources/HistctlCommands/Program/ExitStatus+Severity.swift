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
