import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

/// What a mirror has written into a store, and what of the history it still needs.
@Suite(.bounded) struct MirroringStateTests {
  private static func state(
    token: StoredValue?, records: [MirroredTables.Record] = [], sql: String? = nil
  ) throws -> MirroringState {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    try MirroredTables.add(to: writer, token: token, records: records)
    if let sql { try writer.sql(sql) }
    try writer.close()
    return try StoreFile(path: folder.file("trips.store")).read {
      try #require(try MirroringState(snapshot: $0))
    }
  }

  private static func archive(_ number: Int64) throws -> StoredValue {
    try MirroredTables.archive([StoreWriter.identifier: number])
  }

  @Test
  func `a store that is not mirrored has no state`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      let state = try MirroringState(snapshot: snapshot)
      #expect(state == nil)
    }
  }

  @Test
  func `the mirror needs its own token and everything after it`() throws {
    let state = try Self.state(token: Self.archive(10))
    #expect(state.token?.number == 10)
    #expect(state.token?.state == .valid)
    #expect(state.exports?.recordCount == 0)
    #expect(state.need == .from(transaction: 10))
  }

  @Test
  func `a pending record needs the history since its last export`() throws {
    typealias Record = MirroredTables.Record
    for (records, pending, need) in [
      ([Record(lastExported: .integer(3))], 0, 10),
      ([Record(needsUpload: true, lastExported: .integer(7))], 1, 7),
      ([Record(needsDelete: true, lastExported: .integer(7), pendingExport: .integer(9))], 1, 7),
      ([Record(pendingExport: .integer(8))], 1, 8),
      ([Record(lastExported: .integer(8), pendingExport: .integer(8))], 0, 10),
      ([Record(lastExported: .integer(4), pendingExport: .integer(8))], 1, 4),
      (
        [
          Record(needsUpload: true, lastExported: .integer(9)),
          Record(needsUpload: true, lastExported: .integer(6)), Record(lastExported: .integer(1)),
        ], 2, 6
      ),
      ([Record(needsUpload: true, lastExported: .integer(12))], 1, 10),
    ] as [([Record], Int64, Int64)] {
      let state = try Self.state(token: Self.archive(10), records: records)
      #expect(state.exports?.recordCount == Int64(records.count))
      #expect(state.exports?.pendingCount == pending)
      #expect(state.need == .from(transaction: need))
    }
  }

  @Test(
    arguments: [
      (StoredValue?.none, nil, "ANSCKMETADATAENTRY has no NSCloudKitMirroring"),
      (.null, nil, "holds no archive"), (.text("token"), nil, "holds no archive"),
      (.blob([]), nil, "cannot be read"),
      (.blob([7, 7, 7]), nil, "cannot be read"),
      (
        .blob([1]),
        "INSERT INTO ANSCKMETADATAENTRY (ZKEY) VALUES ('\(MirroredTables.tokenKey)')",
        "more than once"
      ),
      (.blob([1]), "DROP TABLE ANSCKMETADATAENTRY", "there is no table ANSCKMETADATAENTRY"),
      (
        .blob([1]), "ALTER TABLE ANSCKMETADATAENTRY DROP COLUMN ZTRANSFORMEDVALUE",
        "has no column ZTRANSFORMEDVALUE"
      ),
    ] as [(StoredValue?, String?, String)])
  func `unreadable parts are reported, and nothing is guessed`(
    token: StoredValue?, sql: String?, words: String
  ) throws {
    let state = try Self.state(token: token, sql: sql)
    guard case .unknown(let reason) = state.need else {
      Issue.record("\(state.need)")
      return
    }
    #expect(reason.contains(words), "\(reason)")
    #expect(state.token == nil)
  }

  @Test
  func `a token archive that is too long is not read`() throws {
    let state = try Self.state(token: .blob(Array(repeating: 7, count: (1 << 20) + 1)))
    guard case .unknown(let reason) = state.need else {
      Issue.record("\(state.need)")
      return
    }
    #expect(reason.contains("holds no archive"))
  }

  @Test
  func `a token that does not work determines no needed history`() throws {
    for (token, sql, words) in [
      (try Self.archive(3), "DELETE FROM ATRANSACTION WHERE Z_PK < 5", "it is expired"),
      (try Self.archive(99), nil, "it is ahead"),
      (
        try MirroredTables.archive(["00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F": 3]), nil,
        "names another store"
      ),
    ] as [(StoredValue, String?, String)] {
      let state = try Self.state(token: token, sql: sql)
      guard case .unknown(let reason) = state.need else {
        Issue.record("\(state.need)")
        continue
      }
      #expect(reason.contains(words), "\(reason)")
    }
  }

  @Test
  func `a mirrored store without history has no state`() throws {
    let error = try #require(throws: StoreError.self) {
      try Self.state(token: .null, sql: "DROP TABLE ATRANSACTION; DROP TABLE ACHANGE")
    }
    guard case .withoutHistory = error else {
      Issue.record("another error: \(error)")
      return
    }
  }

  @Test
  func `invalid records are reported`() throws {
    for (record, sql, words) in [
      (MirroredTables.Record(needsUpload: true), nil, "1 records wait to be exported and name no"),
      (.init(needsUpload: true, lastExported: .text("x")), nil, "name no transaction"),
      (.init(), "DROP TABLE ANSCKRECORDMETADATA", "there is no table ANSCKRECORDMETADATA"),
      (
        .init(), "ALTER TABLE ANSCKRECORDMETADATA DROP COLUMN ZNEEDSUPLOAD",
        "has no column ZNEEDSUPLOAD"
      ),
    ] as [(MirroredTables.Record, String?, String)] {
      let state = try Self.state(token: Self.archive(10), records: [record], sql: sql)
      guard case .unknown(let reason) = state.need else {
        Issue.record("\(state.need)")
        continue
      }
      #expect(reason.contains(words), "\(reason)")
      #expect(state.token?.number == 10)
    }
  }
}
