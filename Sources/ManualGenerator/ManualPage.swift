/// The manual page of one command.
struct ManualPage {
  let command: Command
  /// The commands above it, the program itself first.
  let ancestors: [Command]
  let fragment: Fragment
  /// The text to add to options that many commands have.
  let sharedExplanations: [String: [String]]
  let exitStatuses: [ExitStatusEntry]

  /// Sections in the usual order of manuals; the fragment's others follow the options.
  private static let closingSections = [
    "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "DIAGNOSTICS", "SEE ALSO", "STANDARDS",
    "HISTORY", "AUTHORS", "CAVEATS", "BUGS",
  ]
  private static let generatedSections = [
    "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "SEE ALSO",
  ]

  /// Returns the page.
  func text() throws -> String {
    let name = "man/fragments/\(command.pageName).mdoc"
    guard let date = fragment.date else {
      throw GeneratorError("\(name) has no date; begin it with .Dd and the day of its last change")
    }
    guard let description = fragment.section("DESCRIPTION") else {
      throw GeneratorError("\(name) has no section DESCRIPTION")
    }
    var lines = [
      #".\" Made by `make docs`; the hand-written part is \#(name)."#,
      date, ".Dt \(command.pageName.uppercased()) 1", ".Os \(command.path[0])", ".Sh NAME",
      ".Nm \(command.pageName)", ".Nd \(try oneLine())", ".Sh SYNOPSIS",
    ]
    lines += fragment.section("SYNOPSIS") ?? command.leaves.flatMap(synopsis)
    lines += [".Sh DESCRIPTION"] + description
    if !command.subcommands.isEmpty { lines += [".Sh COMMANDS"] + (try commands()) }
    lines += [".Sh OPTIONS"] + options
    let fixed = Self.closingSections + Self.generatedSections
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
  private func oneLine() throws -> String {
    var text = try command.summary()
    if text.hasSuffix(".") { text.removeLast() }
    return MdocText.prose(text.prefix(1).lowercased() + text.dropFirst())
  }

  private func commands() throws -> [String] {
    [".Bl -tag -width Ds"]
      + (try command.subcommands.flatMap {
        [".It Xr \($0.pageName) 1", MdocText.prose(try $0.summary())]
      }) + [".El"]
  }

  private var statuses: [String] {
    [".Bl -tag -width Ds"]
      + exitStatuses.flatMap { entry in
        let sentence = entry.meaning.prefix(1).uppercased() + entry.meaning.dropFirst()
        return [".It \(entry.status)", MdocText.prose(sentence + ".")]
      }
      + [
        ".El", ".Pp",
        "After a signal, shells report 128 plus the number of the signal.",
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

  // MARK: - Synopsis

  private func synopsis(_ command: Command) -> [String] {
    let words = command.path.dropFirst().map { " \(MdocText.literal($0))" }.joined()
    var lines = [".Nm \(command.path[0])" + (words.isEmpty ? "" : " Cm" + words)]
    for argument in command.arguments where argument.kind != .positional {
      let name = argument.typedNames.last ?? ""
      // Every command has these.
      guard name != "--help", name != "--version" else { continue }
      let text = names([name]) + (argument.kind == .option ? " \(value(argument))" : "")
      let isRepeatingOption = argument.isRepeating && argument.kind == .option
      let isOptional = argument.isOptional || argument.kind == .flag
      lines.append(
        isRepeatingOption ? ".Oo \(text) Oc Ns ..." : isOptional ? ".Op \(text)" : ".\(text)")
    }
    for argument in command.arguments where argument.kind == .positional {
      lines.append(
        (argument.isOptional ? ".Op " : ".") + value(argument)
          + (argument.isRepeating ? " ..." : ""))
    }
    return lines
  }

  private func value(_ argument: Argument) -> String { "Ar \(MdocText.literal(argument.value))" }

  private func names(_ names: [String]) -> String {
    names.map { "Fl \(MdocText.literal(String($0.dropFirst())))" }.joined(separator: " , ")
  }

  // MARK: - Options

  /// The general options, then a subsection for each title.
  private var options: [String] {
    var titles: [String] = []
    for case let title? in command.arguments.map(\.sectionTitle) where !titles.contains(title) {
      titles.append(title)
    }
    let general = command.arguments.filter { $0.sectionTitle == nil }
    return list(
      general.filter { $0.kind == .positional } + general.filter { $0.kind != .positional })
      + titles.flatMap { title in
        [".Ss \(title)"] + list(command.arguments.filter { $0.sectionTitle == title })
      }
  }

  private func list(_ arguments: [Argument]) -> [String] {
    guard !arguments.isEmpty else { return [] }
    return [".Bl -tag -width Ds"] + arguments.flatMap(item) + [".El"]
  }

  private func item(_ argument: Argument) -> [String] {
    let head = [
      names(argument.typedNames), argument.kind == .flag ? "" : value(argument),
    ].filter { !$0.isEmpty }.joined(separator: " ")
    let explanation =
      fragment.explanations[argument.explanationName]
      ?? sharedExplanations[argument.explanationName] ?? []
    return [".It \(head)", MdocText.prose(argument.abstract ?? "")].filter { !$0.isEmpty }
      + explanation + values(argument)
      + (argument.isRepeating ? ["Can be given several times."] : [])
  }

  private func values(_ argument: Argument) -> [String] {
    let ending = argument.shownDefault.map { [".Cm \(MdocText.literal($0)) ."] }
    if !argument.allowedValues.isEmpty {
      return ["The value is"]
        + MdocText.literals(
          argument.allowedValues, conjunction: "or", end: ending == nil ? "." : ";")
        + (ending.map { ["the default is"] + $0 } ?? [])
    }
    return ending.map { ["The default is"] + $0 } ?? []
  }
}
