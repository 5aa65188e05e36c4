import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct NetChangeReaderTests {
  private static func read(
    _ query: HistoryQuery = HistoryQuery(), in snapshot: StoreSnapshot,
    capacity: Int = NetChangeReader.usualCapacity
  ) throws -> [NetChange] {
    let reader = try NetChangeReader(snapshot: snapshot, query: query, capacity: capacity)
    var changes: [NetChange] = []
    while let change = try reader.next() { changes.append(change) }
    #expect(try reader.next() == nil)
    return changes
  }

  /// Rows out of what the reader of transactions gives.
  private static func rows(_ transactions: [HistoryTransaction]) -> [NaiveNetChanges.Row] {
    transactions.flatMap { transaction in
      transaction.changes.map {
        NaiveNetChanges.Row(
          transaction: transaction.number, number: $0.number, kind: $0.kind?.rawValue,
          entity: $0.entity?.number, primaryKey: $0.primaryKey, mask: $0.mask?.bytes,
          tombstone: $0.tombstone)
      }
    }
  }

  private static func transactions(_ snapshot: StoreSnapshot) throws -> [HistoryTransaction] {
    let reader = try HistoryReader(snapshot: snapshot)
    var transactions: [HistoryTransaction] = []
    while let transaction = try reader.next() { transactions.append(transaction) }
    return transactions
  }

  @Test(arguments: RandomHistory.Layout.allCases)
  func `net changes agree with a naive model for all queries and memory limits`(
    layout: RandomHistory.Layout
  ) throws {
    let folder = try TemporaryFolder()
    for seed: UInt64 in 21...22 {
      let path = folder.file("\(seed).store")
      var history = RandomHistory(seed: seed)
      try history.write(to: path, layout: layout)
      try StoreFile(path: path).read { snapshot in
        let all = try Self.transactions(snapshot)
        let whole = NaiveNetChanges(Self.rows(all)).outcomes
        #expect(Set(whole.map(\.kind)).count == 4)
        for capacity in [1, 2, 3, 5, 8, 1000] {
          let net = try Self.read(in: snapshot, capacity: capacity)
          #expect(net.compactMap(NaiveNetChanges.Outcome.init) == whole, "capacity \(capacity)")
        }
        for _ in 0..<40 {
          let query = try history.query()
          let chosen = all.filter { transaction in
            var conditions = query
            conditions.change = ChangeCondition()
            return conditions.matches(transaction)
          }.map { transaction in
            var transaction = transaction
            transaction.changes = transaction.changes.filter(query.change.matches)
            return transaction
          }
          let expected = NaiveNetChanges(Self.rows(chosen)).outcomes
          do {
            let net = try Self.read(query, in: snapshot, capacity: 4)
            #expect(net.compactMap(NaiveNetChanges.Outcome.init) == expected, "\(query)")
          } catch HistoryError.unknownAttribute {
            // An attribute that none of the entities has is a mistake, not a condition.
          }
        }
      }
    }
  }

  @Test
  func `the merged net changes of two parts are those of the whole`() throws {
    let folder = try TemporaryFolder()
    for seed: UInt64 in 31...34 {
      let path = folder.file("\(seed).store")
      var history = RandomHistory(seed: seed)
      try history.write(to: path, layout: .current)
      try StoreFile(path: path).read { snapshot in
        let whole = try Self.read(in: snapshot)
        for cut: Int64 in [20, 45, 70] {
          var merged: [NaiveNetChanges.Object: NetChange] = [:]
          for transaction in try Self.transactions(snapshot) where transaction.number <= cut {
            for change in transaction.changes {
              guard let first = NetChange(change, in: transaction.number) else { continue }
              let object = NaiveNetChanges.Object(
                entity: first.entity.number ?? -1, primaryKey: first.primaryKey)
              if merged[object]?.merge(first) == nil { merged[object] = first }
            }
          }
          // The later part as the reader gives it: without what came to nothing there.
          let later = try Self.read(HistoryQuery(after: cut), in: snapshot)
          for change in later {
            let object = NaiveNetChanges.Object(
              entity: change.entity.number ?? -1, primaryKey: change.primaryKey)
            if merged[object]?.merge(change) == nil { merged[object] = change }
          }
          let quiet = Set(later.compactMap(\.object))
          for change in whole where change.object.map(quiet.contains) ?? false {
            let object = NaiveNetChanges.Object(
              entity: change.entity.number ?? -1, primaryKey: change.primaryKey)
            #expect(merged[object]?.kind == change.kind)
            #expect(merged[object]?.columns == change.columns)
            #expect(merged[object]?.tombstone == change.tombstone)
            #expect(merged[object]?.changeCount == change.changeCount)
          }
        }
      }
    }
  }

  @Test
  func `numbers beyond 32 bits and negative numbers are folded`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    let numbers: [Int64] = [.min, -5, 0, 7, 1 << 31, 1 << 32, 1 << 40, .max]
    var expected: [NaiveNetChanges.Row] = []
    for (index, number) in numbers.enumerated() {
      try writer.transaction(number, at: 1)
      for key in numbers.dropFirst(index % 3) {
        let change = key == .max ? Int64.max - Int64(index) : Int64(expected.count + 1)
        let kind: Int64 = index == 0 ? 0 : index % 4 == 3 ? 2 : 1
        let mask: [UInt8]? = kind == 1 ? [UInt8(1 << index), 0] : nil
        let tombstone: [StoredValue] = kind == 2 ? [.integer(key)] : []
        try writer.change(change, of: number, kind, 5, key, mask: mask, tombstone: tombstone)
        expected.append(
          .init(
            transaction: number, number: change, kind: kind, entity: 5, primaryKey: key,
            mask: mask, tombstone: tombstone))
      }
    }
    try writer.close()
    let outcomes = NaiveNetChanges(
      expected.sorted { ($0.transaction, $0.number) < ($1.transaction, $1.number) }
    ).outcomes
    try StoreFile(path: writer.path).read { snapshot in
      for capacity in [2, 3, 100] {
        let net = try Self.read(in: snapshot, capacity: capacity)
        #expect(net.compactMap(NaiveNetChanges.Outcome.init) == outcomes)
      }
      let after = try Self.read(HistoryQuery(after: .max - 1), in: snapshot)
      #expect(after.allSatisfy { $0.firstTransaction == .max })
      #expect(try Self.read(HistoryQuery(after: .max), in: snapshot).isEmpty)
      #expect(try Self.read(HistoryQuery(after: 7, until: 7), in: snapshot).isEmpty)
    }
  }

  @Test
  func `no object is lost while memory grows`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    try writer.transaction(1)
    try writer.transaction(2)
    var random = SeededGenerator(seed: 5)
    var rows: [NaiveNetChanges.Row] = []
    for index in 0..<3000 {
      let entity = Int64.random(in: 1...2000, using: &random)
      let mask = (0..<60).map { _ in UInt8.random(in: 0...255, using: &random) }
      rows.append(
        .init(
          transaction: index < 1500 ? 1 : 2, number: Int64(index + 1), kind: 1, entity: entity,
          primaryKey: Int64.random(in: 1...2, using: &random), mask: mask))
    }
    try writer.insert(
      into: "ACHANGE",
      rows.map {
        [
          ("Z_PK", .integer($0.number)), ("ZCHANGETYPE", .integer(1)),
          ("ZENTITY", .integer($0.entity ?? 0)), ("ZENTITYPK", .integer($0.primaryKey ?? 0)),
          ("ZTRANSACTIONID", .integer($0.transaction)), ("ZCOLUMNS", .blob($0.mask ?? [])),
        ]
      })
    try writer.close()
    try StoreFile(path: writer.path).read { snapshot in
      let net = try Self.read(in: snapshot, capacity: 5000)
      #expect(net.compactMap(NaiveNetChanges.Outcome.init) == NaiveNetChanges(rows).outcomes)
    }
  }

  private struct ExpectedObject: Equatable {
    let entity: Int
    let key: Int
  }

  @Test
  func `more entities than 16 bits can number are folded`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    try writer.transaction(1)
    try writer.close()
    // A third of the objects are of the last entity, so that those that are kept have all others.
    try StoreQuery(path: writer.path).run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 210000)
      INSERT INTO ACHANGE (Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
      SELECT i, 0, CASE WHEN i <= 140000 THEN 1 + i * 48611 % 70000 ELSE 70001 END, i, 1 FROM n;
      """)
    try StoreFile(path: writer.path).read { snapshot in
      let net = try Self.read(in: snapshot)
      var expected = (1...140_000).map { ExpectedObject(entity: 1 + $0 * 48611 % 70_000, key: $0) }
      expected.sort { ($0.entity, $0.key) < ($1.entity, $1.key) }
      expected += (140_001...210_000).map { ExpectedObject(entity: 70_001, key: $0) }
      #expect(
        net.map { ExpectedObject(entity: Int($0.entity.number ?? 0), key: Int($0.primaryKey)) }
          == expected)
    }
  }

  @Test
  func `changes that cannot be folded are counted`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    try SampleStore.fill(writer)
    try writer.sql("UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK = 1")
    try writer.sql("UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK IN (2, 3)")
    try writer.sql("UPDATE ACHANGE SET ZENTITY = 'x' WHERE Z_PK = 4")
    // Rows of a transaction that is gone are no history.
    try writer.sql("UPDATE ACHANGE SET ZTRANSACTIONID = 99 WHERE Z_PK = 5")
    try writer.close()
    try StoreFile(path: writer.path).read { snapshot in
      let count = try snapshot.changeCount()
      for capacity in [2, 1000] {
        #expect(throws: StoreError.self) { try Self.read(in: snapshot, capacity: capacity) }
        var query = HistoryQuery()
        query.checksCompleteness = false
        let reader = try NetChangeReader(snapshot: snapshot, query: query, capacity: capacity)
        while try reader.next() != nil {}
        #expect(reader.skippedChangeCount == 4)
        #expect(Int64(reader.changeCount) == count - 1)
      }
    }
  }

  @Test
  func `a store without history tables is an error, and an empty history has no net changes`()
    throws
  {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: folder.file("none.store"), shape: shape).close()
    let none = try StoreFile(path: folder.file("none.store"))
    #expect(throws: StoreError.withoutHistory(path: folder.file("none.store"))) {
      _ = try none.read { try Self.read(in: $0) }
    }
    shape.hasHistory = true
    shape.tombstoneColumns = 0
    let writer = try StoreWriter(path: folder.file("empty.store"), shape: shape)
    let empty = try StoreFile(path: writer.path).read { try Self.read(in: $0) }
    #expect(empty.isEmpty)
    try writer.transaction(1)
    try writer.change(1, of: 1, 2, 5, 1)
    try writer.close()
    let deleted = try StoreFile(path: writer.path).read { try Self.read(in: $0) }
    #expect(deleted.map(\.kind) == [.delete])
  }

  @Test
  func `an object deleted twice has its first tombstone`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    for (number, kind, text) in [(1, 2, "Rome"), (2, 0, nil), (3, 2, "Oslo")]
      as [(Int64, Int64, String?)]
    {
      try writer.transaction(number)
      try writer.change(
        number, of: number, kind, 5, 1, tombstone: text.map { [.text($0)] } ?? [])
    }
    try writer.close()
    let net = try StoreFile(path: writer.path).read { try Self.read(in: $0) }
    #expect(net.map(\.kind) == [.delete] && net.map(\.tombstone) == [[.text("Rome")]])
  }

  @Test
  func `tombstones are read only if requested`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      for isWanted in [true, false] {
        let reader = try NetChangeReader(
          snapshot: snapshot, query: HistoryQuery(after: 9), readsTombstones: isWanted)
        var tombstones: [Int] = []
        while let change = try reader.next() {
          #expect(change.kind == .delete)
          tombstones.append(change.tombstone.count)
        }
        // A stay, an item and a trip.
        #expect(tombstones == (isWanted ? [1, 0, 6] : [0, 0, 0]))
      }
    }
  }

  @Test(
    .needsRealStores,
    arguments: RealStores.paths)
  func `net changes of real stores agree with their rows`(source: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: source)
    let store = try StoreFile(path: path)
    guard try store.read({ $0.layout.history != nil }) else { return }
    let columns = try store.read { snapshot in
      try snapshot.historyTables().tombstoneColumns.map { ", \($0)" }.joined()
    }
    let rows = try StoreQuery(path: path).rows(
      """
      SELECT ZTRANSACTIONID, Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(columns)
      FROM ACHANGE ORDER BY ZTRANSACTIONID, Z_PK
      """
    ).map { values in
      func integer(_ index: Int) -> Int64? {
        if case .integer(let number) = values[index] { number } else { nil }
      }
      var mask: [UInt8]?
      if case .blob(let bytes) = values[5] { mask = bytes }
      var tombstone = Array(values[6...])
      while tombstone.last?.isNull == true { tombstone.removeLast() }
      return NaiveNetChanges.Row(
        transaction: integer(0) ?? 0, number: integer(1) ?? 0, kind: integer(2),
        entity: integer(3), primaryKey: integer(4), mask: mask, tombstone: tombstone)
    }
    try store.read { snapshot in
      let newest = try snapshot.newestTransaction()?.number ?? 0
      let oldest = try snapshot.oldestTransaction()?.number ?? 0
      let middle = (oldest + newest) / 2
      for (after, until) in [(0, newest), (oldest, middle), (middle, newest), (newest, newest)] {
        let chosen = rows.filter { $0.transaction > after && $0.transaction <= until }
        let expected = NaiveNetChanges(chosen).outcomes
        for capacity in [500, NetChangeReader.usualCapacity] {
          let net = try Self.read(
            HistoryQuery(after: after, until: until), in: snapshot, capacity: capacity)
          #expect(net.compactMap(NaiveNetChanges.Outcome.init) == expected)
          // Since macOS 10.15 every mask of a real store can be read.
          #expect(net.allSatisfy { $0.kind != .update || $0.attributes != nil })
        }
      }
    }
  }
}
