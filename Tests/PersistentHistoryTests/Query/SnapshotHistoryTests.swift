import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct SnapshotHistoryTests {
  private static let path = "trips.store"

  /// A store with transactions 1 to 5; the author of 2 and 4 is `widget`.
  private static func store(in folder: TemporaryFolder) throws -> StoreFile {
    let writer = try StoreWriter(path: folder.file(path))
    for number: Int64 in 1...5 {
      try writer.transaction(number, author: number.isMultiple(of: 2) ? "widget" : nil)
    }
    try writer.close()
    return try StoreFile(path: folder.file(path))
  }

  private static func numbers(
    _ snapshot: StoreSnapshot, after token: String? = nil, until end: String? = nil,
    matching query: HistoryQuery = HistoryQuery()
  ) throws -> [Int64] {
    let reader = try snapshot.history(after: token, until: end, matching: query)
    var numbers: [Int64] = []
    while let transaction = try reader.next() { numbers.append(transaction.number) }
    return numbers
  }

  @Test
  func `reading begins after a token of any form and ends with one`() throws {
    let folder = try TemporaryFolder()
    try Self.store(in: folder).read { (snapshot) throws in
      #expect(try Self.numbers(snapshot) == [1, 2, 3, 4, 5])
      #expect(try Self.numbers(snapshot, after: "3") == [4, 5])
      #expect(try Self.numbers(snapshot, after: "last~1") == [5])
      #expect(try Self.numbers(snapshot, after: "2001-01-01", until: "first") == [1])
      #expect(
        try Self.numbers(snapshot, after: "\(StoreWriter.identifier):1", until: "3") == [
          2, 3,
        ])
    }
  }

  @Test
  func `reading returns what a query selects`() throws {
    let folder = try TemporaryFolder()
    try Self.store(in: folder).read { (snapshot) throws in
      #expect(
        try Self.numbers(snapshot, matching: HistoryQuery(author: "widget")) == [2, 4])
      #expect(
        try Self.numbers(snapshot, after: "2", matching: HistoryQuery(after: 4)) == [
          3, 4, 5,
        ])
    }
  }

  @Test
  func `a token that does not work is an error`() throws {
    let folder = try TemporaryFolder()
    try Self.store(in: folder).read { (snapshot) throws in
      #expect(throws: HistoryError.self) { try snapshot.history(after: "6") }
      #expect(throws: HistoryError.self) { try snapshot.history(after: "no token") }
    }
  }

  @Test
  func `a snapshot and its readers end with their closure`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let (snapshot, reader) = try store.read { ($0, try $0.history()) }
    let ended = StoreError.endedSnapshot(path: folder.file(Self.path))
    #expect(throws: ended) { try reader.next() }
    #expect(throws: ended) { try snapshot.history() }
    #expect(throws: ended) { try TokenResolver(snapshot: snapshot).resolve("1") }
    #expect(throws: ended) { try HistorySchema(snapshot) }
  }
}
