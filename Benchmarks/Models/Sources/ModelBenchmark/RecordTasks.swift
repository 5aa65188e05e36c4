import Foundation
import GRDB

/// What is measured, done with GRDB.
struct RecordTasks {
  let path: String
  /// Whether each save also writes the rows of a history.
  var keepsHistory = false

  func save(_ count: Int, perTransaction size: Int) throws {
    let queue = try JourneyRecord.create(path, keepsHistory: keepsHistory)
    let history =
      try keepsHistory ? queue.write { try HistoryRecords($0, author: "benchmark") } : nil
    for start in stride(from: 0, to: count, by: size) {
      try queue.write { database in
        let transaction = try history?.begin(database)
        for number in start..<min(start + size, count) {
          var record = JourneyRecord(number)
          try record.insert(database)
          if let transaction {
            try ChangeRecord(kind: .insert, objectKey: record.id, transaction: transaction)
              .insert(database)
          }
        }
      }
    }
    try queue.close()
  }

  /// Changes the records as ``ModelTasks/change(transactions:)`` changes models.
  func change(transactions: Int) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let history = try keepsHistory ? queue.write { try HistoryRecords($0, author: "widget") } : nil
    var records = try queue.read { try JourneyRecord.fetchAll($0) }
    for number in 0..<transactions {
      try queue.write { database in
        let transaction = try history?.begin(database)
        for place in 0..<10 {
          let index = (number * 10 + place) % records.count
          let isRating = place.isMultiple(of: 2)
          _ = try records[index].updateChanges(database) {
            if isRating { $0.rating += 1 } else { $0.name += "!" }
          }
          if let transaction {
            try ChangeRecord(
              kind: .update, objectKey: records[index].id, transaction: transaction,
              mask: ChangeRecord.mask(ofProperty: isRating ? "rating" : "name")
            ).insert(database)
          }
        }
      }
    }
    try queue.close()
  }

  /// Returns the number of rows of the history that differ from those of a store of models, but for
  /// the times.
  func differences(from store: String) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    return try queue.writeWithoutTransaction { database in
      try database.execute(sql: "ATTACH ? AS models", arguments: [store])
      return try ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].reduce(0) { count, table in
        let columns = try database.columns(in: table).map(\.name).filter { $0 != "ZTIMESTAMP" }
        let list = columns.joined(separator: ", ")
        func rows(_ first: String, without second: String) throws -> Int {
          try Int.fetchOne(
            database,
            sql: """
              SELECT count(*) FROM (
                SELECT \(list) FROM \(first).\(table) EXCEPT SELECT \(list) FROM \(second).\(table))
              """) ?? 0
        }
        return try count + rows("main", without: "models") + rows("models", without: "main")
      }
    }
  }

  func fetch(rating: Int) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    let records = try queue.read { database in
      try JourneyRecord.filter(Column("rating") >= rating).fetchAll(database)
    }
    return records.reduce(0) { $0 + $1.sum }
  }

  func find(_ keys: [Int64]) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    return try keys.reduce(0) { sum, key in
      sum + (try queue.read { try JourneyRecord.fetchOne($0, key: key) }?.sum ?? 0)
    }
  }

  /// Every so many of the keys of all records.
  func keys(_ count: Int) throws -> [Int64] {
    let all = try DatabaseQueue(path: path).read { database in
      try Int64.fetchAll(database, JourneyRecord.select(Column("id")).order(Column("id")))
    }
    return (0..<count).map { all[$0 * all.count / count] }
  }
}

extension JourneyRecord {
  /// A figure made of five values, the same as that of a model.
  var sum: Int {
    name.utf8.count + destination.utf8.count + rating + (isFavorite ? 1 : 0)
      + Int(startDate.timeIntervalSinceReferenceDate) % 1000
  }
}
