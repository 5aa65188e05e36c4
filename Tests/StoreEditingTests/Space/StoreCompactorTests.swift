import StoreEditing
import StoreFormat
import TestSupport
import Testing

/// Giving back free pages beside others.
@Suite(.bounded) struct StoreCompactorTests {
  @Test
  func `a lock during compaction leaves a partial result`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = try SampleStore.write(to: folder.file("trips.store"), shape: shape)
    let other = try StoreQuery(path: path)
    try other.run(
      """
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
      INSERT INTO ZPHOTO SELECT i, randomblob(3000) FROM n;
      DELETE FROM ZPHOTO WHERE Z_PK % 2;
      """)
    var isLocked = false
    let result = try StoreCompactor(path: path, busyTimeout: 0).giveBackFreePages { count in
      guard count > 0, !isLocked else { return }
      isLocked = (try? other.run("BEGIN EXCLUSIVE")) != nil
    }
    #expect(isLocked && result.obstacle == .busy)
    #expect(result.after.freePageCount < result.before.freePageCount)
    try other.run("ROLLBACK")
    let rest = try StoreCompactor(path: path, busyTimeout: 0).giveBackFreePages()
    #expect(rest.obstacle == nil && rest.after.freePageCount == 0)
  }
}
