import ArgumentParser
import HistoryCoding

/// `histctl dump-exit-statuses`: the table of statuses for the manual pages; hidden.
struct DumpExitStatuses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump-exit-statuses",
    _superCommandName: "histctl",
    abstract: "Write the exit statuses as JSON.",
    shouldDisplay: false)

  func run() throws {
    try Pager.withOutput(usesPager: false, environment: Main.environment) { writer in
      for status in ExitStatus.allCases {
        try writer.writeLine([
          "status": .integer(Int64(status.rawValue)), "meaning": .string(status.meaning),
        ])
      }
    }
  }
}
