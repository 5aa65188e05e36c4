#if os(Linux)
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends a restore, the history has no gap and every transaction all of its changes,
/// nothing is lost, and the next run does the rest.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct RestoreFaultTests {
  private static let name = "Trips.store"
  private static let transactions = 60
  private static let kept = 5

  /// A store with a long history, in it a transaction that is restored in parts.
  private static func bytes(usesLog: Bool) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    let path = try LongHistory.write(
      to: folder.file(name), transactions: transactions, changesEach: 1, sizes: [50: 1100],
      shape: shape)
    try StoreQuery(path: path).run(
      """
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'app');
      INSERT INTO Z_PRIMARYKEY VALUES (16003, 'TRANSACTIONSTRING', 0, 1)
        ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = 1;
      UPDATE ATRANSACTION SET ZAUTHORTS = 1;
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZSCORE FLOAT, ZTOKEN BLOB);
      INSERT INTO ZTRIP VALUES (1, 'Rome', 0.1, x'00ff'), (2, 'Paris', -1e300, NULL)
      """)
    return try FileBytes.read(path)
  }

  @Test(arguments: [true, false]) func `restore survives any failing or killing system call`(
    _ usesLog: Bool
  ) async throws {
    let whole = try FaultLoop.Folder([Self.name: try Self.bytes(usesLog: usesLog)])
    let original = try StoreRows(whole, Self.name)
    for line in [
      ["archive", Self.name, "archive", "--quiet"],
      ["prune", Self.name, "--keep-last", "\(Self.kept)", "--yes", "--quiet"],
    ] {
      let result = try await Tool.histctl.run(line, folder: whole.folder.path)
      #expect(result.status == 0, "\(result.errors)")
    }
    let files = try whole.files().filter { !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("-wal") }
    #expect(try StoreRows(FaultLoop.Folder(files), Self.name).transactions.count == Self.kept)
    let archive = files.filter { $0.key.hasPrefix("archive/") }
    #expect(archive.count == 3)
    let isArchiveWhole: @Sendable (FaultLoop.Folder) throws -> [String] = { place in
      try place.files().filter { $0.key.hasPrefix("archive/") } == archive
        ? [] : ["the archive has changed"]
    }
    var loop = FaultLoop(
      files: files, arguments: ["restore", Self.name, "archive", "--yes", "--quiet"],
      problemsAfterFault: { place, status in
        let log = try place.files()[Self.name + "-wal"] ?? []
        let left = try StoreRows(place, Self.name)
        var problems = left.problems(asRestoredTo: original) + (try isArchiveWhole(place))
        if left.transactions.count < Self.kept { problems.append("transactions are lost") }
        let isAll = left.transactions.count == Self.transactions
        if status == 0, !isAll { problems.append("said to be done") }
        let isPart = left.changes.count > Self.kept
        if status == 3, !isPart { problems.append("nothing is done") }
        // A commit whose sync failed is in the log, where nothing can be taken back any more.
        if status == 9 || status == 7, isPart, log.isEmpty { problems.append("a part is done") }
        return problems
      },
      problemsInTheEnd: { place in
        let left = try StoreRows(place, Self.name)
        return (left.integrity == ["ok"] ? [] : left.integrity) + (try isArchiveWhole(place))
          + original.tables.filter { left.tables[$0.key] != $0.value }.map {
            "\($0.key) is another"
          }
      })
    // Each step is then a batch of its own.
    loop.clockStep = 40
    let statuses = try await loop.run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [3, 137]))
  }
}
#endif
