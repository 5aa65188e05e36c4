import PersistentHistory
import StoreFormat
import Terminal

/// Commands to try on a sample store, with its tokens and objects.
struct DemoTour {
  /// One command.
  struct Step {
    /// Its purpose.
    let reason: String
    /// The command line for a POSIX shell.
    let command: String
    /// Its exit status.
    let status: ExitStatus
  }

  /// A token that works, some saves before the newest.
  let validToken: String?
  /// A token whose transaction has been deleted.
  let expiredToken: String?
  private(set) var steps: [Step] = []

  private let program: String

  /// Chooses commands for what the store contains.
  ///
  /// - Parameters:
  ///   - path: The store's path in commands.
  ///   - program: The name by which the program was called.
  init(snapshot: StoreSnapshot, path: String, program: String, tokens: TokenText) throws {
    self.program = program
    validToken = try snapshot.newestTransaction(offset: 20).map { tokens.text($0.number) }
    expiredToken = try snapshot.oldestTransaction().flatMap { oldest in
      oldest.number > 1 ? tokens.text(oldest.number / 2) : nil
    }
    // A path that begins with a dash would be an option.
    let store = path.hasPrefix("-") ? "./" + path : path
    add("Describe the store", ["info", store])
    add("List the newest saves", ["log", store, "-n", "10"])
    try addSaves(snapshot, store, tokens)
    addTokens(store)
    add("List them as JSON, one transaction a line", ["log", store, "-n", "3", "--json"])
  }

  private mutating func addSaves(
    _ snapshot: StoreSnapshot, _ store: String, _ tokens: TokenText
  ) throws {
    let ofWidget = HistoryQuery(author: .init(anyOf: ["widget"]))
    if let transaction = try Self.newest(snapshot, ofWidget) {
      add(
        "Show a save of the widget",
        ["show", store, tokens.text(transaction.number)])
    }
    let deletion = ChangeCondition(kinds: [.delete], entities: ["Trip"])
    guard let transaction = try Self.newest(snapshot, HistoryQuery(change: deletion)) else {
      return
    }
    add(
      "Show the deletion of a trip, with its tombstone",
      ["show", store, tokens.text(transaction.number)])
    if let key = transaction.changes.first(where: deletion.matches)?.primaryKey {
      add(
        "Show the history of that trip", ["object", store, "Trip/p\(key)"])
    }
  }

  private mutating func addTokens(_ store: String) {
    if let validToken {
      add("Check a token that works", ["token", "check", store, validToken])
      add(
        "List what others than the app saved after it",
        ["log", store, "--after", validToken, "--not-author", "app", "--reverse"])
    }
    if let expiredToken {
      add(
        "Check an expired token; ends with 1", ["token", "check", store, expiredToken],
        .answerIsNo)
      add(
        "Ask for the history after it; ends with 4",
        ["log", store, "--after", expiredToken], .historyGap)
    }
  }

  private mutating func add(
    _ reason: String, _ words: [String], _ status: ExitStatus = .success
  ) {
    let command = ([program] + words).map(ShellWord.quoted).joined(separator: " ")
    steps.append(Step(reason: reason, command: command, status: status))
  }

  private static func newest(
    _ snapshot: StoreSnapshot, _ query: HistoryQuery
  ) throws -> HistoryTransaction? {
    var query = query
    query.order = .descending
    query.limit = 1
    return try HistoryReader(snapshot: snapshot, query: query).next()
  }
}
