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
  private static let maxChanges = 1 << 18
  /// The maximum size of the values of one change in bytes; longer ones are left out.
  private static let maxBytes = 16 << 20

  /// A commit that saved transactions.
  private struct Commit {
    /// The state after it.
    let state: Int
    /// The objects with several changes, and the first and the last of these.
    let repeated: [Object: ClosedRange<Int64>]
  }

  /// An object by the root of its entity, for all entities of a hierarchy share their keys.
  private struct Object: Hashable {
    let entityNumber: Int64
    let primaryKey: Int64
  }

  /// Identifies the columns that changes of one kind set.
  private struct ColumnKey: Hashable {
    let entityNumber: Int64
    /// The properties of an update; `nil` for all.
    let attributes: [String]?
  }

  /// The maximum number of lists of columns that are kept.
  private static let maxColumnLists = 1024

  private let commits: LogCommits
  private let schema: ObjectSchema
  private let largeValues: LargeValueFolder
  private var selections: [ColumnKey: ObjectSelection?] = [:]
  /// Whether states with a version of the schema have the present tables.
  private var fits: [Int64: Bool] = [:]
  /// The last commit that was looked at; `nil` inside if it is not known.
  private var lastCommit: (state: Int, commit: Commit?)?
  private var position: TransactionPosition?
  /// The commit of the current transaction, when it has been found; `nil` inside if it is not known.
  private var current: Commit??
  /// Whether all values that were asked for of the current transaction are known.
  private(set) var isComplete = false

  /// Prepares to read; returns `nil` if the log holds no transactions, or the store no model.
  init?(_ snapshot: StoreSnapshot) throws {
    guard let commits = try LogCommits.saving(snapshot) else { return nil }
    do {
      schema = try snapshot.objectSchema()
    } catch is StoreError {
      return nil
    }
    self.commits = commits
    largeValues = LargeValueFolder(snapshot.location)
  }

  func start(_ position: TransactionPosition) {
    self.position = mayHave(position.number) ? position : nil
    current = nil
    isComplete = self.position != nil
  }

  /// Whether the current transaction may be in the log.
  var isInLog: Bool { position != nil }

  /// The first transaction that may be in the log.
  var firstTransaction: Int64? { commits.floor.map { $0 + 1 } }

  /// Whether a transaction of this number may be in the log.
  func mayHave(_ number: Int64) -> Bool { commits.floor.map { number > $0 } ?? false }

  /// Returns the values of a change of the current transaction, sorted by name.
  ///
  /// - Parameter attributes: The properties that an update touched.
  func values(
    ofChange number: Int64, _ kind: ChangeKind, entityNumber: Int64, primaryKey: Int64,
    attributes: [String]?
  ) throws -> [RecordedValue] {
    guard let position else { return [] }
    let known = try current ?? commit(of: position)
    current = .some(known)
    guard let commit = known else {
      isComplete = false
      return []
    }
    let key = ColumnKey(
      entityNumber: entityNumber, attributes: kind == .update ? attributes ?? [] : nil)
    let selection = selections[key] ?? findSelection(key)
    // Without the names of what an update touched, or a table, nothing is known.
    if selection == nil || kind == .update && attributes == nil { isComplete = false }
    guard let selection, !selection.properties.isEmpty else { return [] }
    let properties = selection.properties
    let root = schema.numbering.root(of: entityNumber) ?? entityNumber
    let span = commit.repeated[Object(entityNumber: root, primaryKey: primaryKey)]
    let unknown: [RecordedContent?] = properties.map { _ in nil }
    func side(_ state: Int) throws -> [RecordedContent?] {
      try contents(selection, entityNumber, primaryKey, in: state) ?? unknown
    }
    let old =
      kind != .insert && span.map { $0.lowerBound == number } ?? true
      ? try side(commit.state - 1) : unknown
    let new =
      kind != .delete && span.map { $0.upperBound == number } ?? true
      ? try side(commit.state) : unknown
    var values: [RecordedValue] = []
    for (property, (old, new)) in zip(properties, zip(old, new)) where old != nil || new != nil {
      values.append(RecordedValue(name: property.path, kind: property.kind, old: old, new: new))
    }
    return values
  }

  /// Returns the row of an object before a change of the current transaction, as the state before its commit has it;
  /// `nil` if that is not known, or the commit has an earlier change of the object.
  func row(
    before change: Int64, entityNumber: Int64, primaryKey: Int64
  ) throws -> LogRow? {
    guard let position else { return nil }
    let known = try current ?? commit(of: position)
    current = .some(known)
    let root = schema.numbering.root(of: entityNumber) ?? entityNumber
    guard let commit = known, let name = schema.numbering.name(of: entityNumber),
      let table = schema.tables.table(of: name), let present = schema.presentColumns[table.name],
      commit.repeated[Object(entityNumber: root, primaryKey: primaryKey)]
        .map({ $0.lowerBound == change }) ?? true
    else { return nil }
    let modeled = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
    let columns =
      modeled.filter { present[$0] != nil }
      + present.keys.filter { !modeled.contains($0) }.sorted()
    let list = columns.map(quoted).joined(separator: ", ")
    let state = commit.state - 1
    let rows = try commits.read(state) {
      try $0.rows(
        "SELECT Z_ENT, \(list) FROM \(quoted(table.name)) WHERE Z_PK = ?1", [.integer(primaryKey)])
    }
    // A row of another entity is that of another object.
    guard let row = rows?.first, row.first == .integer(entityNumber) else { return nil }
    return LogRow(
      table: table.name, columns: columns, values: Array(row.dropFirst()),
      members: try members(of: name, primaryKey, in: state))
  }

  /// Reads the objects of the to-many relationships of an object, as far as they are known.
  private func members(
    of entityName: String, _ primaryKey: Int64, in state: Int
  ) throws -> [String: [StoreObject]] {
    var members: [String: [StoreObject]] = [:]
    for relationship in schema.relationships(of: entityName) where relationship.isToMany {
      guard let condition = relationship.condition(row: "t", owner: "?1"),
        let table = schema.tables.table(of: relationship.destinationName)
      else { continue }
      let place = relationship.place(row: "t", owner: "?1").map { $0 + ", " } ?? ""
      let rows = try commits.read(state) {
        try $0.rows(
          "SELECT t.Z_PK, t.Z_ENT FROM \(quoted(table.name)) AS t WHERE \(condition) "
            + "ORDER BY \(place)t.Z_PK LIMIT \(LogRow.maxMembers + 1)", [.integer(primaryKey)])
      }
      guard let rows, rows.count <= LogRow.maxMembers else { continue }
      members[relationship.name] = rows.compactMap { row in
        guard case .integer(let key) = row[0], case .integer(let number) = row[1] else {
          return nil
        }
        return StoreObject(
          entityName: schema.numbering.name(of: number) ?? relationship.destinationName,
          primaryKey: key)
      }
    }
    return members
  }

  /// Selects the properties that changes of one kind set, sorted by name; `nil` if the store has no table for them.
  private func findSelection(_ key: ColumnKey) -> ObjectSelection? {
    var found: ObjectSelection?
    if let name = schema.numbering.name(of: key.entityNumber),
      schema.tables.table(of: name) != nil, let plan = schema.columns(of: name)
    {
      let touched = key.attributes.map { Set($0) }
      found = ObjectSelection(
        plan.values.filter { touched?.contains($0.name) ?? true && schema.has($0) })
    }
    if selections.count >= Self.maxColumnLists { selections.removeAll() }
    selections[key] = .some(found)
    return found
  }

  /// Reads properties of a row; returns `nil` if the state has no such row, or it is not known.
  private func contents(
    _ selection: ObjectSelection, _ entityNumber: Int64, _ primaryKey: Int64, in state: Int
  ) throws -> [RecordedContent?]? {
    let found = try commits.read(state) { statement in
      try selection.read(primaryKey, statement) { row -> [ColumnContent?] in
        // A row of another entity is that of another object.
        guard row.integerIfAny(at: 1) == entityNumber else { return [] }
        return selection.properties.indices.map {
          selection.content(at: $0, of: row, schema.numbering)
        }
      }
    }
    guard let contents = found?.flatMap({ $0 }), !contents.isEmpty else {
      isComplete = false
      return nil
    }
    var byteCount = 0
    return contents.map { content in
      let recorded = content?.recorded { largeValues.bytes(of: $0) }
      byteCount += recorded?.byteCount ?? 0
      guard let recorded, byteCount <= Self.maxBytes else {
        isComplete = false
        return nil
      }
      return recorded
    }
  }

  // MARK: - Commits

  /// Returns the commit that saved a transaction; `nil` if it is not known.
  private func commit(of position: TransactionPosition) throws -> Commit? {
    guard let state = try commits.state(after: position) else { return nil }
    if lastCommit?.state != state { lastCommit = (state, try makeCommit(state)) }
    return lastCommit?.commit
  }

  private func makeCommit(_ state: Int) throws -> Commit? {
    guard try hasTables(state - 1), try hasTables(state) else { return nil }
    let last = try commits.read(state - 1) {
      try $0.integer("SELECT max(Z_PK) FROM ACHANGE") ?? 0
    }
    guard let last else { return nil }
    let numbering = schema.numbering
    let repeated = try commits.read(state) { statement -> [Object: ClosedRange<Int64>]? in
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
    return Commit(state: state, repeated: repeated)
  }

  /// Whether a state has the present tables and entities.
  private func hasTables(_ state: Int) throws -> Bool {
    guard let version = try commits.read(state, { try $0.integer("PRAGMA schema_version") ?? 0 })
    else {
      return false
    }
    if version == schema.version { return true }
    if let known = fits[version] { return known }
    let other = try commits.connection(to: state)?.schema(path: schema.path)
    let isSame = other.map { $0.hasSameTables(as: schema) } ?? false
    fits[version] = isSame
    return isSame
  }
}
