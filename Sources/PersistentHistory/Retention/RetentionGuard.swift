import StoreFormat

/// Something that still needs a part of the history, whatever the rules say.
public struct RetentionGuard: Hashable, Sendable {
  /// What a guard demands.
  public enum Verdict: Hashable, Sendable {
    /// This transaction and all after it must stay.
    case holds(from: Int64)
    /// Nothing may be deleted, because it is unknown what is still needed.
    case refuses
  }

  /// The name by which the guard can be ignored: `@widget` for a bookmark, `mirroring`, `archive`.
  public let name: String
  /// What the guard demands.
  public let verdict: Verdict
  /// The reason, in words for people.
  public let reason: String

  package init(name: String, verdict: Verdict, reason: String) {
    self.name = name
    self.verdict = verdict
    self.reason = reason
  }

  /// The highest cut that the guard allows; `nil` if it allows none.
  package var cut: HistoryCut? {
    switch verdict {
    case .holds(let number): HistoryCut(before: number)
    case .refuses: nil
    }
  }

  /// The name for the guards of all bookmarks.
  package static let bookmarksName = "bookmarks"
  /// The name of the guard of CloudKit's mirror.
  package static let mirroringName = "mirroring"
  /// The name of the guard of an archive.
  package static let archiveName = "archive"
  /// The name of the guard against damage that is found without a full read; see ``EvidentDamage``.
  package static let damageName = "damage"
  /// The name of the guard of the newest transaction, which only ``RetentionRule/all`` overrules.
  static let newestName = "newest"

  /// Whether a text can be the name of a guard that can be ignored.
  package static func isName(_ text: String) -> Bool {
    [bookmarksName, mirroringName, archiveName, damageName].contains(text)
      || text.hasPrefix("@") && Bookmark.isName(String(text.dropFirst()))
  }

  /// Returns the guard of a store that is mirrored to CloudKit; `nil` for any other store.
  ///
  /// The mirror reads the history to find out what to upload. If history is deleted before the mirror has
  /// read it, the mirror starts over with all objects. If it is unknown how far it has read, nothing may
  /// be deleted.
  static func mirroring(_ snapshot: StoreSnapshot) throws -> RetentionGuard? {
    guard let first = snapshot.layout.mirroringTables.first else { return nil }
    switch try MirroringState(snapshot: snapshot)?.need {
    case .from(let number):
      let oldest = try snapshot.oldestTransaction()?.number ?? number
      return RetentionGuard(
        name: mirroringName, verdict: .holds(from: max(number, oldest)),
        reason: "the store is mirrored to CloudKit, and the mirror still needs what comes after "
          + "transaction \(number)")
    case .unknown(let reason):
      return RetentionGuard(
        name: mirroringName, verdict: .refuses,
        reason:
          "the store is mirrored to CloudKit, and it is not known how far the mirror has read: "
          + reason)
    case nil:
      return RetentionGuard(
        name: mirroringName, verdict: .refuses,
        reason:
          "the store is mirrored to CloudKit (it has the table \(first)), and it is not known "
          + "how far the mirror has read")
    }
  }
}
