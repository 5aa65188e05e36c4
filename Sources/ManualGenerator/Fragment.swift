/// The hand-written part of a manual page, in mdoc.
///
/// It begins with `.Dd` and the date of its last change and has the page's sections, each after its
/// `.Sh`. In a section OPTIONS, `.Ss --name` or `.Ss <argument>` is followed by the text to add to an
/// option's own sentence.
struct Fragment {
  /// The line with the date; nil in a fragment that is shared by pages.
  let date: String?
  /// The sections except OPTIONS, in order.
  let sections: [(title: String, lines: [String])]
  /// The text to add to options, by name.
  let explanations: [String: [String]]

  /// Creates an empty fragment.
  init() {
    date = nil
    sections = []
    explanations = [:]
  }

  /// Parses a fragment.
  ///
  /// - Parameter name: The name of the fragment in errors.
  init(_ text: String, name: String) throws {
    var date: String?
    var sections: [(title: String, lines: [String])] = []
    var explanations: [String: [String]] = [:]
    var explained: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix(".Dd ") {
        date = line
      } else if line.hasPrefix(".Sh ") {
        sections.append((String(line.dropFirst(4)), []))
        explained = nil
      } else if line.hasPrefix(".Ss "), sections.last?.title == "OPTIONS" {
        explained = String(line.dropFirst(4))
      } else if line.isEmpty {
        continue
      } else if let explained {
        explanations[explained, default: []].append(line)
      } else if sections.isEmpty || sections.last?.title == "OPTIONS" {
        throw GeneratorError("\(name): '\(line)' belongs to no section; begin one with .Sh")
      } else {
        sections[sections.count - 1].lines.append(line)
      }
    }
    self.date = date
    self.sections = sections.filter { $0.title != "OPTIONS" }
    self.explanations = explanations
  }

  /// The lines of a section; nil where there is none.
  func section(_ title: String) -> [String]? { sections.first { $0.title == title }?.lines }
}
