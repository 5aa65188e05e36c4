import HistoryCoding
import PersistentHistory
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// What is restored keeps its recorded values, whoever prunes meanwhile.
@Suite(.bounded) struct PruneDuringRestoreTests {
  private let trips: RecordedTrips
  private let rows: [String]
  private let sealed: SealedLines

  init() throws {
    trips = try RecordedTrips()
    rows = try trips.rows()
    sealed = try Self.sealed(trips.path)
  }

  /// What a store has, with the recorded values.
  private static func sealed(_ path: String) throws -> SealedLines {
    try StoreFile(path: path).read { snapshot in
      var query = HistoryQuery()
      query.recordedValues = try RecordedValues(beside: snapshot)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var transactions: [HistoryTransaction] = []
      while let transaction = try reader.next() { transactions.append(transaction) }
      return SealedLines(
        storeIdentifier: snapshot.metadata.storeIdentifier ?? "", transactions: transactions)
    }
  }

  private var request: PruneRequest {
    var request = PruneRequest(.transactions([.keepLast(1)]))
    request.ifLargerThan = 1 << 30
    return request
  }

  /// Prunes by a rule that lets nothing go, as a timer does.
  private func pruneNothing() throws {
    let pruner = try HistoryPruner(path: trips.path)
    let plan = try pruner.plan(request)
    let result = try pruner.prune(plan)
    #expect(result.problem == nil && result.deleted.transactionCount == 0)
  }

  private func prune(keeping count: Int64) throws {
    let pruner = try HistoryPruner(path: trips.path)
    let result = try pruner.prune(pruner.plan(PruneRequest(.transactions([.keepLast(count)]))))
    #expect(result.problem == nil)
  }

  @Test func `a prune that deletes nothing keeps values restored meanwhile`() throws {
    try prune(keeping: 1)
    #expect(try trips.rows() != rows)
    let restorer = try HistoryRestorer(path: trips.path)
    let plan = try restorer.plan(RestoreRequest(), of: sealed)
    let watched = WatchedHistory(base: sealed) { try pruneNothing() }
    #expect(try restorer.restore(plan, of: watched).problem == nil)
    #expect(try trips.rows() == rows)
  }

  /// The plan of the prune is from a time when the store had less.
  @Test func `a prune planned before keeps values restored meanwhile`() throws {
    try prune(keeping: 1)
    try StoreQuery(path: trips.valuesPath).run(
      """
      INSERT INTO recorded_value SELECT 1, timestamp, 1, entity, primary_key, 'left', kind, old,
        old_length, new, new_length, source FROM recorded_value LIMIT 1
      """)
    let pruner = try HistoryPruner(path: trips.path)
    let planned = try pruner.plan(request)
    #expect(planned.recordedValues?.valueCount == 1)
    let restorer = try HistoryRestorer(path: trips.path)
    let plan = try restorer.plan(RestoreRequest(from: "2"), of: sealed)
    #expect(try restorer.restore(plan, of: sealed).problem == nil)
    let result = try pruner.prune(planned)
    #expect(result.problem == nil && result.recordedValueCount == 1)
    #expect(try trips.rows() == rows)
  }

  /// A large transaction is put back in pieces, before it is there itself.
  @Test func `a prune keeps the values of a half-restored transaction`() throws {
    let count = 4700
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    var first = StoreSave()
    for key in 0..<count { first.insert("Tag", values: ["label": .text("\(key)")]) }
    try editor.append(first)
    var second = StoreSave()
    for key in 2..<count + 2 {
      second.update(
        StoreObject(entityName: "Tag", primaryKey: Int64(key)), values: ["label": .text("x")])
    }
    try editor.append(second)
    var last = StoreSave()
    last.insert("Tag", values: ["label": .text("last")])
    try editor.append(last)
    try editor.close()
    let rows = try trips.rows()
    #expect(rows.count >= count)
    let sealed = try Self.sealed(trips.path)
    try prune(keeping: 1)
    #expect(try trips.rows() == [])
    let restorer = try HistoryRestorer(path: trips.path)
    let plan = try restorer.plan(RestoreRequest(), of: sealed)
    var changeCount = 0
    // More changes than are read ahead: the first ones are in the store by then.
    let watched = WatchedHistory(base: sealed) {
    } onChange: {
      changeCount += 1
      if changeCount == count - 100 { try pruneNothing() }
    }
    #expect(try restorer.restore(plan, of: watched).problem == nil)
    #expect(changeCount > count)
    #expect(try trips.rows() == rows)
  }
}
