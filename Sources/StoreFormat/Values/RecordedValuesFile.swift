import DurableFiles
import GRDB

/// The file beside a store that keeps old and new values of updates, opened for reading.
///
/// A store's history records only which attributes an update touched. A program that saves may keep their values
/// in a separate SQLite file beside the store, which Core Data and SwiftData ignore. It is read as safely as a
/// store: no byte of it changes.
///
/// Rows belong to a transaction only if number and time are equal. A save writes them before it completes, so
/// that after a crash there may be rows without a transaction; they are never shown, and the next save removes
/// them.
package final class RecordedValuesFile: Sendable {
  package var location: StoreLocation { file.location }
  /// Seconds to wait for a locked file.
  package var busyTimeout: Double { file.busyTimeout }
  /// The identifier of the store whose values these are.
  package let storeIdentifier: String

  package let file: StoreFile

  package static func path(besideStore path: String) -> String { path + "-values.db" }

  package static func exists(_ path: String) -> Bool { FileMove.entry(at: path) != .none }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - storeIdentifier: The identifier that its store must have, or `nil` for any.
  ///   - busyTimeout: How long to wait for a file that is locked, in seconds.
  /// - Throws: ``StoreError/unusableValues(path:reason:)`` where the file is not one of recorded values
  ///   or of another store's, ``StoreError/unreadable(path:reason:)``,
  ///   ``StoreError/busy(path:seconds:)``.
  package init(path: String, storeIdentifier: String? = nil, busyTimeout: Double = 5) throws {
    (file, self.storeIdentifier) = try Self.reading(path) {
      let file = try StoreFile(path: path, busyTimeout: busyTimeout)
      let found = try file.readDatabase {
        try RecordedValuesLayout.check(StatementRunner($0), path: path)
      }
      return (file, found)
    }
    if let storeIdentifier, storeIdentifier != self.storeIdentifier {
      throw StoreError.unusableValues(
        path: path,
        reason: "its values are of the store \(self.storeIdentifier), not of \(storeIdentifier)")
    }
  }

  private init(_ file: StoreFile, storeIdentifier: String) {
    self.file = file
    self.storeIdentifier = storeIdentifier
  }

  /// Calls a closure whose reads all see one state of the file.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``, and errors
  ///   of the closure.
  package func inOneState<Answer>(_ body: (RecordedValuesFile) throws -> Answer) throws -> Answer {
    try Self.reading(location.path) {
      try file.holding { held in
        // Errors of the closure are not translated.
        Result {
          try body(RecordedValuesFile(held, storeIdentifier: storeIdentifier))
        }
      }
    }.get()
  }

  package static func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result
  {
    do {
      return try body()
    } catch let error as StoreError {
      switch error {
      case .unusableValues, .busy, .unreadable, .withoutRoom, .missing: throw error
      case .notAStore(_, .companion):
        // This file is named like a companion of the store, as expected, so the name is not the reason.
        throw StoreError.unusableValues(path: path, reason: "it is no file of recorded values")
      case .notAStore(_, let reason):
        throw StoreError.unusableValues(path: path, reason: reason.text)
      default: throw StoreError.unusableValues(path: path, reason: error.message)
      }
    }
  }

  // MARK: - Rows

  /// Some rows of a transaction, by change number and then by name.
  ///
  /// - Parameters:
  ///   - position: The transaction: rows of its number with another time are not its own.
  ///   - place: The row after which to begin, or `nil` for the first ones.
  ///   - limit: The maximum number of rows.
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func rows(
    of position: TransactionPosition, after place: RecordedValueRow.Place? = nil, limit: Int
  ) throws -> [RecordedValueRow] {
    try rows(
      "WHERE transaction_number = ?1 AND timestamp IS ?2 AND (change_number, name) > (?3, ?4)"
        + " ORDER BY change_number, name LIMIT ?5",
      [
        .integer(position.number), position.storedTime, .integer(place?.change ?? .min),
        .text(place?.name ?? ""), .integer(Int64(limit)),
      ])
  }

  /// Calls a closure with each recorded value of a transaction, in the order of the changes. Values of a
  /// transaction with the same number in another copy of the store are skipped.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``, and errors of the
  ///   closure.
  package func forEachRow(
    of position: TransactionPosition, _ body: (RecordedValueRow) throws -> Void
  ) throws {
    var place: RecordedValueRow.Place?
    while case let rows = try rows(of: position, after: place, limit: 256), let last = rows.last {
      for row in rows { try body(row) }
      place = last.place
    }
  }

  private func rows(_ condition: String, _ values: [StoredValue]) throws -> [RecordedValueRow] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        let cursor = try StatementCursor(
          database,
          sql: "SELECT \(RecordedValuesLayout.columns.joined(separator: ", ")) "
            + "FROM recorded_value " + condition, isCached: true)
        defer { cursor.reset() }
        try cursor.bind(values)
        var rows: [RecordedValueRow] = []
        var byteCount = 0
        while try cursor.step() {
          guard let row = RecordedValueRow(cursor.values) else {
            throw StoreError.unusableValues(
              path: location.path, reason: "a row is not one of a recorded value")
          }
          rows.append(row)
          // A hostile file may hold longer values than are ever recorded.
          byteCount += row.value.byteCount
          if byteCount > Self.maxBytes { break }
        }
        return rows
      }
    }
  }

  /// The maximum number of bytes of values that are read at a time.
  private static let maxBytes = 8 << 20
}

/// Totals and checks of a file of recorded values.
extension RecordedValuesFile {
  /// The extent of a file, which is found without reading all of it.
  package struct Extent: Hashable, Sendable {
    /// The oldest transaction with recorded values, or `nil` where there is none.
    package let first: TransactionPosition?
    package let last: TransactionPosition?
    /// How many bytes the file and its log take.
    package let byteCount: Int64
  }

  /// Returns the extent of the file.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func extent() throws -> Extent {
    try Self.reading(location.path) {
      let ends = try file.readDatabase { database in
        let statement = StatementRunner(database)
        return try ["ASC", "DESC"].map { order in
          try statement.rows(
            """
            SELECT transaction_number, timestamp FROM recorded_value
            ORDER BY transaction_number \(order) LIMIT 1
            """
          ).first.flatMap(TransactionPosition.init)
        }
      }
      let byteCount = try [location.resolvedPath, location.logPath].reduce(0) {
        try $0 + (location.size(of: $1) ?? 0)
      }
      return Extent(first: ends[0], last: ends[1], byteCount: byteCount)
    }
  }

  /// Returns the ranges of transactions of which everything that the log held was kept, in order: the newest
  /// ones, at most ``maxRanges``.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func ranges() throws -> [RecordedRange] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        try StatementRunner(database).rows(
          """
          SELECT last_transaction, last_timestamp, first_transaction FROM recorded_range
          ORDER BY first_transaction DESC LIMIT \(Self.maxRanges)
          """
        ).reversed().map { row in
          guard let last = TransactionPosition(row), case .integer(let first)? = row.last,
            first >= 0, first <= last.number, last.number < .max
          else {
            throw StoreError.unusableValues(
              path: location.path, reason: "a row is not one of recorded transactions")
          }
          return RecordedRange(first: first, last: last)
        }
      }
    }
  }

  /// Returns the last transaction up to a number of which there are values.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func lastPosition(upTo number: Int64) throws -> TransactionPosition? {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        try StatementRunner(database).rows(
          "SELECT transaction_number, timestamp FROM recorded_value WHERE transaction_number <= ?1"
            + " ORDER BY transaction_number DESC LIMIT 1", [.integer(number)]
        ).first.flatMap(TransactionPosition.init)
      }
    }
  }

  /// The maximum number of ranges that are read.
  static let maxRanges = 1000

  /// How many values of transactions before one there are.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func valueCount(before number: Int64) throws -> Int64 {
    try Self.reading(location.path) {
      try file.readDatabase {
        try StatementRunner($0).integer(
          "SELECT count(*) FROM recorded_value WHERE transaction_number < ?1", [.integer(number)])
          ?? 0
      }
    }
  }

  /// Returns the problems that SQLite's check finds in the pages of the file.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func pageProblems() throws -> [String] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        try StatementRunner(database).rows("PRAGMA quick_check(10)").compactMap { row in
          guard case .text(let text)? = row.first, text != "ok" else { return nil }
          return text
        }
      }
    }
  }

  /// Returns some of the transactions that rows name, by number and time.
  ///
  /// - Parameters:
  ///   - number: The number after which to begin, or `nil` for the first ones.
  ///   - limit: The maximum number of transactions.
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func positions(after number: Int64?, limit: Int) throws -> [TransactionPosition] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        let statement = StatementRunner(database)
        var positions: [TransactionPosition] = []
        var last = number
        while positions.count < limit {
          let row = try statement.rows(
            "SELECT transaction_number, timestamp FROM recorded_value WHERE transaction_number > ?1"
              + " ORDER BY transaction_number LIMIT 1", [.integer(last ?? .min)]
          ).first
          guard let row else { break }
          guard let position = TransactionPosition(row) else {
            throw StoreError.unusableValues(
              path: location.path, reason: "a row is not one of a recorded value")
          }
          positions.append(position)
          last = position.number
        }
        return positions
      }
    }
  }
}
