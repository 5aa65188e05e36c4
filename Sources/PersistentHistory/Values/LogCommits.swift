import StoreFormat

/// The commits of a store's log that saved transactions, and the states before and after them.
final class LogCommits {
  /// The maximum number of states whose newest transaction is kept.
  private static let maxKept = 1 << 16

  let states: LogStates
  /// The first state that is looked at.
  private let firstState: Int
  /// Two connections, so that reading the states around a change needs no move between them.
  private var connections: [LogState] = []
  /// The newest transaction of each state; `nil` if it is not known.
  private var newest: [Int: Int64?] = [:]
  /// The newest transaction of the first state that is known; `nil` if none is. Transactions up to it were saved
  /// before.
  private(set) lazy var floor: Int64? = {
    // A state is known as soon as the log has all of its pages that a checkpoint has overwritten.
    let first = (firstState..<states.count).partitioningIndex { newestTransaction(in: $0) != nil }
    return first < states.count ? newestTransaction(in: first) : nil
  }()

  /// - Parameter earlier: The frames of an earlier snapshot; commits up to their end are skipped.
  init(_ states: LogStates, after earlier: LogFrames? = nil) {
    self.states = states
    firstState = earlier.flatMap(states.frames.lastState) ?? 0
  }

  /// The commits of a snapshot's log, or why they are not known.
  private final class Found {
    let commits: LogCommits?
    let frames: LogFrames?
    let problem: LogStates.Problem?

    init(_ snapshot: StoreSnapshot, after earlier: LogFrames? = nil) throws {
      guard snapshot.layout.history != nil else {
        (commits, frames, problem) = (nil, nil, nil)
        return
      }
      var found: LogCommits?
      var problem: LogStates.Problem?
      do throws(LogStates.Problem) {
        found = LogCommits(try snapshot.logStates(continuing: earlier), after: earlier)
      } catch {
        problem = error
      }
      let newest = try snapshot.newestTransaction()?.number ?? 0
      commits = found?.floor.map { $0 < newest } ?? false ? found : nil
      frames = found?.states.frames
      self.problem = problem
    }
  }

  /// Returns the commits of a snapshot's log; `nil` if it holds no transactions.
  static func saving(_ snapshot: StoreSnapshot) throws -> LogCommits? {
    try snapshot.keeping { try Found(snapshot) }.commits
  }

  /// Lists the commits of a snapshot's log after those of an earlier snapshot, from which all readers of the
  /// snapshot then take values.
  ///
  /// - Returns: The frames of the log, and why its states are not known.
  static func continuing(
    _ earlier: LogFrames?, in snapshot: StoreSnapshot
  ) throws -> (frames: LogFrames?, problem: LogStates.Problem?) {
    let found = try snapshot.keeping { try Found(snapshot, after: earlier) }
    return (found.frames, found.problem)
  }

  /// Returns the state after the commit that saved a transaction; `nil` if it is not known.
  func state(after position: TransactionPosition) throws -> Int? {
    guard let floor, position.number > floor else { return nil }
    // The newest number never falls, as long as states are known.
    let state = (firstState + 1..<states.count).partitioningIndex {
      newestTransaction(in: $0).map { $0 >= position.number } ?? false
    }
    guard state < states.count, let before = newestTransaction(in: state - 1),
      position.number > before, try has(position, state) == true,
      try has(position, state - 1) == false
    else { return nil }
    return state
  }

  /// Returns the number of the newest transaction in a state, 0 if it has none; `nil` if it is not known.
  func newestTransaction(in state: Int) -> Int64? {
    if let known = newest[state] { return known }
    let number = try? read(state) {
      try $0.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
    }
    if newest.count >= Self.maxKept { newest.removeAll() }
    newest[state] = .some(number)
    return number
  }

  /// Returns whether a state has a transaction; `nil` if it is not known, or another has its number.
  private func has(_ position: TransactionPosition, _ state: Int) throws -> Bool? {
    let rows = try read(state) {
      try $0.rows(
        "SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(position.number)])
    }
    guard let rows else { return nil }
    guard let value = rows.first?.first else { return false }
    return StoreTimestamp(stored: value) == position.timestamp ? true : nil
  }

  /// Reads a state; returns `nil` if it is not known.
  func read<Result>(
    _ state: Int, _ body: (StatementRunner) throws -> Result
  ) throws -> Result? {
    try connection(to: state)?.read(body)
  }

  /// Returns a connection to a state; the one before stays where it is.
  func connection(to state: Int) throws -> LogState? {
    if let index = connections.firstIndex(where: { $0.number == state }) {
      if index > 0 { connections.swapAt(0, index) }
    } else if connections.count < 2 {
      guard let connection = try? LogState(states, at: state) else { return nil }
      connections.insert(connection, at: 0)
    } else {
      // The one that was used before the last.
      connections.swapAt(0, 1)
      connections[0].move(to: state)
    }
    return connections[0]
  }
}

/// The transactions whose values the log of a store holds.
package struct LogValueExtent: Hashable, Sendable {
  /// The first of them; `nil` if none is known.
  package var first: Int64?
  /// The last of them.
  package var last: Int64?
  /// Why not all of their values are known; `nil` if they are.
  package var problem: String?
}

extension StoreSnapshot {
  /// Returns the transactions whose values the log holds; `nil` if it holds no transactions.
  package func logValueExtent() throws -> LogValueExtent? {
    guard layout.history != nil else { return nil }
    let commits: LogCommits
    do {
      commits = LogCommits(try logStates())
      _ = try objectSchema()
    } catch let error as LogStates.Problem {
      return error.message.map { LogValueExtent(problem: $0) }
    } catch is StoreError {
      return LogValueExtent(problem: "the store has no model that can be read")
    }
    let states = commits.states
    guard let floor = commits.floor else { return LogValueExtent(problem: Self.overwritten) }
    guard let last = commits.newestTransaction(in: states.count - 1), floor < last else {
      return nil
    }
    let state = states.firstWholeState
    let whole = state < states.count ? commits.newestTransaction(in: state) ?? last : last
    return LogValueExtent(
      first: floor + 1, last: last,
      problem: whole > floor ? "up to \(whole) in part: \(Self.overwritten)" : nil)
  }

  private static let overwritten = "a checkpoint has overwritten what was before"
}

extension LogStates.Problem {
  /// The problem in words; `nil` for a log without states.
  var message: String? {
    switch self {
    case .empty: nil
    case .changing: "another program was saving"
    case .unusable: "it is damaged, or has more than a million frames"
    case .settings: "this program's SQLite was set up in another way"
    }
  }
}
