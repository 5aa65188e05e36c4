import ArgumentParser

/// `histctl token`: what tokens mean, and whether they work.
struct Token: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    _superCommandName: "histctl",
    abstract: "Say what a token means and whether it works.",
    subcommands: [TokenCheck.self, TokenShow.self])
}
