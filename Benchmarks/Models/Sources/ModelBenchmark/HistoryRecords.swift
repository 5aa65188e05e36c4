import Foundation
import GRDB

/// The history of saves as a store of models keeps it, written as records of GRDB: the same rows in
/// the same tables with the same indexes.
struct HistoryRecords {
  private let author: Int64
  private let process: Int64

  /// Creates the tables, and the texts that each transaction refers to.
  static func create(in database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE ACHANGE (
          Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
          ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB,
          ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB);
        CREATE TABLE ATRANSACTION (
          Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
          ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT,
          ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR,
          ZQUERYGEN BLOB);
        CREATE TABLE ATRANSACTIONSTRING (
          Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
        CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS);
        CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS);
        CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS);
        CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS);
        CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR);
        CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP);
        CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME);
        """)
  }

  /// - Parameter author: The author of all saves.
  init(_ database: Database, author: String) throws {
    func number(of text: String) throws -> Int64 {
      if let known = try TextRecord.filter(Column("ZNAME") == text).fetchOne(database) {
        return known.number ?? 0
      }
      var record = TextRecord(text: text)
      try record.insert(database)
      return record.number ?? 0
    }
    self.author = try number(of: author)
    process = try number(of: ProcessInfo.processInfo.processName)
  }

  /// Writes the row of a save.
  ///
  /// - Returns: The number of the transaction.
  func begin(_ database: Database) throws -> Int64 {
    var record = TransactionRecord(author: author, process: process)
    try record.insert(database)
    return record.number ?? 0
  }
}

struct TransactionRecord: Codable, MutablePersistableRecord {
  static let databaseTableName = "ATRANSACTION"

  enum CodingKeys: String, CodingKey {
    case number = "Z_PK"
    case entity = "Z_ENT"
    case author = "ZAUTHORTS"
    case process = "ZPROCESSIDTS"
    case time = "ZTIMESTAMP"
  }

  var number: Int64?
  var entity = 16002
  var author: Int64
  var process: Int64
  var time = Date.now.timeIntervalSinceReferenceDate

  mutating func didInsert(_ inserted: InsertionSuccess) { number = inserted.rowID }
}

struct ChangeRecord: Codable, PersistableRecord {
  static let databaseTableName = "ACHANGE"

  enum CodingKeys: String, CodingKey {
    case entity = "Z_ENT"
    case kind = "ZCHANGETYPE"
    case objectEntity = "ZENTITY"
    case objectKey = "ZENTITYPK"
    case transaction = "ZTRANSACTIONID"
    case mask = "ZCOLUMNS"
  }

  enum Kind: Int, Codable, DatabaseValueConvertible { case insert, update }

  var entity = 16001
  var kind: Kind
  var objectEntity = 1
  var objectKey: Int64?
  var transaction: Int64
  /// A bit for each changed property; `nil` for a new object.
  var mask: Data?

  /// The mask of a change of one property.
  static func mask(ofProperty name: String) -> Data {
    let names = [
      "destination", "endDate", "identifier", "isFavorite", "name", "notes", "rating", "startDate",
    ]
    return Data([names.firstIndex(of: name).map { 0x80 >> UInt8($0) } ?? 0])
  }
}

private struct TextRecord: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "ATRANSACTIONSTRING"

  enum CodingKeys: String, CodingKey {
    case number = "Z_PK"
    case entity = "Z_ENT"
    case text = "ZNAME"
  }

  var number: Int64?
  var entity = 16003
  var text: String

  mutating func didInsert(_ inserted: InsertionSuccess) { number = inserted.rowID }
}
