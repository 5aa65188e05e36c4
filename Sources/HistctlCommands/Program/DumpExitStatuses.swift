import ArgumentParser
import HistoryCoding
import Terminal

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
