import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@Suite(.bounded, .enabled(if: Tool("python3") != nil))
struct EnvelopeStoreTests {
  private static let stores = RealStores.paths.filter { store in
    ["swiftdata-rm-4", "notes-ios17", "viber"].contains { store.contains($0) }
  }

  @Test(arguments: Envelopes.formats)
  func `exports of a sample store agree with an independent reader`(
    format: ExportFormat
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let lines = try StoreLines(path: path)
    #expect(try await Envelopes.problems(format, lines, store: path, in: folder) == "")
  }

  @Test(
    arguments: Envelopes.formats,
    [(1, false), (2, false), (3, true)] as [(UInt64, Bool)])
  func `exports of stores with any value in every column agree with an independent reader`(
    format: ExportFormat, store: (seed: UInt64, hasPlainStrings: Bool)
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.store")
    var history = HostileHistory(seed: store.seed)
    try history.write(to: path, hasPlainStrings: store.hasPlainStrings)
    let lines = try StoreLines(path: path)
    #expect(try await Envelopes.problems(format, lines, store: path, in: folder) == "")
  }

  @Test(
    .enabled(if: !stores.isEmpty, "there are no real stores here"),
    arguments: Envelopes.formats, stores)
  func `exports of real stores agree with an independent reader`(
    format: ExportFormat, store: String
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    let lines = try StoreLines(path: path)
    #expect(try await Envelopes.problems(format, lines, store: path, in: folder) == "")
  }

  @Test(.enabled("python3 with jsonschema") { try await SchemaTool.isPossible() })
  func `change records fit their published schema`() async throws {
    let folder = try TemporaryFolder()
    let sample = try SampleStore.write(to: folder.file("trips.store"))
    let hostile = folder.file("hostile.store")
    var history = HostileHistory(seed: 1)
    try history.write(to: hostile, hasPlainStrings: false)
    let schema = SchemaTool.path.replacing(
      "Tests/Tools/validate_lines.py", with: "man/histctl-changes.schema.json")
    for path in [sample, hostile] {
      let text = try Envelopes.text(.changes, StoreLines(path: path).transactions)
      let result = try await #require(Tool("python3")).run(
        [SchemaTool.path, "--schema", schema], input: text)
      #expect(result.status == 0 && !text.isEmpty, "\(result.errors)")
    }
  }

  @Test(arguments: ExportFormat.allCases)
  func `two halves of an export join to the whole`(format: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.store")
    var history = HostileHistory(seed: 4)
    try history.write(to: path, hasPlainStrings: false)
    let transactions = try StoreLines(path: path).transactions
    let whole = try Envelopes.bytes(format, transactions)
    for cut in [0, 1, 30, 59, 60] {
      let first = try Envelopes.bytes(format, transactions[..<cut])
      let rest = try Envelopes.bytes(format, transactions[cut...], hasPrologue: false)
      #expect(first + rest == whole, "cut at \(cut)")
    }
  }

  @Test(.enabled(if: Tool("jq") != nil))
  func `jq reads every line of the JSON formats`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let transactions = try StoreLines(path: path).transactions
    let counted = try StoreQuery(path: path).lines(
      "SELECT ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY 1 ORDER BY 1")
    let filters: [ExportFormat: String] = [
      .changes: ".kind", .cloudevents: #".type | ltrimstr("alt.histctl.")"#,
      .debezium: #"{"c":"insert","u":"update","d":"delete"}[.op]"#, .timesketch: ".kind",
    ]
    for (format, filter) in filters {
      let result = try await #require(Tool("jq")).run(
        ["-r", filter], input: Envelopes.text(format, transactions))
      let kinds = ["insert", "update", "delete"].enumerated().map { index, kind in
        "\(index)|\(result.lines.count { $0 == kind })"
      }
      #expect(result.status == 0 && kinds == counted, "\(format)")
    }
  }
}
