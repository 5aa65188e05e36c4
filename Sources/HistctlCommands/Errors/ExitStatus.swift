import ArgumentParser
import HistoryCoding
import Terminal

/// The exit statuses of histctl; each has the same meaning in every command.
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

  /// The meaning of the status, for manual pages.
  var meaning: String {
    switch self {
    case .success: "done, or nothing to do"
    case .answerIsNo:
      "the answer is no: a token does not work, stores differ, an object is unknown, or verify has findings other than damage"
    case .failure: "failed for a reason that no other status names"
    case .partlyDone: "partly done; the rest is listed"
    case .historyGap:
      "history gap: a token is expired, foreign, diverged or ahead, or names no transaction; or two stores share no history"
    case .damaged: "the store or the archive is damaged"
    case .refused: "refused by a guard"
    case .busy: "busy: another program uses the store or the archive"
    case .notAStore: "not a store, or a store without history tables"
    case .cannotReadOrWrite: "cannot read or write a file"
    case .usage: "invalid command line"
    }
  }
}

extension ExitStatus {
  /// The rank of the status, for commands that end with the worst of several.
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

/// `histctl dump-exit-statuses`: the table of statuses for the manual pages; hidden.
struct DumpExitStatuses: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump-exit-statuses",
    abstract: "Write the exit statuses as JSON.",
    shouldDisplay: false)

  @OptionGroup var output: OutputOptions

  func run(_ session: Session) throws {
    try session.console.write { writer in
      for status in ExitStatus.allCases {
        try writer.writeLine([
          "status": .integer(Int64(status.rawValue)), "meaning": .string(status.meaning),
        ])
      }
    }
  }
}
