import Foundation
import PersistentHistory
import StoreEditing
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// Values are kept save by save, and what was missed is told.
@Suite(.bounded) struct ValueRecorderTests {
  private let trips: OpenTrips
  private let recorder: ValueRecorder

  init() throws {
    trips = try OpenTrips()
    recorder = ValueRecorder(path: trips.path + "-values.db")
  }

  /// Records, and returns what became of the transactions, as text.
  private func record(with recorder: ValueRecorder? = nil) throws -> [String] {
    var texts: [String] = []
    try (recorder ?? self.recorder).record(StoreFile(path: trips.path)) { event in
      switch event {
      case .kept(let position, let changes, let values, let isComplete):
        texts.append(
          "\(position.number): \(changes) changes, \(values) values"
            + (isComplete ? "" : ", incomplete"))
      case .missed(let first, let last): texts.append("missed \(first) to \(last)")
      case .otherHistory(let common): texts.append("other history after \(common)")
      case .unreadable(let reason): texts.append("unreadable: \(reason)")
      }
    }
    return texts
  }

  private func rename(_ key: Int64, _ name: String) throws {
    try trips.save { $0.update(OpenTrips.trip(key), values: ["name": .text(name)]) }
  }

  private func knownValues() throws -> KnownValues {
    try StoreFile(path: trips.path).read {
      try KnownValues($0, RecordedValues(beside: $0))
    }
  }

  /// The ranges of the file, by plain SQL.
  private func ranges() throws -> [String] {
    try StoreQuery(path: trips.path + "-values.db").rows(
      "SELECT first_transaction || '-' || last_transaction FROM recorded_range ORDER BY 1"
    ).map { row in if case .text(let text) = row[0] { text } else { "?" } }
  }

  @Test func `each save is kept once`() throws {
    #expect(try record() == [])
    try rename(1, "Roma")
    #expect(try record() == ["2: 1 changes, 1 values"])
    #expect(try record() == [])
    try rename(1, "Rom")
    try rename(2, "Osl")
    #expect(try record() == ["3: 1 changes, 1 values", "4: 1 changes, 1 values"])
    // The log is restarted, and recording goes on.
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try record() == [])
    try rename(3, "Berne")
    #expect(try record() == ["5: 1 changes, 1 values"])
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(
      try trips.texts() == [
        "2 Trip/p1 name Rome Roma", "3 Trip/p1 name Roma Rom", "4 Trip/p2 name Oslo Osl",
        "5 Trip/p3 name Bern Berne",
      ])
    #expect(try ranges() == ["2-5"])
    #expect(try knownValues().gaps == [])
  }

  @Test func `a later run continues the ranges`() throws {
    try rename(1, "Roma")
    #expect(try record() == ["2: 1 changes, 1 values"])
    try recorder.close()
    try rename(1, "Rom")
    let other = ValueRecorder(path: trips.path + "-values.db")
    #expect(try record(with: other) == ["3: 1 changes, 1 values"])
    #expect(try ranges() == ["2-3"])
  }

  @Test func `missed transactions are reported as a gap`() throws {
    try rename(1, "Roma")
    #expect(try record() == ["2: 1 changes, 1 values"])
    try rename(1, "Rom")
    try rename(1, "Rim")
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try record() == ["missed 3 to 4"])
    #expect(try record() == [])
    try rename(1, "Rum")
    #expect(try record() == ["5: 1 changes, 1 values"])
    #expect(try ranges() == ["2-2", "5-5"])
    #expect(try knownValues().gaps == [3...4])
    #expect(try trips.texts() == ["2 Trip/p1 name Rome Roma", "5 Trip/p1 name Rim Rum"])
  }

  @Test func `a save that a checkpoint cut off is not recorded in part`() throws {
    try rename(1, "Roma")
    try trips.sql("PRAGMA wal_checkpoint(PASSIVE)")
    try rename(1, "Rom")
    // The page as it was before the first of them has been overwritten.
    let texts = try record()
    #expect(texts.last == "3: 1 changes, 1 values")
    #expect(!texts.contains("2: 1 changes, 1 values"))
    #expect(try ranges() == ["3-3"])
  }

  @Test func `an older copy in the place of the store begins another history`() throws {
    try rename(1, "Roma")
    let copy = trips.folder.file("Copy.store")
    try trips.sql("VACUUM INTO '\(copy)'")
    try rename(1, "Rom")
    #expect(try record().count == 2)
    try recorder.close()
    // The copy is used in the place of the store, and goes another way.
    let editor = try StoreEditor(path: copy)
    let reader = try StoreQuery(path: copy)
    try reader.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    var save = StoreSave(author: "app")
    save.update(OpenTrips.trip(1), values: ["name": .text("Remus")])
    try editor.append(save)
    var events: [ValueRecorder.Event] = []
    let other = ValueRecorder(path: trips.path + "-values.db")
    try other.record(StoreFile(path: copy)) { events.append($0) }
    try other.close()
    // The copy begins with the same transactions.
    #expect(events.first == .otherHistory(common: 2))
    guard case .kept(let kept, _, let values, isComplete: true)? = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(kept.number == 3)
    #expect(values == 1)
    // The values of the former third save are still there, and not shown for this one.
    let file = try RecordedValuesFile(path: trips.path + "-values.db")
    #expect(try file.ranges().last?.last == kept)
  }

  @Test func `pruned transactions leave the ranges`() throws {
    for name in ["Roma", "Rom", "Rim", "Rum"] { try rename(1, name) }
    #expect(try record().count == 4)
    try recorder.close()
    #expect(try ranges() == ["2-5"])
    let file = try RecordedValuesFile(path: trips.path + "-values.db")
    try trips.sql("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 4")
    try trips.sql("DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    let location = try StoreLocation(path: trips.path)
    #expect(file.erase(before: 4, of: location).problem == nil)
    #expect(try ranges() == ["4-5"])
  }

  @Test func `a file from an earlier version is refused`() throws {
    try rename(1, "Roma")
    #expect(try record().count == 1)
    try recorder.close()
    let path = trips.path + "-values.db"
    try StoreQuery(path: path).run("PRAGMA user_version = 2")
    let reason = "its version is 2, expected 3, from a version before 1.0"
    #expect(throws: StoreError.unusableValues(path: path, reason: reason)) {
      try RecordedValuesFile(path: path)
    }
    try rename(1, "Rom")
    #expect(throws: StoreError.unusableValues(path: path, reason: reason)) {
      try record(with: ValueRecorder(path: path))
    }
  }

  @Test func `values without a range do not make a transaction complete`() throws {
    try rename(1, "Roma")
    try rename(1, "Rom")
    #expect(try record().count == 2)
    try recorder.close()
    try StoreQuery(path: trips.path + "-values.db").run("DELETE FROM recorded_range")
    try trips.sql("PRAGMA wal_checkpoint(PASSIVE)")
    // Of the first one the log does not know the state before any more.
    let other = ValueRecorder(path: trips.path + "-values.db")
    #expect(try record(with: other) == ["3: 1 changes, 1 values"])
    #expect(try ranges() == ["3-3"])
    // What is known already stays.
    #expect(try trips.texts() == ["2 Trip/p1 name Rome Roma", "3 Trip/p1 name Roma Rom"])
    try other.close()
  }

  @Test func `values are kept from a given transaction on, and the earlier ones are a gap`() throws
  {
    try rename(1, "Roma")
    #expect(try record() == ["2: 1 changes, 1 values"])
    try recorder.close()
    for name in ["Rom", "Rim", "Rum"] { try rename(1, name) }
    #expect(try StoreFile(path: trips.path).keepLogValues(from: 5) == 1)
    #expect(try ranges() == ["2-2", "5-5"])
    #expect(try knownValues().gaps == [3...4])
  }

  @Test func `a log with the same salts and other frames is another history`() throws {
    try rename(1, "Roma")
    let store = trips.folder.file("Other.store")
    for suffix in ["", "-wal"] {
      try FileBytes.write(FileBytes.read(trips.path + suffix), to: store + suffix)
    }
    let editor = try StoreEditor(path: store)
    let reader = try StoreQuery(path: store)
    try reader.run("PRAGMA wal_autocheckpoint = 0")
    try rename(1, "Rom")
    try rename(1, "Rim")
    #expect(try record().count == 3)
    // Its log has the same salts and continues with other frames.
    for name in ["X", "Y", "Z"] {
      var save = StoreSave(author: "other")
      save.update(OpenTrips.trip(2), values: ["name": .text(name), "score": .integer(9)])
      try editor.append(save)
    }
    var events: [ValueRecorder.Event] = []
    try recorder.record(StoreFile(path: store)) { events.append($0) }
    #expect(events.first == .otherHistory(common: 2))
    let rows = try StoreQuery(path: trips.path + "-values.db").lines(
      "SELECT transaction_number, old, new FROM recorded_value"
        + " WHERE name = 'name' AND primary_key = 2 ORDER BY transaction_number")
    #expect(rows == ["3|Oslo|X", "4|X|Y", "5|Y|Z"])
  }

  @Test(arguments: [
    "(0, 9223372036854775807, NULL)", "(-9223372036854775808, 5, NULL)", "(7, 3, NULL)",
  ]) func `impossible ranges are refused`(_ range: String) throws {
    try rename(1, "Roma")
    #expect(try record().count == 1)
    try recorder.close()
    let file = try StoreQuery(path: trips.path + "-values.db")
    try file.run("INSERT INTO recorded_range VALUES \(range), (100, 101, NULL)")
    #expect(throws: StoreError.self) { try knownValues() }
    let other = ValueRecorder(path: trips.path + "-values.db")
    #expect(throws: StoreError.self) { try record(with: other) }
  }

  @Test func `the highest transaction number does not overflow`() throws {
    try rename(1, "Roma")
    try trips.sql("UPDATE ATRANSACTION SET Z_PK = 9223372036854775807 WHERE Z_PK = 2")
    #expect(try record() == [])
  }

  @Test func `many saves of another program are kept or missed`() throws {
    try trips.sql("PRAGMA wal_autocheckpoint = 20")
    let store = try StoreFile(path: trips.path)
    var events: [ValueRecorder.Event] = []
    var name = "Rome"
    var said: [Int64: String] = [:]
    for number in 2...120 {
      let new = "name \(number)"
      try rename(1, new)
      said[Int64(number)] = "\(number) Trip/p1 name \(name) \(new)"
      name = new
      if number % 7 == 0 { try trips.sql("PRAGMA wal_checkpoint(PASSIVE)") }
      if number % 3 == 0 { try recorder.record(store) { events.append($0) } }
    }
    try recorder.close()
    var complete: Set<Int64> = []
    for case .kept(let position, _, _, isComplete: true) in events {
      complete.insert(position.number)
    }
    #expect(complete.count > 60)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    let texts = try Set(trips.texts())
    for number in complete {
      #expect(said[number].map(texts.contains) ?? false, "\(number)")
    }
  }
}
