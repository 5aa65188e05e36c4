/// The words behind a command's name, taken one option after the other.
///
/// It understands only what can be read in one way: `--name value`, `--name=value`, `--flag` and
/// arguments, where no value begins with a dash. Whatever it cannot place clears
/// ``isComplete``, and the argument parser has the last word.
struct CommandWords {
  private var isUnderstood = true
  private var words: [String]

  init(_ words: some Sequence<String>) { self.words = Array(words) }

  /// Whether a flag is there.
  mutating func flag(_ names: String...) -> Bool {
    let count = words.count
    words.removeAll(where: names.contains)
    return words.count < count
  }

  /// The last value of an option, for that one counts.
  mutating func value(_ names: String...) -> String? { values(of: names).last }

  /// The last value of an option that is not just text.
  mutating func value<Value>(_ name: String, _ convert: (String) -> Value?) -> Value? {
    values(name, convert).last
  }

  /// All values of an option that is not just text.
  mutating func values<Value>(_ name: String, _ convert: (String) -> Value?) -> [Value] {
    var values: [Value] = []
    for text in self.values(of: [name]) {
      if let value = convert(text) { values.append(value) } else { isUnderstood = false }
    }
    return values
  }

  /// All values of an option, in order.
  mutating func values(_ name: String) -> [String] { values(of: [name]) }

  private mutating func values(of names: [String]) -> [String] {
    var values: [String] = []
    var index = 0
    while index < words.count {
      let word = words[index]
      let name = names.first(where: word.hasPrefix) ?? names[0]
      if word == name, index + 1 < words.count, !words[index + 1].hasPrefix("-") {
        values.append(words[index + 1])
        words.removeSubrange(index...index + 1)
      } else if word.hasPrefix(name), word.dropFirst(name.count).first == "=",
        word.hasPrefix("--")
      {
        let value = String(word.dropFirst(name.count + 1))
        if value.isEmpty { isUnderstood = false }
        values.append(value)
        words.remove(at: index)
      } else {
        index += 1
      }
    }
    return values
  }

  /// The next argument; to be asked for once all options are taken.
  mutating func argument() -> String? {
    guard let word = words.first, !word.hasPrefix("-") else {
      isUnderstood = false
      return nil
    }
    return words.removeFirst()
  }

  /// All arguments that are left, which must be at least one.
  mutating func remainingArguments() -> [String] {
    var arguments: [String] = []
    repeat {
      if let argument = argument() { arguments.append(argument) }
    } while isUnderstood && !words.isEmpty
    return arguments
  }

  /// Leaves the line to the argument parser.
  mutating func giveUp() { isUnderstood = false }

  /// Whether every word had a meaning and none is left.
  var isComplete: Bool { isUnderstood && words.isEmpty }
}
