import GRDB

/// A recorded value with the change that it belongs to: one row of the file of recorded values.
package struct RecordedValueRow: Hashable, Sendable {
  package var transaction: Int64
  /// The transaction's time, which distinguishes it from one with the same number in another copy of the
  /// store.
  var timestamp: StoreTimestamp?
  package var change: Int64
  package var entityName: String
  package var primaryKey: Int64
  package var value: RecordedValue
  /// Where the value comes from; the same for all values of a change.
  package var source: ValueSource

  package init(
    transaction: Int64, timestamp: StoreTimestamp?, change: Int64, entityName: String,
    primaryKey: Int64, value: RecordedValue, source: ValueSource = .program
  ) {
    self.transaction = transaction
    self.timestamp = timestamp
    self.change = change
    self.entityName = entityName
    self.primaryKey = primaryKey
    self.value = value
    self.source = source
  }

  package struct Place: Hashable, Sendable {
    let transaction: Int64
    let change: Int64
    let name: String

    init(transaction: Int64, change: Int64, name: String) {
      self.transaction = transaction
      self.change = change
      self.name = name
    }

    /// The place before all values of a change.
    package init(before change: Int64, of transaction: Int64) {
      self.init(transaction: transaction, change: change, name: "")
    }
  }

  package var place: Place { Place(transaction: transaction, change: change, name: value.name) }
}

/// Successive transactions of which everything that the log held was kept.
package struct RecordedRange: Hashable, Sendable {
  package var first: Int64
  package var last: TransactionPosition

  package init(first: Int64, last: TransactionPosition) {
    self.first = first
    self.last = last
  }
}

extension TransactionPosition {
  package var storedTime: StoredValue {
    guard let seconds = timestamp?.secondsSinceReferenceDate, !seconds.isNaN else { return .null }
    return .real(seconds)
  }

  /// Creates a position from the number and time in the first two columns of a row.
  init?(_ row: [StoredValue]) {
    guard row.count >= 2, case .integer(let number) = row[0], let time = row[1].time else {
      return nil
    }
    self.init(number: number, timestamp: time)
  }
}

extension StoredValue {
  /// The time, an inner `nil` for null, or `nil` for any other value.
  fileprivate var time: StoreTimestamp?? {
    isNull ? .some(nil) : StoreTimestamp(stored: self).map { $0 }
  }
}

extension RecordedValueRow {
  package var columns: [StoredValue] {
    let position = TransactionPosition(number: transaction, timestamp: timestamp)
    return [
      .integer(transaction), position.storedTime, .integer(change), .text(entityName),
      .integer(primaryKey), .text(value.name), .text(value.kind.rawValue),
    ] + RecordedContent.columns(value.old) + RecordedContent.columns(value.new)
      + [source == .program ? .null : .text(source.rawValue)]
  }

  /// Creates a row from its columns, or returns `nil` if they are not those of a recorded value.
  init?(_ columns: [StoredValue]) {
    guard columns.count == RecordedValuesLayout.columns.count,
      case .integer(let transaction) = columns[0], let time = columns[1].time,
      case .integer(let change) = columns[2], case .text(let entityName) = columns[3],
      case .integer(let primaryKey) = columns[4], case .text(let name) = columns[5],
      case .text(let kindName) = columns[6], let kind = RecordedValue.Kind(rawValue: kindName),
      let old = RecordedContent.content(columns[7], length: columns[8]),
      let new = RecordedContent.content(columns[9], length: columns[10]),
      old != nil || new != nil, let source = ValueSource(column: columns[11])
    else { return nil }
    self.init(
      transaction: transaction, timestamp: time, change: change, entityName: entityName,
      primaryKey: primaryKey, value: RecordedValue(name: name, kind: kind, old: old, new: new),
      source: source)
  }
}

extension ValueSource {
  fileprivate init?(column: StoredValue) {
    switch column {
    case .null: self = .program
    case .text(let name): self.init(rawValue: name)
    default: return nil
    }
  }
}

extension RecordedContent {
  /// The length that marks unknown content.
  private static let unknownLength: Int64 = -1

  /// Returns the content in two columns, an inner `nil` if it is marked as unknown, or `nil` if the columns
  /// contradict each other.
  fileprivate static func content(
    _ value: StoredValue, length: StoredValue
  ) -> RecordedContent?? {
    switch (value, length) {
    case (_, .null): .value(value)
    case (.null, .integer(unknownLength)): .some(nil)
    case (.blob(let bytes), .integer(let length)) where bytes.count == digestLength && length >= 0:
      .digest(bytes, byteCount: length)
    default: nil
    }
  }

  /// The two columns of a content.
  static func columns(_ content: RecordedContent?) -> [StoredValue] {
    switch content {
    case .value(let value): [value, .null]
    case .digest(let bytes, let byteCount): [.blob(bytes), .integer(byteCount)]
    case nil: [.null, .integer(unknownLength)]
    }
  }
}

/// The tables of a file of recorded values.
///
/// `recorded_value` has a row for each value that a change set. `old` and `new` hold the values as the store
/// kept them. Where `old_length` or `new_length` has a number, it is the SHA-256 of as many bytes, and with
/// -1 the value is not known. `source` is null for values that the saving program recorded, and `log` for
/// those that were read from the write-ahead log.
///
/// `recorded_range` has the transactions of which everything that the log held is kept. Those between two
/// ranges were missed.
package enum RecordedValuesLayout {
  /// Tells such a file from every other database: `hctv`.
  package static let applicationID: Int64 = 0x6863_7476
  package static let version: Int64 = 3

  package static let columns = [
    "transaction_number", "timestamp", "change_number", "entity", "primary_key", "name", "kind",
    "old", "old_length", "new", "new_length", "source",
  ]

  package static let statements = [
    "CREATE TABLE store (identifier TEXT NOT NULL)",
    """
    CREATE TABLE recorded_value (
      transaction_number INTEGER NOT NULL, timestamp REAL, change_number INTEGER NOT NULL,
      entity TEXT NOT NULL, primary_key INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
      old, old_length INTEGER, new, new_length INTEGER, source TEXT)
    """,
    """
    CREATE UNIQUE INDEX recorded_value_by_change
      ON recorded_value (transaction_number, change_number, name)
    """,
    """
    CREATE INDEX recorded_value_by_object
      ON recorded_value (primary_key, entity, transaction_number)
    """,
    """
    CREATE TABLE recorded_range (
      first_transaction INTEGER PRIMARY KEY, last_transaction INTEGER NOT NULL, last_timestamp REAL)
    """,
  ]

  /// Checks the tables of a file, and returns the identifier of the store whose values these are.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)`` where the file is of another kind.
  package static func check(
    _ statement: StatementRunner, path: String
  ) throws -> String {
    func refuse(_ reason: String) -> StoreError { .unusableValues(path: path, reason: reason) }
    guard try statement.integer("PRAGMA application_id") == applicationID else {
      throw refuse("it is another kind of database")
    }
    let version = try statement.integer("PRAGMA user_version") ?? 0
    guard version == Self.version else {
      let reason = "its version is \(version), expected \(Self.version)"
      throw refuse(
        (1..<Self.version).contains(version) ? reason + ", from a version before 1.0" : reason)
    }
    let tables = [
      ("store", ["identifier"]), ("recorded_value", columns),
      ("recorded_range", ["first_transaction", "last_transaction", "last_timestamp"]),
    ]
    for (table, columns) in tables {
      let declaration = try TableDeclaration(of: table, in: statement.database)
      // A view or a virtual table has no pages.
      let present = declaration.rootPage == nil ? [] : declaration.columnNames
      if let missing = columns.first(where: { !present.contains($0) }) {
        throw refuse("its table \(table) has no column \(missing)")
      }
      // SQLite would calculate it whenever a value is recorded or deleted, at any cost.
      if let part = declaration.calculation {
        throw refuse("\(part) of its table \(table) is calculated")
      }
    }
    guard
      case .text(let identifier)? = try statement.rows("SELECT identifier FROM store LIMIT 1")
        .first?.first
    else { throw refuse("it does not name its store") }
    return identifier
  }
}
