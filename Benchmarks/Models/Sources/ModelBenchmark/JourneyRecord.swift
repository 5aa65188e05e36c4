import Foundation
import GRDB

/// The same as a record of GRDB, in the shortest way that GRDB has for it.
struct JourneyRecord: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "journey"

  var id: Int64?
  var identifier: UUID
  var name: String
  var destination: String
  var startDate: Date
  var endDate: Date
  var rating: Int
  var isFavorite: Bool
  var notes: String?

  // Seconds as a number, as in the stores of models, and not GRDB's texts, which take longer.
  static func databaseDateEncodingStrategy(
    for column: String
  ) -> DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
  static func databaseDateDecodingStrategy(
    for column: String
  ) -> DatabaseDateDecodingStrategy { .timeIntervalSinceReferenceDate }

  init(_ number: Int) {
    let content = JourneyContent(number)
    identifier = content.identifier
    name = content.name
    destination = content.destination
    startDate = content.startDate
    endDate = content.endDate
    rating = content.rating
    isFavorite = content.isFavorite
    notes = content.notes
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  /// A new database for them, with the log and the care for the disk that stores of models have.
  static func create(_ path: String, keepsHistory: Bool) throws -> DatabaseQueue {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    }
    try queue.write { database in
      try database.create(table: databaseTableName) { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("identifier", .blob).notNull()
        table.column("name", .text).notNull()
        table.column("destination", .text).notNull()
        table.column("startDate", .double).notNull()
        table.column("endDate", .double).notNull()
        table.column("rating", .integer).notNull()
        table.column("isFavorite", .boolean).notNull()
        table.column("notes", .text)
      }
      if keepsHistory { try HistoryRecords.create(in: database) }
    }
    return queue
  }
}
