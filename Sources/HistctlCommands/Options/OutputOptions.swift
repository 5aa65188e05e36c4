import ArgumentParser
import Terminal

/// How a command writes what it has to say.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON, one object a line; errors too.")
  var json = false

  @Flag(help: "Write tokens with the identifier of their store.")
  var qualified = false

  @Option(
    help: ArgumentHelp("How to write times.", valueName: "style"))
  var date: TimeStyle = .local

  @Option(help: ArgumentHelp("When to use colour.", valueName: "when"))
  var color: ColorChoice = .auto

  @Flag(help: "Do not show long output through a pager.")
  var noPager = false

  @Flag(name: .shortAndLong, help: "Say nothing on standard error but errors.")
  var quiet = false
}

extension ColorChoice: WordArgument {}
