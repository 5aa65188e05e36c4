import DurableFiles
import GRDB

/// The file beside a store that keeps old and new values of updates, opened for reading.
///
/// A store's own history says only which attributes an update touched. Whoever saves may keep their
/// values in a SQLite file of its own beside the store, of which neither Core Data nor SwiftData knows.
/// It is as hostile as a store, and read as safely: no byte of it changes.
///
/// Rows are of a transaction of the store only where number and time are both the same. A save writes
/// them before it is complete itself, so after a crash there may be rows of a transaction that there is
/// not; nobody ever sees them, and the next save removes them.
package final class RecordedValuesFile: Sendable {
  /// Where the file is.
  package var location: StoreLocation { file.location }
  /// How long to wait for a file that is locked, in seconds.
  package var busyTimeout: Double { file.busyTimeout }
  /// The identifier of the store whose values these are.
  package let storeIdentifier: String

  package let file: StoreFile

  /// Where a store's recorded values are kept.
  package static func path(besideStore path: String) -> String { path + "-values.db" }

  /// Whether there is anything at a path.
  package static func isThere(_ path: String) -> Bool { FileMove.entry(at: path) != .none }

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - storeIdentifier: The identifier that its store must have; nil for any.
  ///   - busyTimeout: How long to wait for a file that is locked, in seconds.
  /// - Throws: ``StoreError/unusableValues(path:reason:)`` where the file is not one of recorded values
  ///   or of another store's, ``StoreError/unreadable(path:reason:)``,
  ///   ``StoreError/busy(path:seconds:)``.
  package init(path: String, storeIdentifier: String? = nil, busyTimeout: Double = 5) throws {
    (file, self.storeIdentifier) = try Self.reading(path) {
      let file = try StoreFile(path: path, busyTimeout: busyTimeout)
      let identifier = try file.readDatabase {
        try RecordedValuesLayout.check(StatementRunner($0), path: path)
      }
      return (file, identifier)
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

  /// Lets a body read one state of the file: nothing that others save or erase meanwhile is seen.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``, or what
  ///   the body throws.
  package func inOneState<Answer>(_ body: (RecordedValuesFile) throws -> Answer) throws -> Answer {
    try Self.reading(location.path) {
      try file.holding { held in
        // What the body throws is its own.
        Result { try body(RecordedValuesFile(held, storeIdentifier: storeIdentifier)) }
      }
    }.get()
  }

  package static func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result
  {
    do {
      return try body()
    } catch let error as StoreError {
      switch error {
      case .unusableValues, .busy, .unreadable, .withoutRoom: throw error
      case .missing: throw StoreError.unusableValues(path: path, reason: "there is no such file")
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
  ///   - place: The row after which to begin; nil for the first ones.
  ///   - limit: The most rows to give.
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

  /// Some rows of an object, by transaction number, change number and name, whether or not the store
  /// has their transactions.
  ///
  /// - Parameters:
  ///   - entityName: The object's entity.
  ///   - primaryKey: Its key.
  ///   - transactions: The numbers of the transactions.
  ///   - place: The row after which to begin; nil for the first ones.
  ///   - limit: The most rows to give.
  /// - Throws: ``StoreError/unusableValues(path:reason:)``, ``StoreError/busy(path:seconds:)``.
  package func rows(
    ofEntity entityName: String, primaryKey: Int64, transactions: ClosedRange<Int64>,
    after place: RecordedValueRow.Place? = nil, limit: Int
  ) throws -> [RecordedValueRow] {
    try rows(
      """
      WHERE primary_key = ?1 AND entity = ?2 AND transaction_number BETWEEN ?3 AND ?4
        AND (transaction_number, change_number, name) > (?5, ?6, ?7)
      ORDER BY transaction_number, change_number, name LIMIT ?8
      """,
      [
        .integer(primaryKey), .text(entityName),
        .integer(max(transactions.lowerBound, place?.transaction ?? .min)),
        .integer(transactions.upperBound), .integer(place?.transaction ?? .min),
        .integer(place?.change ?? .min), .text(place?.name ?? ""), .integer(Int64(limit)),
      ])
  }

  private func rows(_ condition: String, _ values: [StoredValue]) throws -> [RecordedValueRow] {
    try Self.reading(location.path) {
      try file.readDatabase { database in
        let cursor = try StatementCursor(
          database,
          sql: "SELECT \(RecordedValuesLayout.columns.joined(separator: ", ")) FROM recorded_value "
            + condition, isCached: true)
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
          // A hostile file may hold longer values than anybody ever records.
          byteCount += row.value.old.byteCount + row.value.new.byteCount
          if byteCount > Self.mostBytes { break }
        }
        return rows
      }
    }
  }

  /// How many bytes of values are read at a time; the row that reaches it is the last.
  private static let mostBytes = 8 << 20
}
