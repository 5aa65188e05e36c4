import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct RoundTripTests {
  /// Real stores that have history tables.
  private static let stores = RealStores.paths.filter {
    !["kik-old", "notesv7", "scout"].contains(where: $0.contains)
  }

  /// Compares the rows that lines give back with those of the tables, bit for bit.
  private static func compareRows(
    of decoded: [HistoryTransaction], with path: String
  ) async throws {
    let maker = try await RowsOfLines(store: path)
    let transactions = try await TableDump.read("ATRANSACTION", of: path)
    let changes = try await TableDump.read("ACHANGE", of: path)
    var made: [String] = []
    var madeChanges: [String] = []
    for transaction in decoded {
      made.append(maker.row(of: transaction, columns: transactions.columns))
      madeChanges += maker.rows(of: transaction, columns: changes.columns)
    }
    expectSame(made, transactions)
    expectSame(madeChanges, changes)
  }

  private static func expectSame(_ made: [String], _ dump: TableDump) {
    #expect(made.count == dump.lines.count)
    guard let different = zip(made, dump.lines).first(where: { $0 != $1 }) else { return }
    let (values, stored) = (TableDump.values(of: different.0), TableDump.values(of: different.1))
    for (index, column) in dump.columns.enumerated() where values[index] != stored[index] {
      Issue.record("row \(stored[0]), \(column): \(values[index]), stored \(stored[index])")
    }
  }

  @Test(
    .enabled(if: !stores.isEmpty && TableDump.isPossible, "there are no real stores here"),
    arguments: stores)
  func `lines of real stores restore every row`(store: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    let lines = try StoreLines(path: path)
    let decoded = try lines.decoded()
    #expect(decoded == lines.transactions)
    try await Self.compareRows(of: decoded, with: path)
  }

  @Test(
    .enabled(if: !stores.isEmpty, "there are no real stores here"),
    .enabled("python3 with jsonschema") { try await SchemaTool.isPossible() },
    arguments: stores.filter { store in
      ["photos-27", "swiftdata-rm-4", "knowledgec", "notes-ios17", "viber"].contains {
        store.contains($0)
      }
    })
  func `the lines of real stores fit the published schema`(store: String) async throws {
    let folder = try TemporaryFolder()
    let lines = try StoreLines(path: try folder.copy(store: store))
    #expect(try await lines.schemaProblems() == "")
  }

  @Test(
    .enabled(if: TableDump.isPossible),
    arguments: [(1, false), (2, false), (3, true)] as [(UInt64, Bool)])
  func `lines of stores with any value in every column restore every row`(
    seed: UInt64, hasPlainStrings: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.store")
    var history = HostileHistory(seed: seed)
    try history.write(to: path, hasPlainStrings: hasPlainStrings)
    let lines = try StoreLines(path: path)
    #expect(lines.transactions.count == 60)
    let decoded = try lines.decoded()
    #expect(decoded == lines.transactions)
    try await Self.compareRows(of: decoded, with: path)
    if try await SchemaTool.isPossible() { #expect(try await lines.schemaProblems() == "") }
    // Encoding what was decoded gives the same bytes.
    var encoder = TransactionLineEncoder()
    for transaction in decoded { encoder.encode(.transaction(transaction)) }
    #expect(Array(encoder.bytes) == Array(lines.lines.joined()))
  }

  @Test(.enabled(if: TableDump.isPossible))
  func `hostile stores hold every special value`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.store")
    var history = HostileHistory(seed: 1)
    try history.write(to: path, hasPlainStrings: false)
    let changes = try await TableDump.read("ACHANGE", of: path)
    let values = Set(changes.rows.joined())
    for value in [
      "r:8000000000000000", "r:0000000000000000", "r:7ff0000000000000", "r:fff0000000000000",
      "r:0000000000000001", "r:7fefffffffffffff", "b:", "t:", "t:ff", "t:610062", "i:1",
      "i:-9223372036854775808",
    ] { #expect(values.contains(value), "\(value)") }
    let lines = try StoreLines(path: path).text
    for part in [
      "\"tombstone\":{\"value00\"", "\"tombstoneRaw\":[", "{\"$real\":\"-0.0\"}", "\"entityRaw\":",
      "{\"$real\":\"-inf\"}", "{\"$text\":\"/w==\"}", "{\"$blob\":\"\"}", "\"ZCHANGETYPE\":",
      "5e-324", "1e+300", "\"ZLATER\":", "\"a \\\"quoted\\\" é\":", "\"attributes\":[",
      "\"value08\":true", "\"value08\":false",
    ] { #expect(lines.contains(part), "\(part)") }
  }

  @Test
  func `numbers of texts are kept if the table of texts is missing`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try writer.transaction(1, author: "app")
    try writer.sql("DROP TABLE ATRANSACTIONSTRING")
    try writer.close()
    let lines = try StoreLines(path: folder.file("trips.store"))
    #expect(
      lines.text.contains(#""extra":{"ZAUTHORTS":1,"ZBUNDLEIDTS":2,"ZPROCESSIDTS":3}"#))
  }

  @Test
  func `lines of a model with a repeated attribute are read back`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    let attribute = ManagedAttribute(
      name: "name", type: .string, preservesValueOnDeletion: true)
    shape.modelCache = try ModelArchive.cache(
      of: ManagedModel(entities: [
        ManagedEntity(name: "Trip", properties: [.attribute(attribute), .attribute(attribute)])
      ]))
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    try writer.transaction(1)
    try writer.change(1, of: 1, 2, 5, 1, tombstone: [.text("Rome"), .text("Oslo")])
    try writer.close()
    let lines = try StoreLines(path: folder.file("trips.store"))
    let changes = try lines.decoded().flatMap(\.changes)
    #expect(changes.map(\.tombstone) == [[.text("Rome"), .text("Oslo")]])
  }

  @Test(.enabled(if: Tool("jq") != nil))
  func `jq returns ordinary lines unchanged`() async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    try writer.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 0.824189")
    try writer.close()
    let lines = try StoreLines(path: folder.file("trips.store"))
    let result = try await #require(Tool("jq")).run(["-c", "."], input: lines.text)
    #expect(result.status == 0 && result.lines.count == 12)
    #expect(result.text == lines.text)
  }
}
