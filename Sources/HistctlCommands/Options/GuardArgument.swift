import ArgumentParser
import PersistentHistory

/// The name of a guard that pruning is to ignore.
enum GuardArgument {
  /// Gives a name back, and refuses what is none.
  static func name(parsing text: String) throws(ValidationError) -> String {
    guard RetentionGuard.isName(text) else {
      throw ValidationError(
        "no guard is named '\(text)'; the guards are mirroring, archive, bookmarks, damage, and one "
          + "bookmark as @name")
    }
    return text
  }

  /// Gives a name back that is one of a few.
  static func name(
    parsing text: String, among names: [String], of command: String
  ) throws(ValidationError) -> String {
    guard names.contains(text) else {
      let list = names.joined(separator: " and ")
      throw ValidationError(
        "no guard of \(command) is named '\(text)'; "
          + (names.count > 1 ? "the guards are \(list)" : "the guard is \(list)"))
    }
    return text
  }
}
