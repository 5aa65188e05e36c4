import PersistentHistory
import Terminal

extension UnusableToken {
  /// The commands that take the token to go on from as `--after`.
  private static let commandsWithStart: Set<String> = ["log", "export", "stats", "object"]

  /// What to do about a token that was given on a command line: what the same command takes.
  func hint(of arguments: [String]) -> String {
    if arguments.contains(where: { $0 == "--bookmark" || $0.hasPrefix("--bookmark=") }) {
      return bookmarkHint(isInAFileOfItsOwn: arguments.contains { $0.hasPrefix("--bookmark-file") })
    }
    switch option(in: arguments) {
    case "--after": return remedy(option: "--after")
    case nil where arguments.first.map(Self.commandsWithStart.contains) ?? false:
      return remedy(option: "--after")
    // Places to begin at, for which the beginning will do as well.
    case nil where arguments.first == "bookmark": return remedy
    case nil where arguments.first == "diff" && isFirst(in: arguments): return remedy
    default: return remedy(wayOn: "give one that works: " + reachOfTokens)
    }
  }

  /// What to do about a bookmark that a consumer was to go on from.
  func bookmarkHint(isInAFileOfItsOwn: Bool = false) -> String {
    guard text.hasPrefix("@") else { return remedy }
    let name = String(text.dropFirst())
    func command(_ number: Int64, _ options: String = "") -> String {
      "histctl bookmark set \(ShellWord.quoted(path)) \(name) \(number)\(options)"
        + (isInAFileOfItsOwn ? " with the same --bookmark-file" : "")
    }
    return remedy(wayOn: "start again with: " + command(0, " --force"))
  }

  private var reachOfTokens: String {
    guard let oldest, let newest else { return "0, for the history is empty" }
    return "\(oldest.number) to \(newest.number)"
  }

  /// The option that the token was given with; nil for one without.
  private func option(in arguments: [String]) -> String? {
    for (place, argument) in arguments.enumerated() where argument.hasPrefix("--") {
      if place + 1 < arguments.count, arguments[place + 1] == text { return argument }
      if argument.hasSuffix("=" + text) { return String(argument.dropLast(text.count + 1)) }
    }
    return nil
  }

  /// Whether it is the first of two tokens.
  private func isFirst(in arguments: [String]) -> Bool {
    let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    return words.dropFirst().first == text
  }
}
