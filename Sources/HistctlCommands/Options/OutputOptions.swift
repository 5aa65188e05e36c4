import ArgumentParser
import Terminal

/// How a command writes its output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Write JSON, one object a line, also for errors.")
  var json = false

  @Flag(help: "Write tokens with the identifier of the store.")
  var qualified = false

  @Option(value: "style", help: "How to write times.")
  var date: TimeStyle = .local

  @Flag(help: "Write times with microseconds and their offset from UTC.")
  var preciseTimes = false

  @Option(value: "when", help: "When to use color.")
  var color: ColorChoice = .auto

  @Flag(help: "Do not show long output through a pager.")
  var noPager = false

  @Flag(name: .shortAndLong, help: "Write only errors and warnings to standard error.")
  var quiet = false

  /// The options of a command line without any of them.
  static var usual: OutputOptions {
    var options = OutputOptions()
    (options.json, options.qualified, options.date) = (false, false, .local)
    (options.preciseTimes, options.color, options.noPager) = (false, .auto, false)
    options.quiet = false
    return options
  }

  func validate() throws {
    if preciseTimes, date == .relative {
      throw ValidationError("--precise-times cannot be combined with --date relative")
    }
  }
}

extension ColorChoice: WordArgument {}
