/// How this program was called.
enum ProgramName {
  /// The word that called it, so that commands that are printed work when they are pasted.
  static var asCalled: String {
    let word = CommandLine.arguments.first ?? ""
    // A login shell's name begins with a dash.
    return word.isEmpty || word.hasPrefix("-") ? "histctl" : word
  }
}
