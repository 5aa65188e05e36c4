import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// What is found in stores that were put wrong on purpose, one thing at a time.
@Suite(.bounded) struct StoreVerificationTests {
  /// One thing that is wrong, and all that is to be found.
  struct Case: Sendable, CustomTestStringConvertible {
    let sql: String
    let found: [StoreFindingKind: Int64]
    /// The place of the first finding of the first kind.
    let place: String

    var testDescription: String { sql }

    init(_ sql: String, _ found: [StoreFindingKind: Int64], at place: String) {
      self.sql = sql
      self.found = found
      self.place = place
    }
  }

  static let cases = [
    Case(
      "UPDATE Z_METADATA SET Z_PLIST = x'6270'", [.damagedMetadata: 1], at: "table Z_METADATA"),
    Case("UPDATE Z_METADATA SET Z_UUID = 'x'", [.missingIdentifier: 1], at: "table Z_METADATA"),
    Case("UPDATE Z_METADATA SET Z_UUID = NULL", [.missingIdentifier: 1], at: "table Z_METADATA"),
    Case(
      "UPDATE Z_MODELCACHE SET Z_CONTENT = x'A5A5A5'", [.damagedModel: 1],
      at: "table Z_MODELCACHE"),
    Case(
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Nobody' WHERE Z_ENT = 4", [.modelMismatch: 2],
      at: "entity Nobody"),
    // A store without any table of the model holds a history alone.
    Case(
      """
      CREATE TABLE ZACCOMMODATION (Z_PK INTEGER PRIMARY KEY);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY); CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY)
      """, [.missingTable: 1], at: "entity BucketListItem"),
    Case(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 16002", [.tornCounter: 1],
      at: "entity TRANSACTION"),
    Case("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001", [.tornCounter: 1], at: "entity CHANGE"),
    Case(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16003", [.tornCounter: 1],
      at: "entity TRANSACTIONSTRING"),
    // Keys are counted at the root of a hierarchy.
    Case(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 8 WHERE Z_ENT = 1", [.tornCounter: 1],
      at: "entity Accommodation"),
    Case("DELETE FROM ACHANGE", [.missingChanges: 1], at: "table ACHANGE"),
    Case("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX", [.missingIndex: 1], at: "table ACHANGE"),
    Case(
      "CREATE TRIGGER t AFTER INSERT ON ACHANGE BEGIN SELECT 1; END", [.addedTrigger: 1],
      at: "the store"),
    Case(
      "CREATE INDEX calculated ON ACHANGE (abs(ZENTITY))", [.calculatedTable: 1],
      at: "table ACHANGE"),
    Case(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (-5, 16002, 1.0)",
      [.invalidNumber: 1], at: "transaction -5"),
    Case(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 3", [.missingTime: 1],
      at: "transaction 3"),
    Case(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 'noon' WHERE Z_PK = 3", [.missingTime: 1],
      at: "transaction 3"),
    Case(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 1e300 WHERE Z_PK = 12", [.impossibleTime: 1],
      at: "transaction 12"),
    Case(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (5, 6, 8);
      DELETE FROM ATRANSACTION WHERE Z_PK IN (5, 6, 8)
      """, [.numberGap: 2], at: "transactions 5 to 6"),
    Case(
      "UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 12", [.danglingText: 1],
      at: "transaction 12"),
    Case(
      "UPDATE ATRANSACTIONSTRING SET ZNAME = NULL WHERE ZNAME = 'import'",
      [.damagedText: 1, .danglingText: 1], at: "transaction 5"),
    Case(
      "UPDATE ATRANSACTION SET ZAUTHOR = 'me' WHERE Z_PK = 1", [.doubleText: 1],
      at: "transaction 1"),
    Case("DELETE FROM ATRANSACTION WHERE Z_PK = 1", [.orphanChange: 3], at: "change 1 of"),
    Case(
      "UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE Z_PK = 4", [.orphanChange: 1],
      at: "change 4"),
    Case(
      "UPDATE ACHANGE SET ZTRANSACTIONID = 99 WHERE Z_PK = 27", [.orphanChange: 1],
      at: "change 27 of transaction 99"),
    Case(
      "UPDATE ACHANGE SET ZTRANSACTIONID = 99 WHERE Z_PK IN (4, 9)", [.orphanChange: 2],
      at: "change 4 of transaction 99"),
    Case("UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK = 1", [.unknownKind: 1], at: "change 1 of"),
    Case("UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK = 1", [.missingObject: 1], at: "change 1"),
    Case("UPDATE ACHANGE SET ZENTITY = 'x' WHERE Z_PK = 2", [.missingObject: 1], at: "change 2"),
    Case("UPDATE ACHANGE SET ZENTITY = 99 WHERE Z_PK = 1", [.unknownEntity: 1], at: "change 1 of"),
    Case("UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE Z_PK = 4", [.missingMask: 1], at: "change 4 of"),
    Case(
      "UPDATE ACHANGE SET ZCOLUMNS = x'80' WHERE Z_PK IN (1, 9)", [.unexpectedMask: 2],
      at: "change 1 of transaction 1"),
    Case(
      "UPDATE ACHANGE SET ZCOLUMNS = x'FFFFFFFFFF' WHERE Z_PK = 4", [.misfittingMask: 1],
      at: "change 4 of transaction 2"),
    // Of the right length, with a bit behind the last slot.
    Case(
      "UPDATE ACHANGE SET ZCOLUMNS = x'01' WHERE Z_PK = 5", [.misfittingMask: 1], at: "change 5"),
    Case(
      "UPDATE ACHANGE SET ZTOMBSTONE0 = 'left' WHERE Z_PK = 1", [.unexpectedTombstone: 1],
      at: "change 1 of transaction 1"),
    Case(
      "UPDATE ACHANGE SET ZTOMBSTONE0 = 5 WHERE Z_PK = 7", [.misfittingTombstone: 1],
      at: "change 7 of transaction 4"),
    Case(
      "UPDATE ACHANGE SET ZTOMBSTONE1 = 'Rome' WHERE Z_PK = 8", [.misfittingTombstone: 1],
      at: "change 8 of transaction 4"),
    Case(
      "UPDATE ACHANGE SET ZTRANSACTIONID = 2 WHERE Z_PK = 27", [.changesOutOfOrder: 1],
      at: "change 27 of transaction 2"),
    Case(
      "UPDATE ACHANGE SET ZTRANSACTIONID = 10 WHERE Z_PK = 4", [.changesOutOfOrder: 1],
      at: "change 5 of transaction 2"),
    Case("UPDATE ACHANGE SET Z_OPT = 3 WHERE Z_PK = 1", [.unexpectedValue: 1], at: "change 1"),
    Case("UPDATE ACHANGE SET Z_ENT = 5 WHERE Z_PK = 1", [.unexpectedValue: 1], at: "change 1"),
    Case(
      "ALTER TABLE ATRANSACTION ADD COLUMN ZNEW; UPDATE ATRANSACTION SET ZNEW = 1.5",
      [.unexpectedValue: 12], at: "transaction 1"),
    Case(
      "CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)", [.unreadableMirroring: 1],
      at: "the store"),
  ]

  /// Kinds that take more than SQL to bring about; ``damagedPages`` and the log have suites of their
  /// own.
  static let others: Set<StoreFindingKind> = [
    .damagedPages, .damagedLog, .unusableLog, .unfinishedLog, .unreadableBookmarks,
    .unusableBookmark, .unusableValues, .foreignValues, .misfittingValues,
  ]

  static func verify(
    _ path: String, _ change: (inout StoreVerification.Options) -> Void = { _ in }
  ) throws -> StoreVerification {
    var options = StoreVerification.Options()
    change(&options)
    return try StoreVerification(path: path, options: options)
  }

  static func counts(_ verification: StoreVerification) -> [StoreFindingKind: Int64] {
    var counts: [StoreFindingKind: Int64] = [:]
    for kind in verification.findings.kinds { counts[kind] = verification.findings.count(of: kind) }
    return counts
  }

  @Test
  func `a store written by the frameworks has no findings`() throws {
    let folder = try TemporaryFolder()
    for hasPlainStrings in [false, true] {
      var shape = StoreWriter.Shape()
      shape.hasPlainStrings = hasPlainStrings
      let path = folder.file("\(hasPlainStrings).store")
      let verification = try Self.verify(SampleStore.write(to: path, shape: shape))
      #expect(Self.counts(verification) == [:])
      #expect(verification.storeIdentifier == StoreWriter.identifier)
      #expect(verification.facts.transactionCount == 12)
      #expect(verification.facts.changeCount == 27)
      #expect(verification.facts.textCount == (hasPlainStrings ? 0 : 5))
      #expect(verification.facts.transactions == 1...12)
      #expect(verification.facts.emptyTransactionCount == 0)
      #expect(verification.facts.largestClockStep == nil)
    }
  }

  @Test(arguments: [
    "UPDATE ACHANGE SET ZTRANSACTIONID = 13 - ZTRANSACTIONID",
    "UPDATE ACHANGE SET ZTRANSACTIONID = 13 - ZTRANSACTIONID WHERE Z_PK % 2",
    "UPDATE ACHANGE SET ZTRANSACTIONID = 1 + Z_PK * 7 % 10",
  ])
  func `transactions without changes are counted whatever the order of the changes`(
    _ statement: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    let query = try StoreQuery(path: path)
    try query.run(statement)
    let expected = try query.lines(
      """
      SELECT count(*) FROM ATRANSACTION AS t
      WHERE NOT EXISTS (SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID = t.Z_PK)
      """)
    #expect(["\(try Self.verify(path).facts.emptyTransactionCount)"] == expected)
  }

  @Test(arguments: cases)
  func `each defect is found at its place, and nothing else`(_ problem: Case) throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: path).run(problem.sql)
    let verification = try Self.verify(path)
    #expect(Self.counts(verification) == problem.found)
    let kind = try #require(verification.findings.kinds.first { problem.found[$0] != nil })
    let first = try #require(verification.findings.findings(of: kind).first)
    #expect(first.place.description.hasPrefix(problem.place), "\(first.place)")
    #expect(!first.detail.isEmpty)
    let isDamaged = problem.found.keys.contains { $0.entry.severity == .damage }
    #expect((verification.findings.damageCount > 0) == isDamaged)
  }

  @Test
  func `every kind has a case, a meaning and a remedy`() {
    let covered = Self.cases.reduce(into: Self.others) { $0.formUnion($1.found.keys) }
    #expect(covered == Set(StoreFindingKind.allCases))
    let meanings = StoreFindingKind.allCases.map(\.entry.meaning)
    #expect(Set(meanings).count == meanings.count && !meanings.contains(""))
    #expect(!StoreFindingKind.allCases.map(\.entry.remedy).contains(""))
  }

  @Test
  func `clocks that were set back and transactions without changes are facts, not findings`() throws
  {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: path).run(
      """
      UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 90 WHERE Z_PK = 5;
      UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 300 WHERE Z_PK = 9;
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (3, 7)
      """)
    let verification = try Self.verify(path)
    #expect(Self.counts(verification) == [:])
    #expect(verification.facts.clockStepCount == 2)
    #expect(verification.facts.largestClockStep?.transaction == 9)
    #expect(verification.facts.largestClockStep?.seconds == 240)
    #expect(verification.facts.emptyTransactionCount == 2)
  }

  @Test
  func `a missing model is not a finding`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(nil)
    let path = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    try StoreQuery(path: path).run("UPDATE ACHANGE SET ZCOLUMNS = x'FFFFFFFFFF' WHERE Z_PK = 4")
    let verification = try Self.verify(path)
    #expect(Self.counts(verification) == [:])
    #expect(verification.facts.model == .missing)
  }

  @Test
  func `all findings are counted, and a limited number of each kind is kept`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: path).run(
      "UPDATE ACHANGE SET ZTRANSACTIONID = NULL, Z_OPT = 1 WHERE Z_PK > 7")
    for limit in [1, 3, 100] {
      let findings = try Self.verify(path) { $0.limit = limit }.findings
      #expect(findings.count(of: .orphanChange) == 20)
      #expect(findings.count(of: .unexpectedValue) == 20)
      #expect(findings.findings(of: .orphanChange).count == min(limit, 20))
      #expect(findings.count == 40 && findings.damageCount == 20)
    }
  }

  @Test
  func `bookmarks that do not work and an unreadable bookmark file are findings`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    func write(_ text: String, to name: String) throws {
      try FileBytes.write(Array(text.utf8), to: folder.file(name))
    }
    func bookmark(_ name: String, _ number: Int, _ time: Double, store: String) -> String {
      #"{"name":"\#(name)","token":{"storeTokens":{"\#(store)":\#(number)}},"timestampRaw":\#(time)}"#
    }
    let other = "00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F"
    let all = [
      bookmark("good", 7, 743_906_920, store: StoreWriter.identifier),
      bookmark("diverged", 7, 743_906_921, store: StoreWriter.identifier),
      bookmark("ahead", 70, 743_906_920, store: StoreWriter.identifier),
      bookmark("foreign", 7, 743_906_920, store: other),
    ].joined(separator: ",")
    try write(#"{"schema":1,"bookmarks":[\#(all)]}"#, to: "x.store-bookmarks.json")
    let found = try Self.verify(path).findings
    #expect(
      found.findings(of: .unusableBookmark).map { "\($0.place) \($0.detail)" } == [
        "bookmark ahead it is ahead", "bookmark diverged it is diverged",
        "bookmark foreign it is foreign",
      ])
    // In a file that was named, bookmarks of other stores are left to those.
    try write(#"{"schema":1,"bookmarks":[\#(all)]}"#, to: "all.json")
    let named = try Self.verify(path) { $0.bookmarkPath = folder.file("all.json") }
    #expect(Self.counts(named) == [.unusableBookmark: 2])
    try write("hello", to: "x.store-bookmarks.json")
    #expect(try Self.counts(Self.verify(path)) == [.unreadableBookmarks: 1])
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `real stores have no findings except torn counters`(_ path: String) throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    do {
      let verification = try Self.verify(store) { $0.checksAllTables = true }
      // This one lost its -wal before it was published.
      let expected: [StoreFindingKind: Int64] =
        path.hasSuffix("photos-cloud-13.1.sqlite") ? [.tornCounter: 4] : [:]
      #expect(Self.counts(verification) == expected)
    } catch StoreError.withoutHistory {
      // Nothing to look at.
    }
  }
}
