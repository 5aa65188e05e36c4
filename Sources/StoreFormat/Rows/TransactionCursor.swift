import GRDB
import GRDBSQLite

/// Steps through transactions, each with its changes.
///
/// The properties describe the row that the last ``next()`` went to.
///
/// ```swift
/// let transactions = try snapshot.transactions(TransactionSelection())
/// let changes = try transactions.changes()
/// while try transactions.next() {
///   while try changes.next() { … }
/// }
/// ```
package final class TransactionCursor {
  private let snapshot: StoreSnapshot
  private let selection: TransactionSelection
  @exclusivity(unchecked) private var changeCursors:
    [(detail: ChangeDetail?, cursor: ChangeCursor)] = []
  /// Whether the last transaction was passed.
  @exclusivity(unchecked) package private(set) var isAtEnd = false
  private let cursor: StatementCursor
  private let strings: InternedStrings
  private let columns: Columns
  /// Whether texts of the transactions are read, or compared.
  private let readsTexts: Bool
  @exclusivity(unchecked) private var count: Int64 = 0
  @exclusivity(unchecked) private var firstNumber: Int64 = 0
  @exclusivity(unchecked) private var order: RowOrder
  /// The identifier of each role's current text, if nothing else counts for it: transactions of one
  /// author tend to follow each other.
  @exclusivity(unchecked) private var currentIdentifiers: [Int64?]

  /// The transaction number, `Z_PK`.
  @exclusivity(unchecked) package private(set) var number: Int64 = 0
  /// When it was saved; `nil` if the row has no time.
  @exclusivity(unchecked) package private(set) var timestamp: StoreTimestamp?
  /// Who saved, as the app set it.
  @exclusivity(unchecked) package private(set) var author: RecordedText?
  /// The bundle identifier of the program.
  @exclusivity(unchecked) package private(set) var bundle: RecordedText?
  /// The name of the process.
  @exclusivity(unchecked) package private(set) var process: RecordedText?
  /// The name of the context.
  @exclusivity(unchecked) package private(set) var context: RecordedText?
  /// The snapshot of a pinned query generation; opaque.
  @exclusivity(unchecked) package private(set) var queryGeneration: [UInt8]?
  /// What else the row holds.
  @exclusivity(unchecked) package private(set) var extra: [ExtraColumn] = []

  init(
    _ snapshot: StoreSnapshot, _ selection: TransactionSelection, onlyPositions: Bool = false
  ) throws {
    let tables = try snapshot.historyTables()
    let database = snapshot.database
    self.snapshot = snapshot
    self.selection = selection
    columns = Columns(tables, onlyPositions: onlyPositions)
    readsTexts = !onlyPositions || !selection.texts.values.allSatisfy(\.isEmpty)
    order = RowOrder(
      path: snapshot.location.path, table: "ATRANSACTION",
      isAscending: selection.order == .ascending)
    currentIdentifiers = StringRole.allCases.map { _ in nil }
    strings = try InternedStrings(snapshot, tables: tables)
    let query = selection.query(
      columns: columns.names.map(Columns.expression), tables: tables)
    cursor = try StatementCursor(database, sql: query.sql)
    try cursor.bind(query.arguments)
  }

  /// Goes to the next transaction; returns `false` after the last one.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` where a transaction is out of order, or
  ///   after the last one where a table and its indexes disagree on the rows.
  package func next() throws -> Bool {
    guard !isAtEnd, try cursor.step() else {
      try finish(isComplete: true)
      return false
    }
    number = cursor.integer(at: Columns.number)
    try order.take(number)
    if count == 0 { firstNumber = number }
    count += 1
    for changes in changeCursors { try changes.cursor.start(transaction: number) }
    try readContent()
    return true
  }

  /// Releases the texts and other values of the current transaction, which may be large, until ``readContent()``.
  package func releaseContent() {
    currentIdentifiers = StringRole.allCases.map { _ in nil }
    (author, bundle, process, context, queryGeneration) = (nil, nil, nil, nil, nil)
    extra = []
  }

  /// Reads the values of the current transaction.
  package func readContent() throws {
    if !extra.isEmpty { extra = [] }
    readTimestamp()
    try read(.author, into: &author)
    try read(.bundle, into: &bundle)
    try read(.process, into: &process)
    try read(.context, into: &context)
    try readRest()
  }

  /// Ends the reading before the last transaction, with the checks of ``next()`` for the transactions so far.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func finish() throws { try finish(isComplete: false) }

  private func finish(isComplete: Bool) throws {
    guard !isAtEnd else { return }
    isAtEnd = true
    guard selection.checksCompleteness else { return }
    if let range = visitedRange(isComplete: isComplete) {
      if !selection.isPart {
        try snapshot.checkTransactions(
          in: range, read: selection.isComplete && isComplete ? count : nil)
      }
      if selection.change != nil || changeCursors.contains(where: { $0.cursor.hasLookedUp }) {
        try snapshot.checkChanges(ofTransactions: range)
        // Where all transactions are read, the count of their changes tells.
        if !selection.isComplete { try snapshot.checkOwners(in: range) }
      }
    }
    if readsTexts { try snapshot.checkTexts() }
    for changes in changeCursors { try changes.cursor.finish() }
  }

  /// Returns the numbers that were decided on: up to the last transaction if there could be more of them; `nil`
  /// if there are none.
  private func visitedRange(isComplete: Bool) -> ClosedRange<Int64>? {
    let range = selection.range
    let hasMore = !isComplete || selection.limit.map { count >= Int64($0) } ?? false
    guard hasMore else { return range }
    guard count > 0 else { return nil }
    if selection.order == .descending { return number...max(number, range.upperBound) }
    return selection.limit != nil && selection.limitKeepsNewest
      ? firstNumber...max(firstNumber, range.upperBound)
      : min(number, range.lowerBound)...number
  }

  /// Returns the cursor over the changes of the current transaction.
  ///
  /// It moves on with this one; each detail has its own. Changes need not be read, but whether all
  /// are there is checked only if they were.
  ///
  /// - Parameter isOwn: Whether to make a cursor of its own, which moves independently of others.
  package func changes(
    _ detail: ChangeDetail = .everything, isOwn: Bool = false
  ) throws -> ChangeCursor {
    if !isOwn, let known = changeCursors.first(where: { $0.detail == detail }) {
      return known.cursor
    }
    var rest = selection
    if count > 1, !selection.isSparse, number > .min { rest.after = number - 1 }
    let cursor = try ChangeCursor(snapshot, rest, detail: detail, isPart: count > 1)
    if count > 0, !isAtEnd { try cursor.start(transaction: number) }
    changeCursors.append((isOwn ? nil : detail, cursor))
    return cursor
  }

  /// Reads a role's text if it is another than that of the row before, which is released first: it may be long.
  private func read(_ role: StringRole, into text: inout RecordedText?) throws {
    guard isNew(role) else { return }
    text = nil
    text = try readText(role)
  }

  private func readTimestamp() {
    timestamp = cursor.timestamp(at: Columns.timestamp)
    if timestamp == nil { keep(Columns.timestamp) }
  }

  /// Whether a role's text is another than that of the row before.
  private func isNew(_ role: StringRole) -> Bool {
    guard let current = currentIdentifiers[role.rawValue],
      let identifier = columns.identifier[role.rawValue]
    else { return true }
    if cursor.integerIfAny(at: identifier) == current,
      columns.plain[role.rawValue].map({ cursor.isNull(at: $0) }) ?? true
    {
      return false
    }
    currentIdentifiers[role.rawValue] = nil
    return true
  }

  /// Returns the interned text, or else the plain one; adds values that are neither to ``extra``.
  private func readText(_ role: StringRole) throws -> RecordedText? {
    let plainText = columns.plain[role.rawValue].flatMap { plain -> RecordedText? in
      cursor.isNull(at: plain) ? nil : RecordedText(cursor.value(at: plain))
    }
    guard let identifier = columns.identifier[role.rawValue] else {
      if plainText == nil, let plain = columns.plain[role.rawValue] { keep(plain) }
      return plainText
    }
    guard cursor.type(at: identifier) == SQLITE_INTEGER else {
      if let plain = columns.plain[role.rawValue], !cursor.isNull(at: plain) {
        keep(plain)
        keep(identifier, evenIfNull: true)
      } else {
        keep(identifier)
      }
      return plainText
    }
    if let plain = columns.plain[role.rawValue] { keep(plain) }
    let number = cursor.integer(at: identifier)
    guard let text = try strings.text(number) else {
      keep(identifier)
      return plainText
    }
    currentIdentifiers[role.rawValue] = plainText == nil ? number : nil
    return text
  }

  private func readRest() throws {
    if let column = columns.queryGeneration {
      queryGeneration = nil
      switch cursor.type(at: column) {
      case SQLITE_BLOB: queryGeneration = Array(cursor.bytes(at: column))
      case SQLITE_NULL: break
      case SQLITE_INTEGER: try readQueryGeneration()
      default: keep(column)
      }
    }
    if let column = columns.entity,
      cursor.type(at: column) != SQLITE_INTEGER
        || cursor.integer(at: column) != EntityNumbering.HistoryEntity.transaction.rawValue
    {
      keep(column, evenIfNull: true)
    }
    for column in columns.unexpected { keep(column) }
  }

  /// Reads a large query generation by another statement, which releases its copy, or a value that is none.
  private func readQueryGeneration() throws {
    let name = Columns.queryGenerationName
    try snapshot.beforeLargeValue?()
    let value = try StatementRunner(snapshot.database).rows(
      "SELECT \(name) FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(number)]
    ).first?.first
    if case .blob(let bytes) = value {
      queryGeneration = bytes
    } else if let value {
      extra.append(ExtraColumn(column: name, value: value))
    }
  }

  private func keep(_ column: Int, evenIfNull: Bool = false) {
    if evenIfNull || !cursor.isNull(at: column) {
      extra.append(ExtraColumn(column: columns.names[column], value: cursor.value(at: column)))
    }
  }

  /// The places of the layout's columns in the statement.
  private struct Columns {
    static let number = 0
    static let timestamp = 1
    static let queryGenerationName = "ZQUERYGEN"

    let names: [String]
    let identifier: [Int?]
    let plain: [Int?]
    let queryGeneration: Int?
    let entity: Int?
    /// Columns that hold null in every store that a framework wrote.
    let unexpected: [Int]

    init(_ tables: HistoryTables, onlyPositions: Bool) {
      var names = ["Z_PK", "ZTIMESTAMP"]
      func position(of name: String, where isPresent: Bool = true) -> Int? {
        guard isPresent, !onlyPositions, tables.transactionColumns.contains(name) else {
          return nil
        }
        names.append(name)
        return names.count - 1
      }
      identifier = StringRole.allCases.map {
        position(of: $0.identifierColumn, where: tables.internsStrings)
      }
      plain = StringRole.allCases.map { position(of: $0.plainColumn) }
      queryGeneration = position(of: Self.queryGenerationName)
      entity = position(of: "Z_ENT")
      // Without their table the numbers of texts are meaningless, but they are kept.
      let unused = tables.internsStrings ? [] : StringRole.allCases.map(\.identifierColumn)
      unexpected = (["Z_OPT"] + unused + tables.unknownColumns(of: .transaction)).compactMap {
        position(of: $0)
      }
      self.names = names
    }

    /// Selects a column; of a large query generation, a number.
    static func expression(_ name: String) -> String {
      let column = "t." + quoted(name)
      return name == queryGenerationName
        ? "iif(length(\(column)) > \(StoreSnapshot.largeValue), 0, \(column))" : column
    }
  }
}

/// Returns a name quoted for SQL.
package func quoted(_ name: String) -> String {
  "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    + "\""
}
