/// When output is coloured: the value of `--color`.
enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal that can, unless NO_COLOR forbids or CLICOLOR_FORCE demands it.
  case auto
  /// Even in a pipe or file.
  case always
  /// Not at all.
  case never

  /// Whether standard output is to be coloured.
  func colorsOutput(in environment: TerminalEnvironment) -> Bool {
    resolve(isTerminal: environment.isOutputTerminal, in: environment)
  }

  /// Whether standard error is to be coloured.
  func colorsErrors(in environment: TerminalEnvironment) -> Bool {
    resolve(isTerminal: environment.isErrorTerminal, in: environment)
  }

  private func resolve(isTerminal: Bool, in environment: TerminalEnvironment) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      if environment.disablesColor { return false }
      if environment.forcesColor { return true }
      return isTerminal && !environment.isDumb
    }
  }
}
