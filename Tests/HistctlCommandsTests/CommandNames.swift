import ArgumentParser

@testable import HistctlCommands

/// The names of the commands, from the program's own list.
enum CommandNames {
  /// Every command that help shows, such as `token check`, and the groups above them.
  static let all = names(below: Histctl.self, after: [])

  /// The commands without those that are only groups.
  static let leaves = all.filter { name in !all.contains { $0.hasPrefix(name + " ") } }

  private static func names(
    below command: any ParsableCommand.Type, after path: [String]
  ) -> [String] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap { next in
      let path = path + [next.configuration.commandName ?? ""]
      return [path.joined(separator: " ")] + names(below: next, after: path)
    }
  }
}
