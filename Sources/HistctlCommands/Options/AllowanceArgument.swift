import ArgumentParser
import PersistentHistory

/// How far behind a bookmark may be, on the command line: 30d or 100000.
struct AllowanceArgument: Equatable {
  let allowance: BookmarkAllowance

  /// Reads a number of transactions, or a duration with its unit.
  init(parsing text: String) throws(ValidationError) {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let count = Int64(text), count > 0 else {
        throw ValidationError("it is not 1 or more; write a number of transactions, or a time: 30d")
      }
      allowance = .transactions(count)
    } else {
      allowance = .duration(try DurationArgument(parsing: text).duration)
    }
  }
}
