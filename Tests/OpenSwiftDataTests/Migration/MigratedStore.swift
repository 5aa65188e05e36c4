import OpenSwiftData
import TestSupport
import Testing

/// A store that is opened with one version of an app's models after the other.
struct MigratedStore {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.file("Library.store") }

  /// Lets an app of some models work with the store, and closes it.
  @discardableResult
  func with<Result>(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    allowsSave: Bool = true, author: String? = nil, _ body: (ModelContext) throws -> Result
  ) throws -> Result {
    let container = try ModelContainer(
      for: Schema(models), migrationPlan: plan,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: path), allowsSave: allowsSave))
    let context = ModelContext(container)
    context.author = author
    return try body(context)
  }

  /// Opens the store with some models and nothing else.
  func open(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    try with(models, plan: plan) { _ in }
  }

  /// The error with which the store is refused, after a look that every byte is as it was.
  func refusal(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    allowsSave: Bool = true
  ) throws -> any Error {
    let before = try bytes()
    let error = try #require(throws: (any Error).self) {
      try with(models, plan: plan, allowsSave: allowsSave) { _ in }
    }
    #expect(try bytes() == before)
    return error
  }

  /// The store and its log; nobody may have it open.
  func bytes() throws -> [[UInt8]] {
    try [path, path + "-wal"].map { file in
      FileManager.default.fileExists(atPath: file) ? try FileBytes.read(file) : []
    }
  }

  func lines(_ sql: String) throws -> [String] { try StoreQuery(path: path).lines(sql) }

  /// What is wrong with the store, and in what it differs from one that was made for the models.
  func problems(
    _ models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0)
  ) async throws -> [String] {
    let fresh = try MigratedStore()
    _ = try ModelContainer(
      for: Schema(models, version: version),
      configurations: ModelConfiguration(url: URL(fileURLWithPath: fresh.path)))
    var problems: [String] = []
    for sql in Self.layout {
      let (own, wanted) = (try lines(sql), try fresh.lines(sql))
      if own != wanted { problems.append("\(sql): \(own) instead of \(wanted)") }
    }
    problems += try lines("PRAGMA integrity_check").filter { $0 != "ok" }
    problems += try lines(
      "SELECT 'change ' || Z_PK FROM ACHANGE WHERE ZENTITY NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY)")
    let result = try await Tool.histctl.run(["verify", path])
    if result.status != 0 { problems.append(result.text + result.errors) }
    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return problems }
    let decoded = try await python.run([oracle, path])
    if decoded.status != 0 { problems.append(decoded.errors) }
    return problems
  }

  /// Everything that follows from the models.
  private static let layout = [
    """
    SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name <> 'ACHANGE' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, 2
    """,
    """
    SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
    ORDER BY name
    """,
    "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1",
    "SELECT Z_CONTENT FROM Z_MODELCACHE",
  ]

  /// The transactions as histctl's JSON lines tell them, the oldest first.
  func history() async throws -> [[String: Any]] {
    let result = try await Tool.histctl.run(["log", "--json", "--reverse", path])
    try #require(result.status == 0, "\(result.errors)")
    return try result.lines.map { line in
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  /// The changes of all transactions in a few words each.
  func changes() async throws -> [String] {
    try await history().flatMap { transaction in
      (transaction["changes"] as? [[String: Any]] ?? []).map { change in
        let names = (change["attributes"] as? [String] ?? []).joined(separator: ",")
        let kept = (change["tombstone"] as? [String: Any] ?? [:])
          .map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
        return "\(change["kind"] ?? "") \(change["entity"] ?? "")/\(change["pk"] ?? "") "
          + names + kept
      }
    }
  }
}
