import PersistentHistory
import StoreFormat
import Terminal

/// Commands to try on a sample store, with tokens and objects that it has.
struct DemoTour {
  /// One command.
  struct Step {
    /// What it is for.
    let reason: String
    /// The command line for a POSIX shell.
    let command: String
    /// The status that it ends with.
    let status: ExitStatus
  }

  /// A token that works, some saves before the newest.
  let validToken: String?
  /// A token whose transaction has been deleted.
  let expiredToken: String?
  private(set) var steps: [Step] = []

  private let program: String

  /// Looks for what a sample store has; what it lacks is left out.
  ///
  /// - Parameters:
  ///   - path: The store's path as commands are to name it.
  ///   - program: How the program was called.
  init(snapshot: StoreSnapshot, path: String, program: String, tokens: TokenText) throws {
    self.program = program
    validToken = try snapshot.newestTransaction(offset: 20).map { tokens.text($0.number) }
    expiredToken = try snapshot.oldestTransaction().flatMap { oldest in
      oldest.number > 1 ? tokens.text(oldest.number / 2) : nil
    }
    // A path that begins with a dash would be taken for an option.
    let store = path.hasPrefix("-") ? "./" + path : path
    add("What the file is, and who has written to it", ["info", store])
    add("The newest saves: when, who, what", ["log", store, "-n", "10"])
    try addSaves(snapshot, store, tokens)
    addTokens(store)
    add("The same for programs, a transaction a line", ["log", store, "-n", "3", "--json"])
  }

  private mutating func addSaves(
    _ snapshot: StoreSnapshot, _ store: String, _ tokens: TokenText
  ) throws {
    let ofWidget = HistoryQuery(author: .init(anyOf: ["widget"]))
    if let transaction = try Self.newest(snapshot, ofWidget) {
      add(
        "One save of the widget, with what it touched",
        ["show", store, tokens.text(transaction.number)])
    }
    let deletion = ChangeCondition(kinds: [.delete], entities: ["Trip"])
    guard let transaction = try Self.newest(snapshot, HistoryQuery(change: deletion)) else {
      return
    }
    add(
      "A deleted trip, what went with it, and what was kept of it",
      ["show", store, tokens.text(transaction.number)])
    if let key = transaction.changes.first(where: deletion.matches)?.primaryKey {
      add(
        "That trip's life, from its insertion on", ["object", store, "Trip/p\(key)"])
    }
  }

  private mutating func addTokens(_ store: String) {
    if let validToken {
      add("A token that works", ["token", "check", store, validToken])
      add(
        "What others than the app saved after it",
        ["log", store, "--after", validToken, "--not-author", "app", "--reverse"])
    }
    if let expiredToken {
      add(
        "A token that has expired; ends with 1", ["token", "check", store, expiredToken],
        .answerIsNo)
      add(
        "History after it, which is refused and not given in part; ends with 4",
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
