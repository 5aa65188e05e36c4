import ArgumentParser
import HistoryArchive

/// The head of an archive's chain on the command line.
struct AnchorArgument: Equatable {
  let anchor: ArchiveAnchor

  /// Reads what `archive` prints, with the word before it or without.
  init(parsing text: String) throws(ValidationError) {
    let word = text.hasPrefix("head ") ? String(text.dropFirst("head ".count)) : text
    do {
      anchor = try ArchiveAnchor(word)
    } catch {
      throw ValidationError(
        "it is not the head of a chain; write what archive prints, a number, a colon and 64 digits")
    }
  }
}
