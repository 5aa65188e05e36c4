import Foundation
import GRDB

/// What is measured, done with GRDB.
struct RecordTasks {
  let path: String

  func save(_ count: Int, perTransaction size: Int) throws {
    let queue = try JourneyRecord.open(path)
    for start in stride(from: 0, to: count, by: size) {
      try queue.write { database in
        for number in start..<min(start + size, count) {
          var record = JourneyRecord(number)
          try record.insert(database)
        }
      }
    }
    try queue.close()
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
