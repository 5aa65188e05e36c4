import PersistentHistory

/// One line of the exchange format.
public enum HistoryLine: Hashable, Sendable {
  /// The record of one save.
  case transaction(HistoryTransaction)
  /// A place where requested history is missing.
  case gap(HistoryGap)

  /// The schema that lines written by this code follow.
  public static let schema: Int64 = 1
}

/// Why a text is not a line of history, or a line cannot be turned into rows.
public enum LineError: Error, Hashable, Sendable {
  /// The text is not JSON.
  case malformed(JSONError)
  /// A key is missing, or its value violates the format.
  case unexpected(key: String, expectation: String)
  /// The line follows a schema that this code does not know.
  case unknownSchema(Int64)
  /// The line is a record of a type that this code does not know.
  case unknownType(String)
  /// The line omits changes, so the transaction cannot be restored from it.
  case partial(transaction: Int64)
  /// A deleted object's attributes cannot be put in order without the entity's model.
  case unknownEntity(name: String)
  /// One change, or the part of the line before its changes, exceeds the limit of a reader.
  case tooLarge(limit: Int)

  /// What is wrong.
  public var message: String {
    switch self {
    case .malformed(let error): "the line is not JSON: \(error)"
    case .unexpected(let key, let expectation): "in the line, \(key) is not \(expectation)"
    case .unknownSchema(0): "the line has no schema, so it is not a line of history"
    case .unknownSchema(let number): "the line follows schema \(number), expected 1"
    case .unknownType("change"): "the line is that of a single change"
    case .unknownType(let type): "the line is a record of the unknown type '\(type)'"
    case .partial(let transaction):
      "the line of transaction \(transaction) is partial: changes or fields were left out"
    case .unknownEntity(let name):
      "the tombstone of an object of '\(name)' cannot be read without that entity's model"
    case .tooLarge(let limit):
      "a value in the line is too large: one change takes more than \(limit >> 20) MiB (limit \(limit >> 20) MiB)"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .malformed:
      "give the line as it was exported; a line that was cut short must be exported again"
    case .unexpected:
      "give the line as it was exported; the published JSON Schema says what it may hold"
    case .unknownSchema(0), .unknownType("change"):
      "only lines of whole transactions are read back; export them as those"
    case .unknownSchema, .unknownType: "read it with a version that knows it"
    case .partial: "export it again with all its changes and all their fields"
    case .tooLarge: "export the history without that transaction"
    case .unknownEntity: "give the model of the store that the line came from"
    }
  }
}

extension LineError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}
