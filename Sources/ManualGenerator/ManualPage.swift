/// The manual page of one command.
struct ManualPage {
  let command: Command
  /// The commands above it, the program itself first.
  let ancestors: [Command]
  let fragment: Fragment
  /// What is added to options that many commands have.
  let sharedExplanations: [String: [String]]
  let exitStatuses: [ExitStatusEntry]

  /// Sections in the order that readers of manuals know; the fragment's others follow the options.
  private static let closingSections = [
    "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "DIAGNOSTICS", "SEE ALSO", "STANDARDS",
    "HISTORY", "AUTHORS", "CAVEATS", "BUGS",
  ]
  private static let generatedSections = ["NAME", "COMMANDS", "EXIT STATUS", "SEE ALSO"]

  /// The page.
  func text() throws -> String {
    let name = "man/fragments/\(command.pageName).mdoc"
    guard let date = fragment.date else {
      throw GeneratorError("\(name) has no date; begin it with .Dd and the day of its last change")
    }
    guard let description = fragment.section("DESCRIPTION") else {
      throw GeneratorError("\(name) has no section DESCRIPTION")
    }
    var lines = [
      #".\" Made by `make docs`; what is written by hand is in \#(name)."#,
      date, ".Dt \(command.pageName.uppercased()) 1", ".Os \(command.path[0])", ".Sh NAME",
      ".Nm \(command.pageName)", ".Nd \(oneLine)", ".Sh SYNOPSIS",
    ]
    lines += fragment.section("SYNOPSIS") ?? command.leaves.flatMap { Synopsis(command: $0).lines }
    lines += [".Sh DESCRIPTION"] + description
    if !command.subcommands.isEmpty { lines += [".Sh COMMANDS"] + commands }
    lines += [".Sh OPTIONS"] + OptionList(arguments: command.arguments, explain: explain).lines
    let fixed = Self.closingSections + Self.generatedSections + ["SYNOPSIS", "DESCRIPTION"]
    for section in fragment.sections where !fixed.contains(section.title) {
      lines += [".Sh \(section.title)"] + section.lines
    }
    for title in Self.closingSections {
      let content =
        switch title {
        case "EXIT STATUS": statuses + (fragment.section(title) ?? [])
        case "SEE ALSO": references(from: lines)
        default: fragment.section(title) ?? []
        }
      if !content.isEmpty { lines += [".Sh \(title)"] + content }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The abstract as the line that `apropos` shows.
  private var oneLine: String {
    var text = command.abstract
    if text.hasSuffix(".") { text.removeLast() }
    return MdocText.prose(text.first.map { $0.lowercased() + text.dropFirst() } ?? "")
  }

  private var commands: [String] {
    [".Bl -tag -width Ds"]
      + command.subcommands.flatMap {
        [".It Xr \($0.pageName) 1", MdocText.prose($0.abstract)]
      } + [".El"]
  }

  private var statuses: [String] {
    [".Bl -tag -width Ds"]
      + exitStatuses.flatMap {
        [".It \($0.status)", MdocText.prose($0.meaning.capitalisedSentence)]
      }
      + [
        ".El", ".Pp",
        "A program that a signal ends has the status 128 and the number of the signal in",
        "the eyes of a shell.",
      ]
  }

  /// The pages above and below, those that the fragment names, and all that the page refers to.
  private func references(from text: [String]) -> [String] {
    var pages = Set((ancestors + command.subcommands).map { "\($0.pageName) 1" })
    for line in text + (fragment.section("SEE ALSO") ?? []) {
      guard let macro = line.range(of: "Xr ") else { continue }
      pages.insert(line[macro.upperBound...].split(separator: " ").prefix(2).joined(separator: " "))
    }
    pages.remove("\(command.pageName) 1")
    // By section, then by name.
    let sorted = pages.sorted {
      let (left, right) = ($0.split(separator: " "), $1.split(separator: " "))
      return (left[1], left[0]) < (right[1], right[0])
    }
    return sorted.enumerated().map { index, page in
      ".Xr \(page)" + (index < sorted.count - 1 ? " ," : "")
    }
  }

  private func explain(_ argument: Argument) -> [String] {
    fragment.explanations[argument.explanationName]
      ?? sharedExplanations[argument.explanationName] ?? []
  }
}

extension String {
  /// The text with a capital first letter and a full stop.
  var capitalisedSentence: String {
    (first.map { $0.uppercased() } ?? "") + dropFirst() + (hasSuffix(".") ? "" : ".")
  }
}
