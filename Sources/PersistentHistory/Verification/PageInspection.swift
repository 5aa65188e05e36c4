import StoreFormat
import Synchronization

/// Has SQLite check the pages of tables, on as many threads as there are.
final class PageInspection: Sendable {
  private struct State {
    var next = 0
    var results: [Int: Result<[String], any Error>] = [:]
  }

  private let tables: [String?]
  private let state = Mutex(State())

  /// - Parameter tables: The tables, of which nil is the whole file.
  init(tables: [String?]) { self.tables = tables }

  /// Checks one table after the other until none is left.
  func inspect(_ snapshot: StoreSnapshot) {
    while let index = takeNext() {
      let result = Result { try Self.problems(in: tables[index], of: snapshot) }
      state.withLock { $0.results[index] = result }
    }
  }

  private func takeNext() -> Int? {
    state.withLock { state in
      guard state.next < tables.count else { return nil }
      state.next += 1
      return state.next - 1
    }
  }

  private static func problems(
    in table: String?, of snapshot: StoreSnapshot
  ) throws -> [String] {
    var problems: [String] = []
    let damage = try snapshot.damage { problems = try snapshot.pageProblems(inTable: table) }
    if let damage { problems.append(damage.detail) }
    return problems
  }

  /// What was found, in the order of the tables.
  func findings(limit: Int) throws -> FindingLog<StoreFindingKind> {
    var findings = FindingLog<StoreFindingKind>(limit: limit)
    let results = state.withLock { $0.results }
    for (index, table) in tables.enumerated() {
      for problem in try results[index]?.get() ?? [] {
        findings.add(.damagedPages, at: table.map(FindingPlace.table) ?? .store, problem)
      }
    }
    return findings
  }
}
