import ArgumentParser

/// A number of transactions on the command line.
struct TransactionCount: Equatable {
  /// 1 or more.
  let count: Int64

  /// Reads a number without a unit.
  init(parsing text: String) throws(ValidationError) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw ValidationError(
        "it is not a number of transactions; write one, such as 1000, or for a time --keep-within 30d"
      )
    }
    guard let number = Int64(text) else {
      throw ValidationError("it is larger than any number of transactions")
    }
    guard number > 0 else {
      throw ValidationError(
        "it would keep nothing; write 1 to keep the newest transaction, or --all to delete all")
    }
    count = number
  }
}
