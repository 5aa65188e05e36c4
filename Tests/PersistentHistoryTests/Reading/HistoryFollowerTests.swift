import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Following a store, look by look.
@Suite(.bounded) struct HistoryFollowerTests {
  @Test
  func `following ends at the highest number there can be`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    try writer.transaction(.max)
    try writer.close()
    let follower = try HistoryFollower(path: writer.path, query: HistoryQuery(), after: .max)
    try follower.readNews { _ in Issue.record("there is nothing new") }
    #expect(follower.position == .max)
    let other = try HistoryFollower(path: writer.path, query: HistoryQuery(), after: 5)
    var gaps: [Int64] = []
    try other.readNews { event in
      if case .gap(_, let oldest) = event { gaps.append(oldest) }
    }
    #expect(gaps == [.max] && other.position == .max)
  }

  @Test
  func `a save that a locked store hides from one reading is in the next`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let follower = try HistoryFollower(
      path: path, busyTimeout: 0, query: HistoryQuery(), after: 0)
    try follower.readNews { _ in }
    let read = follower.position
    let other = try StoreQuery(path: path)
    try other.run("INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (\(read + 1), 1)")
    try other.run("BEGIN EXCLUSIVE")
    #expect(throws: StoreError.busy(path: path, seconds: 0)) { try follower.readNews { _ in } }
    try other.run("ROLLBACK")
    var seen: [Int64] = []
    try follower.readNews { event in
      guard case .transactions(let reader) = event else { return }
      while let transaction = try reader.nextTransaction() { seen.append(transaction.number) }
    }
    #expect(seen == [read + 1])
  }

  @Test(arguments: [
    (Int64(4), Int64(6), "transaction 5 is gone"), (4, 8, "transactions 5 to 7 are gone"),
    (.min, .max, "transactions -9223372036854775807 to 9223372036854775806 are gone"),
  ])
  func `gaps are reported for any numbers`(_ after: Int64, _ oldest: Int64, _ message: String) {
    #expect(HistoryGap(store: nil, after: after, oldest: oldest).message == message)
  }
}
