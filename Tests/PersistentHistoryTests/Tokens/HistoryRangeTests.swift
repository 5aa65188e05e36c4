import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryRangeTests {
  @Test(
    arguments: [
      ("3", "7", 3, 7, false), ("7", "3", 3, 7, true), ("5", "5", 5, 5, false),
      ("3", nil, 3, 12, false), ("0", nil, 0, 12, false), ("last", nil, 12, 12, false),
      ("last", "first", 1, 12, true), ("first", "last", 1, 12, false), ("last~2", "0", 0, 10, true),
      ("2024-07-29T00:44:40Z", "2024-07-29T00:46:40Z", 2, 4, false),
      ("2001-01-01", "2200-01-01", 0, 12, false), ("2200-01-01", nil, 12, 12, false),
    ] as [(String, String?, Int64, Int64, Bool)])
  func `a range may be reversed, open-ended or given by moments`(
    start: String, end: String?, after: Int64, until: Int64, reversed: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      let range = try TokenResolver(snapshot: snapshot).range(from: start, to: end)
      #expect((range.after, range.until) == (after, until))
      #expect(range.isReversed == reversed)
    }
  }

  @Test
  func `a range needs two tokens that work`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    try writer.sql("DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    try writer.close()
    try StoreFile(path: writer.path).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot)
      for (start, end) in [("2", nil), ("2", "7"), ("7", "2"), ("5", "13"), ("13", nil)] {
        #expect(throws: HistoryError.self) { try resolver.range(from: start, to: end) }
      }
      let range = try resolver.range(from: "0", to: "4")
      #expect(range == HistoryRange(from: 0, to: 4))
    }
  }

  @Test
  func `an empty history is between its beginning and its end`() throws {
    let folder = try TemporaryFolder()
    try StoreWriter(path: folder.file("x.store")).close()
    try StoreFile(path: folder.file("x.store")).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot)
      for (start, end) in [("0", nil), ("first", "last"), ("yesterday", "last")] {
        let range = try resolver.range(from: start, to: end)
        #expect(range == HistoryRange(from: 0, to: 0))
      }
    }
  }
}
