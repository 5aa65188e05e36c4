import Foundation
import PersistentHistory
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// The objects of two copies, row by row.
@Suite(.bounded) struct ObjectComparisonTests {
  private let trips: OpenTrips
  private let copy: String

  /// Saves, copies the store, and saves again: trip 1 is renamed, 2 deleted, 4 inserted.
  init() throws {
    trips = try OpenTrips()
    copy = trips.folder.file("Copy.store")
    try trips.sql("VACUUM INTO '\(copy)'")
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
    try trips.save { $0.insert("Trip", values: ["name": .text("Faro"), "score": .integer(7)]) }
  }

  private func differences(
    from older: String? = nil, to newer: String? = nil, _ query: HistoryQuery = HistoryQuery()
  ) throws -> [ObjectDifference] {
    try StoreFile(path: older ?? copy).read { older in
      try StoreFile(path: newer ?? trips.path).read { newer in
        let common = try? StoreComparison(newer, older).common.number
        let comparison = try ObjectComparison(from: older, to: newer, common: common, query)
        var found: [ObjectDifference] = []
        while let difference = try comparison.next() { found.append(difference) }
        return found
      }
    }
  }

  private func texts(_ differences: [ObjectDifference]) -> [String] {
    differences.map { difference in
      let values = difference.values.filter { ($0.old ?? $0.new) != .value(.null) }.map {
        "\($0.name) \(Self.text($0.old)) \(Self.text($0.new))"
      }
      let transactions = difference.transactions.map { "\($0.lowerBound)-\($0.upperBound)" }
      return "\(difference.kind) p\(difference.primaryKey) \(transactions ?? "-") "
        + values.joined(separator: ", ")
        + (difference.unexplained.isEmpty ? "" : " unexplained \(difference.unexplained)")
    }
  }

  private static func text(_ content: RecordedContent?) -> String {
    switch content {
    case nil: "-"
    case .value(.text(let text)): text
    case .value(.integer(let number)): "\(number)"
    case .value(.null): "nil"
    default: "?"
    }
  }

  @Test func `each kind of difference has the values of both sides`() throws {
    #expect(
      try texts(differences()) == [
        "update p1 2-2 name Rome Roma", "delete p2 3-3 name Oslo -, score 1 -",
        "insert p4 4-4 name - Faro, score - 7",
      ])
    // The other way round.
    #expect(
      try texts(differences(from: trips.path, to: copy)) == [
        "update p1 2-2 name Roma Rome", "insert p2 3-3 name - Oslo, score - 1",
        "delete p4 4-4 name Faro -, score 7 -",
      ])
    #expect(try differences(from: copy, to: copy) == [])
  }

  @Test func `differences without a transaction are unexplained`() throws {
    try trips.sql("UPDATE ZTRIP SET ZSCORE = 5 WHERE Z_PK IN (1, 3)")
    try trips.sql("DELETE FROM ZTRIP WHERE Z_PK = 4")
    let found = try texts(differences())
    #expect(
      found == [
        #"update p1 2-2 name Rome Roma, score 1 5 unexplained ["score"]"#,
        "delete p2 3-3 name Oslo -, score 1 -", #"update p3 - score 1 5 unexplained ["score"]"#,
      ])
  }

  @Test func `a column without a property is compared`() throws {
    try trips.sql("UPDATE ZTRIP SET Z_OPT = 9 WHERE Z_PK = 3")
    let found = try #require(try differences().first { $0.primaryKey == 3 })
    #expect(found.values == [])
    #expect(found.columns.map(\.name) == ["Z_OPT"])
    #expect(found.columns.map(\.old) == [.value(.integer(1))])
    #expect(found.columns.map(\.new) == [.value(.integer(9))])
    #expect(found.unexplained == ["Z_OPT"])
  }

  @Test func `nothing is unexplained without a common transaction`() throws {
    try trips.sql("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    #expect(
      try texts(differences()) == [
        "update p1 - name Rome Roma", "delete p2 - name Oslo -, score 1 -",
        "insert p4 - name - Faro, score - 7",
      ])
  }

  @Test func `differences of diverged copies name the transactions of both`() throws {
    let editor = try StoreEditor(path: copy)
    var save = StoreSave(author: "copy")
    save.update(OpenTrips.trip(3), values: ["name": .text("Berne")])
    try editor.append(save)
    #expect(try texts(differences()).contains("update p3 2-2 name Berne Bern"))
  }

  @Test func `conditions select the compared objects`() throws {
    func found(_ change: ChangeCondition) throws -> [Int64] {
      var query = HistoryQuery()
      query.change = change
      return try differences(query).map(\.primaryKey)
    }
    #expect(try found(ChangeCondition(kinds: [.delete])) == [2])
    #expect(try found(ChangeCondition(kinds: [.insert, .update])) == [1, 4])
    #expect(try found(ChangeCondition(entities: ["Trip"])) == [1, 2, 4])
    #expect(try found(ChangeCondition(objects: [HistoryObject("Trip/p4")])) == [4])
    #expect(try found(ChangeCondition(attributes: ["name"])) == [1])
    #expect(try found(ChangeCondition(attributes: ["score"])) == [])
    #expect(throws: HistoryError.self) { try found(ChangeCondition(entities: ["Trop"])) }
  }

  @Test(
    .enabled(if: RealStores.path("swiftdata-rm-1wal.store") != nil),
    arguments: [
      ("swiftdata-rm-1wal.store", "swiftdata-rm-4wal.store"),
      ("swiftdata-rm-4wal.store", "swiftdata-rm-1wal.store"),
      ("swiftdata-rm-0empty.store", "swiftdata-rm-4wal.store"),
      ("swiftdata-rm-0empty.store", "swiftdata-rm-1wal.store"),
    ])
  func `every changed column of real copies is named`(older: String, newer: String) throws {
    let folder = try TemporaryFolder()
    let paths = try [older, newer].map { name in
      try folder.copy(store: try #require(RealStores.path(name)))
    }
    var found: Set<String> = []
    for difference in try differences(from: paths[0], to: paths[1]) {
      let object = "\(difference.entity.name ?? "")/p\(difference.primaryKey)"
      guard difference.kind == .update else {
        found.insert("\(object) \(difference.kind)")
        continue
      }
      for value in difference.values { found.insert("\(object) \(value.property)") }
      for column in difference.columns { found.insert("\(object) \(column.name)") }
    }
    #expect(try found == Self.truth(paths[0], paths[1]))
    if older != newer { #expect(!found.isEmpty) }
  }

  /// What differs by plain SQL: `Item/p9 name`, and for an object that one has, its kind.
  private static func truth(_ older: String, _ newer: String) throws -> Set<String> {
    let sql = try StoreQuery(path: newer)
    try sql.run("ATTACH '\(older)' AS old")
    let properties = try StoreFile(path: newer).read { snapshot -> [String: [String: String]] in
      let schema = try snapshot.objectSchema()
      return Dictionary(
        uniqueKeysWithValues: schema.tables.tables.map { table in
          var names: [String: String] = [:]
          for column in table.columns where column.isProperty || column.role == .entityKey {
            names[column.name] = RecordedValue.property(of: column.path)
          }
          return (table.name, names)
        })
    }
    var truth: Set<String> = []
    let object = "(SELECT Z_NAME FROM main.Z_PRIMARYKEY AS e WHERE e.Z_ENT = n.Z_ENT)"
    for table in properties.keys {
      let columns = try sql.lines("SELECT name FROM pragma_table_info('\(table)')")
      for column in columns where !["Z_PK", "Z_ENT"].contains(column) {
        let name = properties[table]?[column] ?? column
        truth.formUnion(
          try sql.lines(
            "SELECT \(object) || '/p' || n.Z_PK || ' \(name)' FROM main.\(table) AS n"
              + " JOIN old.\(table) AS o USING (Z_PK) WHERE n.\(column) IS NOT o.\(column)"))
      }
      for (kind, one, other) in [("insert", "main", "old"), ("delete", "old", "main")] {
        truth.formUnion(
          try sql.lines(
            "SELECT \(object) || '/p' || n.Z_PK || ' \(kind)' FROM \(one).\(table) AS n"
              + " WHERE Z_PK NOT IN (SELECT Z_PK FROM \(other).\(table))"))
      }
    }
    return truth
  }
}
