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
    return records.reduce(0) { $0 + $1.name.utf8.count + $1.rating }
  }
}
