#if os(Linux)
import TestSupport
import Testing

/// Whatever fails or ends `compact`, no row is lost, and the next run does the rest.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct CompactFaultTests {
  private static let name = "Trips.store"

  /// A store with a free page behind every used one.
  private static func bytes(usesLog: Bool) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    let path = try SampleStore.write(to: folder.file(name), shape: shape)
    try StoreQuery(path: path).run(
      """
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO ZPHOTO SELECT i, zeroblob(3000) FROM n;
      DELETE FROM ZPHOTO WHERE Z_PK % 2
      """)
    return try FileBytes.read(path)
  }

  @Test(arguments: [true, false], [true, false])
  func `compact survives any failing or killing system call`(
    _ usesLog: Bool, _ isFull: Bool
  ) async throws {
    let files = [Self.name: try Self.bytes(usesLog: usesLog)]
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    let compare: @Sendable (FaultLoop.Folder) throws -> [String] = { place in
      let left = try StoreRows(place, Self.name)
      return (left.integrity == ["ok"] ? [] : left.integrity)
        + original.tables.filter { left.tables[$0.key] != $0.value }.map { "\($0.key) is another" }
    }
    let statuses = try await FaultLoop(
      files: files, arguments: ["compact", Self.name, "--quiet"] + (isFull ? ["--full"] : []),
      problemsAfterFault: { place, _ in try compare(place) },
      problemsInTheEnd: { place in
        let query = try StoreQuery(path: place.folder.file(Self.name))
        let free = try query.lines("PRAGMA freelist_count")
        return try compare(place) + (free == ["0"] ? [] : ["free pages: \(free)"])
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }
}
#endif
