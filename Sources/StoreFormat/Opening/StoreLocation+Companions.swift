import DurableFiles
import SystemPackage

extension StoreLocation {
  /// What the files are named by that belong to a store, behind its own name.
  package static let companions = [
    "-values.db-wal", "-values.db-shm", "-values.db-journal", "-values.db", "-wal", "-shm",
    "-journal", "-bookmarks.json", "-bookmarks.json.lock", "-unfinished-save",
  ]

  /// Whether a file of this name stands beside a store and is none: what belongs to one, and what is
  /// being written or was left in the middle of it.
  package static func isCompanion(_ name: String) -> Bool {
    companions.contains(where: name.hasSuffix) || AbandonedDrafts.isDraft(name)
      || name.contains("-bookmarks.json.") && name.hasSuffix(".lock")
  }

  /// Whether a path leads to the store itself, to a file that belongs to it or into its folder of
  /// large values, or would, were there a file.
  ///
  /// What is written there would take the place of somebody's only copy of their data.
  package func owns(_ path: String) -> Bool {
    let place = FileStatus.resolvedPlace(path)
    let own = [""] + Self.companions
    if own.contains(where: { resolvedPath + $0 == place }) { return true }
    if place.hasPrefix(ExternalData(besideStoreAt: resolvedPath).path + "/") { return true }
    // Another name of the same file.
    guard let there = try? FileStatus(path: place) else { return false }
    return own.contains { companion in
      let file = try? FileStatus(path: resolvedPath + companion)
      return file?.inode == there.inode && file?.device == there.device
    }
  }

  /// Why a file is not a store; of one that belongs to a store, that.
  static func notAStore(_ path: String, _ reason: NotAStoreReason) -> StoreError {
    .notAStore(
      path: path, reason: owner(ofCompanion: path).map { .companion(of: $0) } ?? reason)
  }

  /// The store that a file belongs to by its name; nil where there is none.
  private static func owner(ofCompanion path: String) -> String? {
    for companion in companions where path.hasSuffix(companion) {
      let owner = String(path.dropLast(companion.count))
      if case .file? = (try? FileStatus(path: owner))?.kind { return owner }
    }
    return nil
  }
}
