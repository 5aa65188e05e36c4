#if os(Linux)
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends a prune, a whole history is left, nothing is lost that was to stay, and the
/// next run does the rest.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct PruneFaultTests {
  private static let name = "Trips.store"
  private static let transactions = 200
  private static let kept = 20

  /// A store with a long history, in it a transaction that is deleted in parts.
  private static func bytes(usesLog: Bool) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    let path = try LongHistory.write(
      to: folder.file(name), transactions: transactions, changesEach: 1, sizes: [150: 1100],
      shape: shape)
    try StoreQuery(path: path).run(
      """
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'app');
      INSERT INTO Z_PRIMARYKEY VALUES (16003, 'TRANSACTIONSTRING', 0, 1)
        ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = 1;
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZSCORE FLOAT, ZTOKEN BLOB);
      INSERT INTO ZTRIP VALUES (1, 'Rome', 0.1, x'00ff'), (2, 'Paris', -1e300, NULL)
      """)
    return try FileBytes.read(path)
  }

  @Test(arguments: [true, false]) func `prune survives any failing or killing system call`(
    _ usesLog: Bool
  ) async throws {
    let files = [Self.name: try Self.bytes(usesLog: usesLog)]
    let original = try StoreRows(FaultLoop.Folder(files), Self.name)
    #expect(original.changes.count == 1299)
    let cut = Int64(Self.transactions - Self.kept + 1)
    var loop = FaultLoop(
      files: files,
      arguments: ["prune", Self.name, "--keep-last", "\(Self.kept)", "--yes", "--quiet"],
      problemsAfterFault: { place, status in
        let log = try place.files()[Self.name + "-wal"] ?? []
        let left = try StoreRows(place, Self.name)
        var problems = left.problems(asPartOf: original)
        let oldest = left.numbers.first ?? .max
        if oldest > cut { problems.append("\(oldest) is the oldest, \(cut) was to stay") }
        if status == 0, oldest != cut { problems.append("said to be done") }
        let isPart = left.changes.count < original.changes.count
        if status == 3, !isPart { problems.append("nothing is done") }
        // A commit whose sync failed is in the log, where nothing can be taken back any more.
        if status == 9 || status == 7, isPart, log.isEmpty { problems.append("a part is done") }
        return problems
      },
      problemsInTheEnd: { place in
        let left = try StoreRows(place, Self.name)
        let numbers = Array(cut...Int64(Self.transactions))
        return left.problems(asPartOf: original)
          + (left.numbers == numbers ? [] : ["left: \(left.numbers)"])
          + (left.changes.count == Self.kept ? [] : ["changes: \(left.changes.count)"])
      })
    // Each step is then a batch of its own.
    loop.clockStep = 40
    let statuses = try await loop.run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [0, 3, 9, 137]))
  }
}
#endif
