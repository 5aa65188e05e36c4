import ArgumentParser
import PersistentHistory

/// The name of a guard that pruning is to ignore.
enum GuardArgument {
  /// Gives a name back, and refuses what is none.
  static func name(parsing text: String) throws(ValidationError) -> String {
    guard RetentionGuard.isName(text) else {
      throw ValidationError(
        "no guard is named '\(text)'; the guards are mirroring, archive, bookmarks, and one "
          + "bookmark as @name")
    }
    return text
  }
}
