/// The line that shows how a command is called.
struct Synopsis {
  let command: Command

  /// The line in mdoc.
  var lines: [String] {
    let words = command.path.dropFirst().map { " \(MdocText.literal($0))" }.joined()
    var lines = [".Nm \(command.path[0])" + (words.isEmpty ? "" : " Cm" + words)]
    for argument in command.arguments where argument.kind != .positional && !argument.isUniversal {
      lines.append(option(argument))
    }
    for argument in command.arguments where argument.kind == .positional {
      let value = "Ar \(MdocText.literal(argument.valueName))"
      lines.append(
        (argument.isOptional ? ".Op \(value)" : ".\(value)") + (argument.isRepeating ? " ..." : ""))
    }
    return lines
  }

  private func option(_ argument: Argument) -> String {
    var text = OptionList.names([argument.names.last ?? ""])
    if argument.kind == .option { text += " Ar \(MdocText.literal(argument.valueName))" }
    if argument.isRepeating && argument.kind == .option {
      text = "Oo \(text) Oc Ns ..."
    } else if argument.isOptional || argument.kind == .flag {
      text = "Op \(text)"
    }
    return "." + text
  }
}
