import StoreFormat

/// Finds the values of changes in the states of a store before and after the commit that holds their
/// transaction.
///
/// Of a commit with several changes of one object, the first has the old values, and the last the new ones. A
/// commit whose states are not both known, or that belongs to an earlier version of the store's tables, has
/// no values.
final class LogValues {
  /// The maximum number of changes of one commit; of more, it would take too much memory to find the objects that
  /// were changed several times.
  private static let maxChanges = 1 << 20
  /// The maximum size of the values of one change in bytes; longer ones are left out.
  private static let maxBytes = 16 << 20
  /// The maximum size of a value in a file of its own in bytes; a longer one is left out.
  private static let maxFileBytes: Int64 = 16 << 20

  /// A commit that saved transactions.
  private struct Commit {
    /// The state after it.
    let state: Int
    /// The number of the newest transaction before it.
    let floor: Int64
    /// The objects with several changes, and the first and the last of these.
    let repeated: [Object: ClosedRange<Int64>]
  }

  /// An object by the root of its entity, for all entities of a hierarchy share their keys.
  private struct Object: Hashable {
    let entityNumber: Int64
    let primaryKey: Int64
  }

  private let states: LogStates
  private let properties: PropertyColumns
  private let largeValues: LargeValueFolder
  /// Two connections, so that a change needs no move from one state to another.
  private var connections: [LogState] = []
  /// The newest transaction of each state; `nil` if it is not known.
  private var newest: [Int: Int64?] = [:]
  /// Whether states with a version of the schema have the tables of today.
  private var fits: [Int64: Bool] = [:]
  /// The last commit that was looked at; `nil` inside if it is not known.
  private var lastCommit: (state: Int, commit: Commit?)?
  private var position: TransactionPosition?
  /// The commit of the current transaction, when it has been found; `nil` inside if it is not known.
  private var current: Commit??
  private lazy var floor = findFloor()

  /// Prepares to read; returns `nil` if the log holds no states, or the store no model.
  init?(_ snapshot: StoreSnapshot) throws {
    guard snapshot.layout.history != nil, let states = try? snapshot.logStates() else { return nil }
    do {
      properties = PropertyColumns(try snapshot.objectSchema())
    } catch is StoreError {
      return nil
    }
    self.states = states
    largeValues = LargeValueFolder(snapshot.location)
  }

  func start(_ position: TransactionPosition) {
    self.position = position
    current = nil
  }

  /// Returns the values of a change of the current transaction, sorted by name.
  ///
  /// - Parameter attributes: The properties that an update touched.
  func values(
    ofChange number: Int64, _ kind: ChangeKind, entityNumber: Int64, primaryKey: Int64,
    attributes: [String]?
  ) throws -> [RecordedValue] {
    guard let position, let floor, position.number > floor else { return [] }
    let known = try current ?? commit(of: position)
    current = .some(known)
    guard let commit = known else { return [] }
    let schema = properties.schema
    guard let name = schema.numbering.name(of: entityNumber), let table = schema.tables.table(of: name),
      let lineage = schema.model.lineage(of: name)
    else { return [] }
    let owners = Set(lineage.map(\.name))
    let touched = kind == .update ? Set(attributes ?? []) : nil
    let columns = properties.columns(of: table).values.filter { column in
      owners.contains(column.entityName)
        && (touched?.contains(RecordedValue.property(of: column.path)) ?? true)
        && column.names.allSatisfy { schema.presentColumns[table.name]?[$0] != nil }
    }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    guard !columns.isEmpty else { return [] }
    let root = schema.numbering.root(of: entityNumber) ?? entityNumber
    let span = commit.repeated[Object(entityNumber: root, primaryKey: primaryKey)]
    let unknown: [RecordedContent?] = columns.map { _ in nil }
    func side(_ state: Int) throws -> [RecordedContent?] {
      try contents(columns, table.name, entityNumber, primaryKey, in: state) ?? unknown
    }
    let old =
      kind != .insert && span.map { $0.lowerBound == number } ?? true
      ? try side(commit.state - 1) : unknown
    let new =
      kind != .delete && span.map { $0.upperBound == number } ?? true
      ? try side(commit.state) : unknown
    var values: [RecordedValue] = []
    for (column, (old, new)) in zip(columns, zip(old, new)) where old != nil || new != nil {
      values.append(RecordedValue(name: column.path, kind: column.kind, old: old, new: new))
    }
    return values
  }

  /// Reads columns of a row; returns `nil` if the state has no such row, or it is not known.
  private func contents(
    _ columns: [PropertyColumns.Column], _ table: String, _ entityNumber: Int64,
    _ primaryKey: Int64, in state: Int
  ) throws -> [RecordedContent?]? {
    let list = columns.flatMap(\.names).map(quoted).joined(separator: ", ")
    let rows = try read(state) {
      try $0.rows(
        "SELECT Z_ENT, \(list) FROM \(quoted(table)) WHERE Z_PK = ?1", [.integer(primaryKey)])
    }
    // A row of another entity is that of another object.
    guard let row = rows?.first, row.first == .integer(entityNumber) else { return nil }
    var values = row.dropFirst()
    var byteCount = 0
    return columns.map { column in
      let own = Array(values.prefix(column.names.count))
      values = values.dropFirst(column.names.count)
      let content = properties.content(column, own, file: file)
      byteCount += content?.byteCount ?? 0
      return byteCount > Self.maxBytes ? nil : content
    }
  }

  private func file(_ name: LargeValueName) -> [UInt8]? {
    guard let folder = try? largeValues.open() else { return nil }
    defer { try? folder.close() }
    guard let status = try? largeValues.look(at: name, in: folder), status.size <= Self.maxFileBytes
    else { return nil }
    return try? largeValues.read(name, in: folder)
  }

  // MARK: - Commits

  /// The transactions whose values the log holds; `nil` if it has none.
  fileprivate var extent: LogValueExtent? {
    guard let floor, let last = newestTransaction(in: states.count - 1), floor < last else {
      return floor == nil
        ? LogValueExtent(problem: "a checkpoint has overwritten what was before it") : nil
    }
    let state = states.firstWholeState
    let whole = state < states.count ? newestTransaction(in: state) ?? last : last
    return LogValueExtent(
      first: floor + 1, last: last,
      problem: whole > floor
        ? "up to \(whole) in part, because a checkpoint has overwritten what was before it" : nil)
  }

  /// The newest transaction of the first state that is known; `nil` if none is. Transactions up to it were
  /// saved before.
  private func findFloor() -> Int64? {
    for state in 0..<states.count {
      if let number = newestTransaction(in: state) { return number }
    }
    return nil
  }

  /// Returns the commit that saved a transaction; `nil` if it is not known.
  private func commit(of position: TransactionPosition) throws -> Commit? {
    // The newest number never falls, as long as states are known.
    let state = (1..<states.count).partitioningIndex {
      newestTransaction(in: $0).map { $0 >= position.number } ?? false
    }
    guard state < states.count else { return nil }
    if lastCommit?.state != state { lastCommit = (state, try makeCommit(state)) }
    guard let commit = lastCommit?.commit, position.number > commit.floor,
      try has(position, state) == true, try has(position, state - 1) == false
    else { return nil }
    return commit
  }

  private func makeCommit(_ state: Int) throws -> Commit? {
    guard let floor = newestTransaction(in: state - 1), try hasTables(state - 1),
      try hasTables(state)
    else { return nil }
    let last = try read(state - 1) {
      try $0.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    }
    guard let last else { return nil }
    let numbering = properties.schema.numbering
    let repeated = try read(state) { statement -> [Object: ClosedRange<Int64>]? in
      var seen: [Object: Int64] = [:]
      var repeated: [Object: ClosedRange<Int64>] = [:]
      let cursor = try statement.cursor(
        "SELECT Z_PK, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK > ?1 ORDER BY Z_PK")
      defer { cursor.reset() }
      try cursor.bind(last)
      while try cursor.step() {
        guard let number = cursor.integerIfAny(at: 0), let entity = cursor.integerIfAny(at: 1),
          let primaryKey = cursor.integerIfAny(at: 2)
        else { return nil }
        let object = Object(
          entityNumber: numbering.root(of: entity) ?? entity, primaryKey: primaryKey)
        if let first = seen[object] {
          repeated[object] = (repeated[object]?.lowerBound ?? first)...number
        } else {
          seen[object] = number
        }
        guard seen.count <= Self.maxChanges else { return nil }
      }
      return repeated
    }
    guard case .some(.some(let repeated)) = repeated else { return nil }
    return Commit(state: state, floor: floor, repeated: repeated)
  }

  private func newestTransaction(in state: Int) -> Int64? {
    if let known = newest[state] { return known }
    let number = try? read(state) {
      try $0.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
    }
    newest[state] = .some(number)
    return number
  }

  /// Returns whether a state has a transaction; `nil` if it is not known, or another has its number.
  private func has(_ position: TransactionPosition, _ state: Int) throws -> Bool? {
    let rows = try read(state) {
      try $0.rows("SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(position.number)])
    }
    guard let rows else { return nil }
    guard let value = rows.first?.first else { return false }
    let timestamp: StoreTimestamp? =
      if case .real(let seconds) = value { StoreTimestamp(secondsSinceReferenceDate: seconds) } else { nil }
    return timestamp == position.timestamp ? true : nil
  }

  /// Whether a state has the tables and the entities of today.
  private func hasTables(_ state: Int) throws -> Bool {
    let schema = properties.schema
    guard let version = try read(state, { try $0.integer("PRAGMA schema_version") ?? 0 }) else {
      return false
    }
    if let known = fits[version] { return known }
    let other = try connection(to: state)?.schema(path: schema.path)
    let isSame = other.map { $0.hasSameTables(as: schema) } ?? false
    fits[version] = isSame
    return isSame
  }

  /// Reads a state; returns `nil` if it is not known.
  private func read<Result>(
    _ state: Int, _ body: (StatementRunner) throws -> Result
  ) throws -> Result? {
    try connection(to: state)?.read(body)
  }

  private func connection(to state: Int) throws -> LogState? {
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
    do {
      _ = try logStates()
    } catch {
      guard let problem = error.message else { return nil }
      return LogValueExtent(problem: problem)
    }
    guard let values = try LogValues(self) else {
      return LogValueExtent(problem: "the store has no model that can be read")
    }
    return values.extent
  }
}

extension LogStates.Problem {
  /// The problem in words; `nil` for a log without states.
  fileprivate var message: String? {
    switch self {
    case .empty: nil
    case .changing: "another program was saving"
    case .unusable: "it is damaged, or has more than a million frames"
    case .settings: "this program's SQLite was set up in another way"
    }
  }
}
