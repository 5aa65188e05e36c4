import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// Values of a store that shells complete, such as its authors.
///
/// A shell shows whatever is printed while a person types, so every failure results in no values.
enum Completion: String, CaseIterable {
  case attribute, author, bookmark, bundle, entity, object, process, token

  /// Reads the clock and limits the time for the completion of the command line that is parsed.
  @TaskLocal static var console: Console?

  /// The longest value, in bytes, and the longest note, in characters.
  private static let maxLengths = (value: 256, note: 60)
  /// How long a completion may compute, in milliseconds.
  private static let timeLimit = 250

  /// Completes with the values of one kind.
  var kind: CompletionKind {
    .custom { words, index, _ in Self.console.map { values(words, except: index, $0) } ?? [] }
  }

  private func values(_ words: [String], except index: Int, _ console: Console) -> [String] {
    console.endQuietly(Self.timeLimit)
    let words = Self.unquoted(words)
    let paths = words.enumerated().filter { $0.offset != index && $0.offset > 0 }.map(\.element)
    let bookmarks = Self.option("--bookmark-file", in: words).map { Self.expanded($0, console) }
    // The store is the first word that can be opened as one.
    for path in paths where !path.hasPrefix("-") {
      guard
        let file = try? StoreFile(
          location: StoreLocation(path: Self.expanded(path, console)), busyTimeout: 0,
          allowsPrivateCopy: false)
      else { continue }
      let values = try? file.read {
        try self.values(
          HistorySuggestions(snapshot: $0, bookmarkPath: bookmarks),
          entities: Set(paths.compactMap { (try? HistoryObject($0))?.entityName }),
          now: console.now)
      }
      return values ?? []
    }
    return []
  }

  // MARK: - The command line

  /// Removes quotes, for shells that pass words as they were typed.
  private static func unquoted(_ words: [String]) -> [String] {
    let isFish3 =
      CompletionShell.requesting == .fish && CompletionShell.requestingVersion?.first == "3"
    return isFish3 ? words : words.map(unquoted)
  }

  private static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        if quote == "\"", !"\"\\$`".contains(character) { text.append("\\") }
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }

  private static func option(_ name: String, in words: [String]) -> String? {
    if let joined = words.first(where: { $0.hasPrefix(name + "=") }) {
      return String(joined.dropFirst(name.count + 1))
    }
    return words.firstIndex(of: name).flatMap { place in
      // bash cuts words at equal signs.
      words.dropFirst(place + 1).first { $0 != "=" }
    }
  }

  private static func expanded(_ path: String, _ console: Console) -> String {
    guard path.hasPrefix("~/"), let home = console.homeFolder else { return path }
    return home + path.dropFirst()
  }

  // MARK: - The values

  private func values(
    _ suggestions: HistorySuggestions, entities: Set<String>, now: StoreTimestamp
  ) throws -> [String] {
    switch self {
    case .attribute: try suggestions.attributes(of: entities).compactMap { Self.entry($0) }
    case .author: try suggestions.texts(.author).compactMap { Self.entry($0) }
    case .bookmark:
      try suggestions.bookmarks().compactMap { Self.entry($0.name, Self.note(on: $0)) }
    case .bundle: try suggestions.texts(.bundle).compactMap { Self.entry($0) }
    case .entity: suggestions.entities().compactMap { Self.entry($0) }
    case .object: try suggestions.objects().compactMap { Self.entry($0.description) }
    case .process: try suggestions.texts(.process).compactMap { Self.entry($0) }
    case .token: try Self.tokens(suggestions, now)
    }
  }

  private static func tokens(
    _ suggestions: HistorySuggestions, _ now: StoreTimestamp
  ) throws -> [String] {
    // Tokens can be completed although the file of bookmarks is damaged.
    let bookmarks = (try? suggestions.bookmarks()) ?? []
    let words = [
      ("first", "the oldest transaction"), ("last", "the newest transaction"),
      ("today", "midnight"), ("yesterday", "midnight a day ago"),
      ("1d", "this time yesterday"), ("1w", "this time a week ago"),
    ]
    let time = TimeText(style: .local, now: now)
    let transactions = try suggestions.transactions().compactMap { transaction in
      let time = time.text(transaction.timestamp)
      return entry(
        "\(transaction.number)", transaction.author.map { "\(time) \($0.string)" } ?? time)
    }
    return bookmarks.compactMap { entry("@" + $0.name, note(on: $0)) }
      + words.compactMap { entry($0.0, $0.1) } + transactions
  }

  private static func note(on bookmark: Bookmark) -> String {
    let numbers = bookmark.token.storeTokens.values.sorted().map(String.init)
    return "bookmark at \(numbers.joined(separator: ", "))"
  }

  /// Returns a value and its note as the requesting shell reads them, or `nil` for a value that cannot
  /// be typed.
  private static func entry(_ value: String, _ note: String? = nil) -> String? {
    guard !value.isEmpty, value.utf8.count <= maxLengths.value, !value.hasPrefix("-"),
      value == TerminalText.terminal.escaped(value)
    else { return nil }
    let note = note.map { TerminalText.terminal.escaped(String($0.prefix(maxLengths.note))) }
    switch CompletionShell.requesting {
    // `compgen -W` of the parser's script expands commands in words that are not quoted.
    case .bash?: return ShellWord.quoted(value)
    case .zsh?:
      // Its `_describe` reads a backslash as an escape, and a colon as the end of the value.
      let escaped = value.replacing(#"\"#, with: #"\\"#).replacing(":", with: #"\:"#)
      return note.map { "\(escaped):\($0.replacing(#"\"#, with: #"\\"#))" } ?? escaped
    default: return note.map { "\(value)\t\($0)" } ?? value
    }
  }
}
