import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Values from the log are those that SQLite reads from copies whose log is cut before and after each commit.
@Suite(.bounded) struct LogValuesTests {
  /// Stores that Apple's frameworks wrote and that have a filled log.
  static let realStores = RealStores.paths.filter { path in
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    return (size ?? 0) > 0
  }

  /// Compares all values from the log of a store with SQL; returns their number and that of the transactions in
  /// the log.
  private static func compare(_ path: String) throws -> (values: Int, transactions: Int) {
    let folder = try TemporaryFolder()
    let truth = try LogTruth(path: path)
    let states = try (0..<truth.count).map { try truth.open($0, in: folder) }
    let newest = states.map { state in
      (try? state.rows("SELECT max(Z_PK) FROM ATRANSACTION"))?.first?.first
    }
    func number(_ state: Int) -> Int64? {
      if case .integer(let number)? = newest[state] {
        number
      } else {
        newest[state] == .null ? 0 : nil
      }
    }
    var counts = (values: 0, transactions: 0)
    try StoreFile(path: path).read { snapshot in
      var query = HistoryQuery()
      query.recordedValues = RecordedValues(nil)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      while let transaction = try reader.next() {
        let after = (0..<states.count).first {
          number($0).map { $0 >= transaction.number } ?? false
        }
        for change in transaction.changes where !change.values.isEmpty {
          #expect(change.valueSource == .log)
          guard let after, after > 0 else {
            Issue.record("transaction \(transaction.number) is not in the log")
            continue
          }
          for value in change.values {
            counts.values += 1
            for (content, state) in [(value.old, after - 1), (value.new, after)] {
              guard let content else { continue }
              let rows = try columns(of: value, change, in: states[state])
              #expect(
                rows.contains { matches(content, $0, value.kind) },
                "\(transaction.number) \(change.object?.description ?? "") \(value.name)")
            }
            if change.kind == .insert { #expect(value.old == nil) }
            if change.kind == .delete { #expect(value.new == nil) }
          }
        }
        guard let after, after > 0 else { continue }
        counts.transactions += 1
        // Of an object that is changed once, both sides are known.
        let objects = transaction.changes.map(\.object)
        for change in transaction.changes
        where change.kind == .update && objects.count(where: { $0 == change.object }) == 1 {
          #expect(change.values.allSatisfy { $0.old != nil && $0.new != nil })
        }
      }
    }
    return counts
  }

  /// The values of the columns that a property can have: entities of a hierarchy number columns of the same name.
  private static func columns(
    of value: RecordedValue, _ change: HistoryChange, in state: StoreQuery
  ) throws -> [StoredValue] {
    let entities = try state.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
    var number = StoredValue.integer(change.entity?.number ?? 0)
    var name = ""
    while let row = entities.first(where: { $0[0] == number }), case .text(let text) = row[1] {
      name = text
      if row[2] == .integer(0) { break }
      number = row[2]
    }
    let table = "Z" + name.uppercased()
    let element = value.name.split(separator: ".").last.map(String.init) ?? value.name
    let start = "Z" + element.uppercased()
    let columns = try state.lines("SELECT name FROM pragma_table_info('\(table)')").filter {
      $0 == start || $0.hasPrefix(start) && Int($0.dropFirst(start.count)) != nil
    }
    return try columns.flatMap { column in
      try state.rows(
        "SELECT \"\(column)\" FROM \"\(table)\" WHERE Z_PK = \(change.primaryKey ?? 0)"
      ).map { $0[0] }
    }
  }

  private static func matches(
    _ content: RecordedContent, _ stored: StoredValue, _ kind: RecordedValue.Kind
  ) -> Bool {
    switch (content, stored) {
    case (.value(.text(let object)), .integer(let key)) where kind == .object:
      object.hasSuffix("/p\(key)")
    case (.value(.real(let seconds)), .integer(let whole)): seconds == Double(whole)
    // The first byte says that the value stands in the column.
    case (.value(.blob(let bytes)), .blob(let column)) where kind == .data:
      bytes == column || column.first == 1 && bytes == Array(column.dropFirst())
    case (.value(let value), _): value == stored
    case (.digest(_, let count), .text(let text)): count == Int64(text.utf8.count)
    case (.digest(_, let count), .blob(let bytes)):
      count == Int64(bytes.count) || count == Int64(bytes.count) - 1 || bytes.first == 2
    case (.digest, _): false
    }
  }

  @Test(.needsRealStores, arguments: realStores)
  func `values of a real store are those in the state of its commit`(path: String) throws {
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    let counts = try Self.compare(copy)
    if counts.transactions > 0 { #expect(counts.values > 0) }
  }

  // MARK: - Stores of our own

  @Test func `inserts have new values, deletes old ones, and updates both`() throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.insert("Trip", values: ["name": .text("Faro")]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
    let texts = try trips.texts()
    #expect(
      texts.filter { !$0.hasPrefix("4") } == ["2 Trip/p1 name Rome Roma", "3 Trip/p4 name ? Faro"])
    #expect(texts.contains("4 Trip/p2 name Oslo ?"))
    #expect(texts.contains("4 Trip/p2 score 1 ?"))
    #expect(try Self.compare(trips.path).transactions == 3)
  }

  @Test func `transactions of one commit share its states`() throws {
    let trips = try OpenTrips()
    // The editor commits each save, so two are joined by SQL.
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.sql(
      """
      BEGIN;
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (3, 16002, 1.5), (4, 16002, 2.5);
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT (SELECT max(Z_PK) + 1 FROM ACHANGE), 16001, 1, ZENTITY, 1, 3, ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = 2;
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT (SELECT max(Z_PK) + 1 FROM ACHANGE), 16001, 1, ZENTITY, 1, 4, ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = 3;
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT (SELECT max(Z_PK) + 1 FROM ACHANGE), 16001, 1, ZENTITY, 2, 4, ZCOLUMNS FROM ACHANGE WHERE ZTRANSACTIONID = 3;
      UPDATE ZTRIP SET ZNAME = 'Rom' WHERE Z_PK = 1;
      UPDATE ZTRIP SET ZNAME = 'Bergen' WHERE Z_PK = 2;
      COMMIT
      """)
    #expect(
      try trips.texts() == [
        "2 Trip/p1 name Rome Roma", "3 Trip/p1 name Roma ?", "4 Trip/p1 name ? Rom",
        "4 Trip/p2 name Oslo Bergen",
      ])
  }

  @Test func `a commit without history is a state of its own`() throws {
    let trips = try OpenTrips()
    try trips.sql("UPDATE ZTRIP SET ZNAME = 'Milan' WHERE Z_PK = 1")
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Turin")]) }
    try trips.sql("UPDATE ZTRIP SET ZNAME = 'Genoa' WHERE Z_PK = 1")
    #expect(try trips.texts() == ["2 Trip/p1 name Milan Turin"])
  }

  @Test func `values before a change of the schema are unknown`() throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.sql("ALTER TABLE ZTRIP ADD COLUMN ZEXTRA")
    #expect(try trips.texts() == [])
  }

  @Test func `old values are unknown after a checkpoint`() throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Rom")]) }
    try trips.sql("PRAGMA wal_checkpoint(PASSIVE)")
    // Its state before is in the log; that of the first is not.
    #expect(try trips.texts() == ["3 Trip/p1 name Roma Rom"])
    let extent = try #require(try StoreFile(path: trips.path).read { try $0.logValueExtent() })
    #expect(extent.first == 3)
    #expect(extent.last == 3)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try trips.texts() == [])
    #expect(try StoreFile(path: trips.path).read { try $0.logValueExtent() } == nil)
  }

  @Test func `an ended snapshot is released`() throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    weak var ended: StoreSnapshot?
    try StoreFile(path: trips.path).read { snapshot in
      ended = snapshot
      var query = HistoryQuery()
      query.recordedValues = RecordedValues(nil)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      while try reader.next() != nil {}
      #expect(try snapshot.logValueExtent() != nil)
    }
    #expect(ended == nil)
  }

  @Test func `values from the log can be kept beside the store`() throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
    let before = try trips.texts()
    let store = try FileBytes.read(trips.path)
    let log = try FileBytes.read(trips.path + "-wal")
    #expect(try StoreFile(path: trips.path).keepLogValues() > 2)
    #expect(try FileBytes.read(trips.path) == store)
    #expect(try FileBytes.read(trips.path + "-wal") == log)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try trips.texts() == before)
    // Nothing is left to keep.
    #expect(try StoreFile(path: trips.path).keepLogValues() == 0)
  }

  @Test func `only the values of remaining transactions are kept`() throws {
    let trips = try OpenTrips()
    for name in ["Roma", "Rom", "Rim"] {
      try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text(name)]) }
    }
    #expect(try StoreFile(path: trips.path).keepLogValues(from: 4) == 1)
  }

  @Test func `the net effect has the first old and the last new value`() throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save {
      $0.update(OpenTrips.trip(1), values: ["name": .text("Rom"), "score": .integer(4)])
    }
    func net() throws -> [RecordedValue] {
      try StoreFile(path: trips.path).read { snapshot in
        var query = HistoryQuery(after: 1)
        query.recordedValues = try RecordedValues(beside: snapshot)
        return try NetChangeReader(snapshot: snapshot, query: query).next()?.values ?? []
      }
    }
    #expect(try net().map(\.name) == ["name", "score"])
    #expect(try net().map(\.old) == [.value(.text("Rome")), .value(.integer(1))])
    #expect(try net().map(\.new) == [.value(.text("Rom")), .value(.integer(4))])
    // The first of the two updates is no longer known, and nothing is made up for it.
    try trips.sql("PRAGMA wal_checkpoint(PASSIVE)")
    #expect(try net().map(\.old) == [nil, .value(.integer(1))])
    #expect(try net().map(\.new) == [.value(.text("Rom")), .value(.integer(4))])
  }
}

extension OpenTrips {
  /// The values of all changes, as text.
  func texts() throws -> [String] {
    try StoreFile(path: path).read { snapshot in
      var query = HistoryQuery()
      query.recordedValues = try RecordedValues(beside: snapshot)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var texts: [String] = []
      while let transaction = try reader.next() {
        for change in transaction.changes {
          for value in change.values
          where (value.old ?? value.new) != .value(.null) || value.old != nil && value.new != nil {
            texts.append(
              "\(transaction.number) \(change.object?.description ?? "") \(value.name) "
                + "\(Self.text(value.old)) \(Self.text(value.new))")
          }
        }
      }
      return texts
    }
  }

  private static func text(_ content: RecordedContent?) -> String {
    switch content {
    case nil: "?"
    case .value(.null): "nil"
    case .value(.text(let text)): text
    case .value(.integer(let number)): "\(number)"
    case .value(let value): "\(value)"
    case .digest(_, let count): "\(count) bytes"
    }
  }
}
