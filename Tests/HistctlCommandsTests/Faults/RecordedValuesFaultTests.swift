#if os(Linux)
import TestSupport
import Testing

/// Whatever fails or ends a prune or a restore, no value is shown that is not that of a transaction, and
/// the next run does the rest.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible))
struct RecordedValuesFaultTests {
  private static let name = "Trips.store"
  private static let values = "Trips.store-values.db"

  /// What is wrong with a file of values beside its store: transactions that are there and had values
  /// must have all of them.
  private static func problems(
    _ place: FaultLoop.Folder, _ rows: [String], isDone: Bool
  ) throws -> [String] {
    let store = try StoreQuery(path: place.folder.file(name))
    let query = try StoreQuery(path: place.folder.file(values))
    var problems = try query.lines("PRAGMA integrity_check").filter { $0 != "ok" }
    let present = Set(try store.lines("SELECT Z_PK FROM ATRANSACTION"))
    let left = try query.lines(
      "SELECT transaction_number || '|' || change_number || '|' || name FROM recorded_value "
        + "ORDER BY 1")
    for row in rows where present.contains(String(row.prefix { $0 != "|" })) && !left.contains(row)
    {
      problems.append("\(row) is lost")
    }
    if isDone {
      for row in left where !present.contains(String(row.prefix { $0 != "|" })) {
        problems.append("\(row) is left")
      }
    }
    return problems
  }

  private static func rows(_ trips: RecordedTrips) throws -> [String] {
    try StoreQuery(path: trips.valuesPath).lines(
      "SELECT transaction_number || '|' || change_number || '|' || name FROM recorded_value "
        + "ORDER BY 1")
  }

  @Test func `pruning recorded values survives any failing or killing system call`() async throws {
    let trips = try RecordedTrips()
    let rows = try Self.rows(trips)
    let files = [
      Self.name: try FileBytes.read(trips.path), Self.values: try FileBytes.read(trips.valuesPath),
    ]
    var loop = FaultLoop(
      files: files, arguments: ["prune", Self.name, "--before", "5", "--yes", "--quiet"],
      problemsAfterFault: { place, _ in try Self.problems(place, rows, isDone: false) },
      problemsInTheEnd: { place in try Self.problems(place, rows, isDone: true) })
    loop.clockStep = 40
    loop.mayStay = [Self.values + "-wal", Self.values + "-shm"]
    try await loop.run()
  }

  @Test func `restoring recorded values survives any failing or killing system call`() async throws
  {
    let trips = try RecordedTrips()
    let rows = try Self.rows(trips)
    for line in [
      "archive Trips.store archive --quiet", "prune Trips.store --before 5 --yes --quiet",
    ] {
      let result = try await Tool.histctl.run(
        line.split(separator: " ").map(String.init), folder: trips.folder.path)
      #expect(result.status == 0, "\(result.errors)")
    }
    let whole = FaultLoop.Folder(folder: trips.folder)
    let files = try whole.files().filter { !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("-wal") }
    var loop = FaultLoop(
      files: files, arguments: ["restore", Self.name, "archive", "--yes", "--quiet"],
      problemsAfterFault: { place, _ in try Self.problems(place, rows, isDone: false) },
      problemsInTheEnd: { place in try Self.problems(place, rows, isDone: true) })
    loop.clockStep = 40
    loop.mayStay = [Self.values + "-wal", Self.values + "-shm"]
    try await loop.run()
  }
}
#endif
