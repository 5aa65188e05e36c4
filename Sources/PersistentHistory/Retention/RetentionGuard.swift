/// Somebody who still needs a part of the history, whatever the rules say.
public struct RetentionGuard: Hashable, Sendable {
  /// What a guard says.
  public enum Verdict: Hashable, Sendable {
    /// This transaction and all after it must stay.
    case holds(from: Int64)
    /// Nothing may go, because it cannot be known what is still needed.
    case refuses
  }

  /// The name by which a guard can be ignored: `@widget` for a bookmark, `mirroring`,
  /// `archive`.
  public let name: String
  /// What it says.
  public let verdict: Verdict
  /// Why, for people.
  public let reason: String

  /// A guard.
  package init(name: String, verdict: Verdict, reason: String) {
    self.name = name
    self.verdict = verdict
    self.reason = reason
  }

  /// The cut that the guard allows at most; nil where it allows none.
  package var cut: HistoryCut? {
    switch verdict {
    case .holds(let number): HistoryCut(before: number)
    case .refuses: nil
    }
  }
}

extension RetentionGuard {
  /// The name that stands for the guards of all bookmarks.
  package static let bookmarksName = "bookmarks"
  /// The name of the guard of CloudKit's mirror.
  package static let mirroringName = "mirroring"
  /// The name of the guard of an archive.
  package static let archiveName = "archive"
  /// The name of the guard against damage that shows without a full read; see ``EvidentDamage``.
  package static let damageName = "damage"
  /// The name of the guard of the newest transaction, which only ``RetentionRule/all`` overrules.
  package static let newestName = "newest"

  /// Whether a text can be the name of a guard that can be ignored.
  package static func isName(_ text: String) -> Bool {
    [bookmarksName, mirroringName, archiveName, damageName].contains(text)
      || text.hasPrefix("@") && Bookmark.isName(String(text.dropFirst()))
  }
}
