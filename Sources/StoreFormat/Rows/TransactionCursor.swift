import GRDB
import GRDBSQLite

/// Steps through the rows of `ATRANSACTION` that a selection names.
///
/// The properties describe the row that the last ``next()`` went to.
package final class TransactionCursor {
  private let cursor: StatementCursor
  private let strings: InternedStrings
  private let columns: Columns
  /// Answers how many transactions there must be; nil where only some are read.
  private let expectedCount: (() throws -> Int64)?
  private let path: String
  @exclusivity(unchecked) private var count: Int64 = 0
  @exclusivity(unchecked) private var order: RowOrder
  /// The identifier of the text that each role has now, where that is all there is to its text;
  /// transactions of one author tend to stand together.
  @exclusivity(unchecked) private var currentIdentifiers: [Int64?]

  /// The transaction number, `Z_PK`.
  @exclusivity(unchecked) package private(set) var number: Int64 = 0
  /// When it was saved; nil where the row holds no number there.
  @exclusivity(unchecked) package private(set) var timestamp: StoreTimestamp?
  /// Who saved, as the app set it.
  @exclusivity(unchecked) package private(set) var author: RecordedText?
  /// The bundle identifier of the program.
  @exclusivity(unchecked) package private(set) var bundle: RecordedText?
  /// The name of the process.
  @exclusivity(unchecked) package private(set) var process: RecordedText?
  /// The name of the context.
  @exclusivity(unchecked) package private(set) var context: RecordedText?
  /// The snapshot that a pinned query generation stands for; opaque.
  @exclusivity(unchecked) package private(set) var queryGeneration: [UInt8]?
  /// What else the row holds.
  @exclusivity(unchecked) package private(set) var extra: [ExtraColumn] = []

  /// - Parameter expectedCount: Answers how many transactions there must be, asked after the last one;
  ///   nil where the selection leaves some out.
  init(
    _ database: Database, tables: HistoryTables, selection: TransactionSelection, path: String,
    expectedCount: (() throws -> Int64)? = nil
  ) throws {
    columns = Columns(tables)
    self.path = path
    self.expectedCount = expectedCount
    order = RowOrder(
      path: path, table: "ATRANSACTION", isAscending: selection.order == .ascending)
    currentIdentifiers = StringRole.allCases.map { _ in nil }
    strings = try InternedStrings(database, tables: tables)
    let query = selection.query(
      columns: columns.names.map { "t." + quoted($0) }, tables: tables)
    cursor = try StatementCursor(database, sql: query.sql)
    try cursor.bind(query.arguments)
  }

  /// Goes to the next transaction; false after the last one.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` where a transaction is out of order, or where
  ///   the table and its indexes disagree on how many there are.
  package func next() throws -> Bool {
    guard try cursor.step() else {
      try checkCount()
      return false
    }
    number = cursor.integer(at: Columns.number)
    try order.take(number)
    count += 1
    if !extra.isEmpty { extra = [] }
    readTimestamp()
    if isNew(.author) { author = try readText(.author) }
    if isNew(.bundle) { bundle = try readText(.bundle) }
    if isNew(.process) { process = try readText(.process) }
    if isNew(.context) { context = try readText(.context) }
    readRest()
    return true
  }

  private func checkCount() throws {
    guard let expected = try expectedCount?(), expected != count else { return }
    throw StoreError.damaged(
      path: path, place: "ATRANSACTION",
      detail: "\(count) transactions can be read; its indexes list \(expected)")
  }

  private func readTimestamp() {
    switch cursor.type(at: Columns.timestamp) {
    case SQLITE_FLOAT:
      timestamp = StoreTimestamp(secondsSinceReferenceDate: cursor.real(at: Columns.timestamp))
    case SQLITE_NULL:
      timestamp = nil
    default:
      timestamp = nil
      keep(Columns.timestamp)
    }
  }

  /// Whether a role's text is not just the one of the row before.
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

  /// The interned text, else the plain one; what the two together cannot say goes to ``extra``.
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

  private func readRest() {
    if let column = columns.queryGeneration {
      switch cursor.type(at: column) {
      case SQLITE_BLOB: queryGeneration = Array(cursor.bytes(at: column))
      case SQLITE_NULL: queryGeneration = nil
      default:
        queryGeneration = nil
        keep(column)
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

  private func keep(_ column: Int, evenIfNull: Bool = false) {
    if evenIfNull || !cursor.isNull(at: column) {
      extra.append(ExtraColumn(column: columns.names[column], value: cursor.value(at: column)))
    }
  }

  /// Where the columns of the layout stand in the statement.
  private struct Columns {
    static let number = 0
    static let timestamp = 1

    let names: [String]
    package let identifier: [Int?]
    let plain: [Int?]
    let queryGeneration: Int?
    let entity: Int?
    /// Columns that hold null in every store that a framework wrote.
    let unexpected: [Int]

    init(_ tables: HistoryTables) {
      var names = ["Z_PK", "ZTIMESTAMP"]
      func position(of name: String, where isPresent: Bool = true) -> Int? {
        guard isPresent, tables.transactionColumns.contains(name) else { return nil }
        names.append(name)
        return names.count - 1
      }
      identifier = StringRole.allCases.map {
        position(of: $0.identifierColumn, where: tables.internsStrings)
      }
      plain = StringRole.allCases.map { position(of: $0.plainColumn) }
      queryGeneration = position(of: "ZQUERYGEN")
      entity = position(of: "Z_ENT")
      // Numbers of texts without the table that they lead to say nothing, but are not dropped.
      let unused = tables.internsStrings ? [] : StringRole.allCases.map(\.identifierColumn)
      unexpected = (["Z_OPT"] + unused + tables.unknownColumns(of: .transaction)).compactMap {
        position(of: $0)
      }
      self.names = names
    }
  }
}

/// A name as SQL wants it, whatever characters it has.
package func quoted(_ name: String) -> String {
  "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    + "\""
}
