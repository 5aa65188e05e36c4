import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct NetChangeSummaryTests {
  @Test
  func `net changes are counted by entity and kind, without objects that have none`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      func summary(_ query: HistoryQuery) throws -> NetChangeSummary {
        let reader = try NetChangeReader(snapshot: snapshot, query: query)
        var summary = NetChangeSummary()
        while let change = try reader.next() { summary.add(change) }
        return summary
      }
      // Everything is inserted, updated and deleted again.
      let everything = try summary(HistoryQuery())
      #expect(everything.entries.isEmpty)
      let counted = try summary(HistoryQuery(after: 1, until: 5))
      #expect(
        counted.entries.map(\.entity?.name) == ["LivingAccommodation", "BucketListItem", "Trip"])
      for entry in counted.entries {
        #expect((entry.counts.inserts, entry.counts.deletes, entry.counts.total) == (1, 1, 2))
      }
      #expect(counted.total.total == 6)
      #expect(counted.total.count(.insert) == 3 && counted.total.count(.replace) == 0)
      let updated = try summary(HistoryQuery(after: 5, until: 7))
      #expect(updated.total.updates == 3 && updated.total.total == 3)
    }
  }

  @Test
  func `more entities than any model has are counted together`() throws {
    var summary = NetChangeSummary()
    for number in 1...3000 {
      let change = HistoryChange(
        number: 1, kind: .insert, entity: HistoryEntity(name: nil, number: Int64(number)),
        primaryKey: 1)
      summary.add(try #require(NetChange(change, in: 1)))
    }
    #expect(summary.entries.count <= 1001)
    #expect(summary.entries.reduce(0) { $0 + $1.counts.total } == 3000)
    #expect(summary.total.inserts == 3000)
  }
}
