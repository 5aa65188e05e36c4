/// The arguments and options of a command, by section, each with what it does.
struct OptionList {
  let arguments: [Argument]
  /// What a fragment adds to an argument's own sentence, in mdoc.
  let explain: (Argument) -> [String]

  /// The lists in mdoc; the general one first, then a subsection for each title.
  var lines: [String] {
    let general = arguments.filter { $0.section == nil }
    var titles: [String] = []
    for case let title? in arguments.map(\.section) where !titles.contains(title) {
      titles.append(title)
    }
    return list(
      general.filter { $0.kind == .positional } + general.filter { $0.kind != .positional })
      + titles.flatMap { title in
        [".Ss \(title)"] + list(arguments.filter { $0.section == title })
      }
  }

  /// Names of an option as macros, such as `Fl \-author`.
  static func names(_ names: [String]) -> String {
    names.map { "Fl \(MdocText.literal(String($0.dropFirst())))" }.joined(separator: " , ")
  }

  private func list(_ arguments: [Argument]) -> [String] {
    guard !arguments.isEmpty else { return [] }
    return [".Bl -tag -width Ds"] + arguments.flatMap(item) + [".El"]
  }

  private func item(_ argument: Argument) -> [String] {
    let value = "Ar \(MdocText.literal(argument.valueName))"
    let head =
      switch argument.kind {
      case .positional: value
      case .option: "\(Self.names(argument.names)) \(value)"
      case .flag: Self.names(argument.names)
      }
    return [".It \(head)", MdocText.prose(argument.abstract)].filter { !$0.isEmpty }
      + explain(argument) + values(argument)
      + (argument.isRepeating ? ["Can be given several times."] : [])
  }

  private func values(_ argument: Argument) -> [String] {
    let ending = argument.defaultValue.map { [".Cm \(MdocText.literal($0)) ."] }
    if !argument.allowedValues.isEmpty {
      return ["The value is"]
        + MdocText.literals(
          argument.allowedValues, conjunction: "or", end: ending == nil ? "." : ";")
        + (ending.map { ["the default is"] + $0 } ?? [])
    }
    return ending.map { ["The default is"] + $0 } ?? []
  }
}
