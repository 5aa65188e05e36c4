import DurableFiles
import StoreFormat

/// The author, origin and time of a transaction.
package struct TransactionHeader: Hashable, Sendable {
  /// The author, as the app sets it.
  package var author: String?
  var bundle: String?
  var process: String?
  var context: String?
  /// The time; `nil` for the moment at which the store is written.
  package var timestamp: StoreTimestamp?

  package init(
    author: String? = nil, bundle: String? = nil, process: String? = nil, context: String? = nil,
    timestamp: StoreTimestamp? = nil
  ) {
    self.author = author
    self.bundle = bundle
    self.process = process
    self.context = context
    self.timestamp = timestamp
  }

  package func text(_ role: StringRole) -> String? {
    switch role {
    case .author: author
    case .bundle: bundle
    case .process: process
    case .context: context
    }
  }
}

/// Writes rows of the history tables: those of a new transaction with the next numbers, and restored
/// ones with the numbers and storage classes that they had.
package struct HistoryRowWriter {
  /// The place of a transaction that was appended.
  package struct Place {
    package let position: TransactionPosition
    /// The number of its first change; the others have the numbers that follow.
    package let firstChange: Int64
  }

  package let statement: StatementRunner
  package var tables: HistoryTables { columns.tables }
  private let columns: RecordedColumns
  private let kept = Kept()

  /// What is found once for many rows.
  private final class Kept {
    /// To prepare the statement takes a time that grows with the square of the number of columns.
    var insertion: StatementCursor?
    /// The numbers of texts, by their digests.
    var texts: [[UInt8]: Int64] = [:]

    static let maxTexts = 4096
  }

  package init(statement: StatementRunner, tables: HistoryTables) {
    self.init(statement: statement, columns: RecordedColumns(tables))
  }

  /// - Parameter columns: The columns of the tables; finding them takes as long as
  ///   writing a few objects.
  package init(statement: StatementRunner, columns: RecordedColumns) {
    self.statement = statement
    self.columns = columns
  }

  /// Appends a transaction with its changes, which get the next numbers.
  package func append(_ header: TransactionHeader, changes: [RecordedChange]) throws -> Place {
    let number = try nextNumber(of: .transaction, count: 1)
    let timestamp = header.timestamp ?? .now()
    var row = RecordedTransaction(number: number, timestamp: timestamp)
    for role in StringRole.allCases { row.texts[role] = header.text(role).map { RecordedText($0) } }
    try insert(row) { try nextNumber(of: .string, count: 1) }
    var first: Int64 = 0
    if !changes.isEmpty { first = try nextNumber(of: .change, count: changes.count) }
    try insert(
      changes.enumerated().lazy.map { offset, change in
        var change = change
        change.number = first + Int64(offset)
        return change
      }, of: number)
    return Place(position: row.position, firstChange: first)
  }

  private func nextNumber(of entity: EntityNumbering.HistoryEntity, count: Int) throws -> Int64 {
    let table =
      switch entity {
      case .change: "ACHANGE"
      case .transaction: "ATRANSACTION"
      case .string: "ATRANSACTIONSTRING"
      }
    return try statement.nextNumber(
      entityNumber: entity.rawValue, entityName: String(table.dropFirst()), table: table,
      count: count)
  }

  /// Inserts the row of a transaction, and its interned texts if they are missing.
  ///
  /// - Parameter textNumber: Returns the number for a text that the store does not have.
  package func insert(_ transaction: RecordedTransaction, textNumber: () throws -> Int64) throws {
    try columns.check(transaction)
    let named = Set(transaction.extra.map(\.column))
    var numbers: [StringRole: Int64] = [:]
    for role in StringRole.allCases
    where tables.interns(role) && !named.contains(role.identifierColumn) {
      numbers[role] = try transaction.texts[role].map { try intern($0, textNumber) }
    }
    try statement.run(
      columns.transactionInsert, columns.values(of: transaction, textNumbers: numbers))
  }

  /// Prepares to insert changes, best while the store is not locked.
  package func prepareChanges() throws { _ = try changeInsertion() }

  private func changeInsertion() throws -> StatementCursor {
    let insertion = try kept.insertion ?? statement.cursor(columns.changeInsert)
    kept.insertion = insertion
    return insertion
  }

  package func insert(_ changes: some Sequence<RecordedChange>, of transaction: Int64) throws {
    let insertion = try changeInsertion()
    for change in changes {
      try columns.check(change)
      try insertion.run(columns.values(of: change, transaction: transaction))
    }
  }

  private func intern(_ text: RecordedText, _ newNumber: () throws -> Int64) throws -> Int64 {
    let digest = text.digest
    if let known = try known(text, digest) { return known }
    let number = try newNumber()
    try statement.run(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
      [
        .integer(number), .integer(EntityNumbering.HistoryEntity.string.rawValue), text.storedValue,
      ])
    remember(number, digest)
    return number
  }

  /// Finds texts that the store has before they are needed, while it is not locked: there is no index of texts, and
  /// some may be long.
  package func findTexts(of transaction: RecordedTransaction) throws {
    guard tables.internsStrings else { return }
    for text in transaction.internedTexts {
      let digest = text.digest
      if kept.texts[digest] == nil, let number = try find(text) { remember(number, digest) }
    }
  }

  /// Returns the number of a text that the store has; one that is remembered is looked at again.
  private func known(_ text: RecordedText, _ digest: [UInt8]) throws -> Int64? {
    if let number = kept.texts[digest],
      try statement.integer(
        "SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = ?1 AND ZNAME = ?2",
        [.integer(number), text.storedValue]) != nil
    {
      return number
    }
    let found = try find(text)
    if let found { remember(found, digest) }
    return found
  }

  private func find(_ text: RecordedText) throws -> Int64? {
    try statement.integer(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1 ORDER BY Z_PK", [text.storedValue])
  }

  private func remember(_ number: Int64, _ digest: [UInt8]) {
    if kept.texts.count >= Kept.maxTexts { kept.texts.removeAll() }
    kept.texts[digest] = number
  }

  /// Returns the lowest numbers of `ATRANSACTIONSTRING` that were issued and no longer belong to a text.
  ///
  /// A text that a store has lost must get one of these. The app issues the number after the highest
  /// one next, and could not save if it were taken. Low numbers come first because a running app may
  /// have reserved high ones.
  package func freeTextNumbers(_ count: Int, except reserved: Set<Int64>) throws -> [Int64] {
    let highest =
      try statement.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1",
        [.integer(EntityNumbering.HistoryEntity.string.rawValue)]) ?? 0
    var numbers: [Int64] = []
    var candidate: Int64 = 1
    // Ends although `highest` may be anything: each number that is not free belongs to a row.
    while numbers.count < count, candidate <= highest {
      if try !reserved.contains(candidate) && !isTaken(candidate) { numbers.append(candidate) }
      candidate += 1
    }
    return numbers
  }

  /// Whether a row has a number, or a transaction refers to it although it leads to no text.
  private func isTaken(_ number: Int64) throws -> Bool {
    let roles = StringRole.allCases.filter {
      tables.transactionColumns.contains($0.identifierColumn)
    }
    let selections =
      ["SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = ?1"]
      + roles.map { "SELECT 1 FROM ATRANSACTION WHERE \($0.identifierColumn) = ?1" }
    return try selections.contains {
      try statement.integer($0 + " LIMIT 1", [.integer(number)]) != nil
    }
  }
}

extension RecordedText {
  /// A digest of the bytes as stored.
  package var digest: [UInt8] {
    var hasher = SHA256Hasher()
    if let malformedBytes {
      hasher.update(malformedBytes)
    } else {
      var text = string
      text.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
    }
    return hasher.digest
  }
}

extension StatementRunner {
  /// Returns the first of some new primary keys in an entity's table, and maintains `Z_MAX`; the root of a hierarchy
  /// counts them.
  ///
  /// The highest number in the table counts too: a copy of a store that lost its log can have a `Z_MAX`
  /// that is too low, and this repairs it.
  ///
  /// - Parameter used: A number that is about to be used and counts too.
  package func nextNumber(
    entityNumber: Int64, entityName: String, table: String, count: Int, atLeast used: Int64 = 0
  ) throws -> Int64 {
    let recorded =
      try integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entityNumber)]) ?? 0
    let present = try integer("SELECT max(Z_PK) FROM \(quoted(table))") ?? 0
    let highest = max(recorded, present, used, 0)
    let (last, overflows) = highest.addingReportingOverflow(Int64(count))
    guard !overflows else { throw StoreWriteError.numbersExhausted(table: table) }
    let raised = try run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
      [.integer(last), .integer(entityNumber)])
    if raised == 0 {
      // The rows of the history tables come with the first transaction.
      try run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
        [.integer(entityNumber), .text(entityName), .integer(last)])
    }
    // Without new numbers, the highest may be the last there is.
    return highest &+ 1
  }
}
