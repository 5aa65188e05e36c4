/// Help in two lengths: `-h` for the options at a glance, `--help` with explanations and examples.
enum HelpText {
  /// The arguments in the form that the parser knows: it has one help only.
  static func withLongHelp(_ arguments: [String]) -> [String] {
    arguments.firstIndex(of: "--").map { end in
      arguments[..<end].map { $0 == "-h" ? "--help" : $0 } + arguments[end...]
    } ?? arguments.map { $0 == "-h" ? "--help" : $0 }
  }

  /// The parser's help, cut to the length that was asked for.
  static func asAsked(_ text: String, arguments: [String]) -> String {
    guard arguments.contains("-h"), !arguments.contains("--help"), text.hasPrefix("OVERVIEW: "),
      let usage = text.range(of: "\nUSAGE: ")
    else { return text }
    let overview = text[..<usage.lowerBound].prefix { $0 != "\n" }.dropFirst("OVERVIEW: ".count)
    return overview + "\n" + text[usage.lowerBound...]
  }
}

extension String {
  /// Where a text first occurs; the standard library alone has no such search on older systems.
  fileprivate func range(of text: String) -> Range<Index>? {
    ranges(of: text).first
  }
}
