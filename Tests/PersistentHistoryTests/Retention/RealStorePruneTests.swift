import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Stores that the frameworks wrote, pruned at many places.
@Suite(.bounded, .needsRealStores) struct RealStorePruneTests {
  @Test(arguments: RealStores.paths) func `pruning matches plain SQL`(_ path: String) throws {
    let original = try TemporaryFolder()
    let source = try StoreQuery(path: original.copy(store: path))
    let numbers = (try? source.lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")) ?? []
    guard let newest = numbers.last else { return }
    let before = try source.contents()
    let counts = Set([
      1, 2, 3, numbers.count / 4, numbers.count / 2, numbers.count - 1, numbers.count,
    ])
    for count in counts.sorted() where count > 0 {
      let folder = try TemporaryFolder()
      let copy = try folder.copy(store: path)
      let pruner = try HistoryPruner(path: copy)
      var request = PruneRequest(.transactions([.keepLast(Int64(count))]))
      request.ignoredGuards = ["mirroring", "damage"]
      let plan = try pruner.plan(request)
      let result = try pruner.prune(plan)
      #expect(result.problem == nil)

      let cut = numbers[numbers.count - min(count, numbers.count)]
      let query = try StoreQuery(path: copy)
      #expect(
        try query.lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK") == numbers.suffix(count))
      var expected = before
      for (table, column) in [("ACHANGE", "ZTRANSACTIONID"), ("ATRANSACTION", "Z_PK")] {
        expected[table] = try source.rows(
          "SELECT * FROM \(table) WHERE \(column) >= \(cut) ORDER BY rowid")
      }
      let after = try query.contents()
      let different = after.keys.filter { after[$0] != expected[$0] }
      #expect(different.isEmpty, "\(different)")
      #expect(
        result.deleted.changeCount
          == (before["ACHANGE"]?.count ?? 0) - (after["ACHANGE"]?.count ?? 0))
      #expect(result.deleted.transactionCount == numbers.count - min(count, numbers.count))
      #expect(try query.lines("PRAGMA integrity_check") == ["ok"])

      // The frameworks' rule: a token works while the transaction of exactly its number is there.
      let kept = Set(numbers.suffix(count))
      try StoreFile(path: copy).read { snapshot in
        let resolver = TokenResolver(snapshot: snapshot)
        for number in numbers {
          let state = try resolver.resolve(number).state
          #expect(state == (kept.contains(number) ? .valid : .expired))
        }
        #expect(try resolver.resolve(newest).state == .valid)
      }
    }
  }
}
