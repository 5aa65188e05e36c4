import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// Suggestions as the completions of shells read them: a line each, a value or a value, a tab and
/// what a person should know of it.
///
/// Whatever a shell or a terminal could take for more than text is left out: it could not be typed.
struct SuggestionLines {
  let suggestions: HistorySuggestions
  let now: StoreTimestamp

  /// The longest value, in bytes, and the longest note, in characters.
  private static let longest = (value: 256, note: 60)

  /// The lines of one kind.
  func lines(_ kind: SuggestionKind) throws -> [String] {
    switch kind {
    case .attribute: try suggestions.attributes().compactMap { line($0) }
    case .author: try suggestions.texts(.author).compactMap { line($0) }
    case .bookmark: try suggestions.bookmarks().compactMap { line($0.name, note: note(on: $0)) }
    case .bundle: try suggestions.texts(.bundle).compactMap { line($0) }
    case .entity: suggestions.entities().compactMap { line($0) }
    case .object: try suggestions.objects().compactMap { line($0.description) }
    case .process: try suggestions.texts(.process).compactMap { line($0) }
    case .token: try tokens()
    }
  }

  private func tokens() throws -> [String] {
    // A broken file of bookmarks takes nothing from the rest.
    let bookmarks = (try? suggestions.bookmarks()) ?? []
    let words = [
      ("first", "the oldest transaction"), ("last", "the newest transaction"),
      ("today", "midnight"), ("yesterday", "midnight a day ago"),
      ("1d", "this time yesterday"), ("1w", "this time a week ago"),
    ]
    return bookmarks.compactMap { line("@" + $0.name, note: note(on: $0)) }
      + words.compactMap { line($0.0, note: $0.1) }
      + (try suggestions.transactions().compactMap { line("\($0.number)", note: note(on: $0)) })
  }

  private func note(on bookmark: Bookmark) -> String {
    let numbers = bookmark.token.storeTokens.values.sorted().map(String.init)
    return "bookmark at \(numbers.joined(separator: ", "))"
  }

  private func note(on transaction: HistoryTransaction) -> String {
    let time = TimeText(style: .local, now: now).text(transaction.timestamp)
    return transaction.author.map { "\(time) \($0.string)" } ?? time
  }

  private func line(_ value: String, note: String? = nil) -> String? {
    guard !value.isEmpty, value.utf8.count <= Self.longest.value, !value.hasPrefix("-"),
      value == TerminalText.terminal.escaped(value)
    else { return nil }
    guard let note else { return value }
    return value + "\t" + TerminalText.terminal.escaped(String(note.prefix(Self.longest.note)))
  }
}

/// What a shell can ask a store for.
///
/// An option or argument whose value is named like one of these is completed with it.
enum SuggestionKind: String, WordArgument {
  case attribute, author, bookmark, bundle, entity, object, process, token
}
