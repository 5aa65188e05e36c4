import PersistentHistory
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// Which recorded values go with the transactions that are pruned.
@Suite(.bounded) struct PrunedValuesTests {
  private let trips: RecordedTrips

  init() throws { trips = try RecordedTrips() }

  private func transactions() throws -> [String] {
    try StoreQuery(path: trips.valuesPath).lines(
      "SELECT DISTINCT transaction_number FROM recorded_value ORDER BY 1")
  }

  private func save() throws {
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    var save = StoreSave()
    save.update(StoreObject(entityName: "Trip", primaryKey: 1), values: ["name": .text("Paris")])
    try editor.append(save)
    try editor.close()
  }

  @Test func `values of saves after the plan stay`() throws {
    let pruner = try HistoryPruner(path: trips.path)
    let plan = try pruner.plan(PruneRequest(.transactions([.all])))
    #expect(plan.recordedValues?.firstKept == 7)
    try save()
    let result = try pruner.prune(plan)
    #expect(result.problem == nil)
    #expect(result.deleted.transactionCount == 6 && result.recordedValueCount == 15)
    #expect(try transactions() == ["7"])
  }

  /// A save writes its values before its transaction is there.
  @Test(arguments: [false, true]) func `values of an unfinished save stay`(
    _ isEmpty: Bool
  ) throws {
    if isEmpty {
      try StoreQuery(path: trips.path).run("DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    }
    try StoreQuery(path: trips.valuesPath).run(
      """
      INSERT INTO recorded_value SELECT 7, timestamp, 40, entity, primary_key, name, kind, 'x',
        NULL, 'y', NULL, NULL FROM recorded_value WHERE transaction_number = 4
      """)
    let pruner = try HistoryPruner(path: trips.path)
    let result = try pruner.prune(try pruner.plan(PruneRequest(.transactions([.all]))))
    #expect(result.problem == nil && result.recordedValueCount == 15)
    #expect(try transactions() == ["7"])
  }

  /// A mirror whose position is unknown keeps transactions, and there are none.
  @Test(arguments: [false, true]) func `no values stay for an empty history`(
    _ isMirrored: Bool
  ) throws {
    let query = try StoreQuery(path: trips.path)
    try query.run("DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    if isMirrored {
      try query.run("CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    }
    let pruner = try HistoryPruner(path: trips.path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(3)])))
    #expect(!plan.isEmpty && plan.recordedValues?.valueCount == 15)
    #expect(try pruner.prune(plan).problem == nil)
    #expect(try transactions() == [])
  }

  @Test func `values stay if their transactions could not be deleted`() throws {
    let pruner = try HistoryPruner(path: trips.path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    try StoreQuery(path: trips.path).run(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 5")
    let before = try transactions()
    let result = try pruner.prune(plan)
    #expect(result.problem is StoreWriteError)
    #expect(result.deleted.transactionCount == 0 && result.recordedValueCount == 0)
    #expect(try transactions() == before)
  }

  @Test func `an unreadable file of values is left unchanged`() throws {
    try FileBytes.write(Array("nonsense".utf8), to: trips.valuesPath)
    let pruner = try HistoryPruner(path: trips.path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    #expect(plan.recordedValues?.problem != nil)
    #expect(plan.recordedValues?.path == trips.valuesPath)
    let result = try pruner.prune(plan)
    #expect(result.problem == nil && result.recordedValueCount == 0)
    #expect(result.deleted.transactionCount == 4)
    #expect(try FileBytes.read(trips.valuesPath) == Array("nonsense".utf8))
  }

  /// The transactions are gone then, and the next run deletes their values.
  @Test(arguments: [true, false])
  func `values that cannot be deleted are reported`(_ isLocked: Bool) throws {
    let pruner = try HistoryPruner(path: trips.path, busyTimeout: 0.1)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    let query = try StoreQuery(path: trips.valuesPath)
    if isLocked {
      try query.run("BEGIN IMMEDIATE")
    } else {
      try query.run("PRAGMA user_version = 1000")
      try query.run("DROP TABLE recorded_value")
    }
    let result = try pruner.prune(plan)
    #expect(result.problem != nil)
    #expect(result.deleted.transactionCount == 4)
  }

  /// The first transaction has inserts only, whose values are not recorded.
  @Test func `transactions without values are deleted while the file is locked`() throws {
    let pruner = try HistoryPruner(path: trips.path, busyTimeout: 0.1)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(5)])))
    #expect(plan.recordedValues?.valueCount == 0)
    let query = try StoreQuery(path: trips.valuesPath)
    try query.run("BEGIN IMMEDIATE")
    let result = try pruner.prune(plan)
    #expect(result.problem == nil && result.deleted.transactionCount == 1)
  }
}
