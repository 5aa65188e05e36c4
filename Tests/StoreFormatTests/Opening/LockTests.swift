import Foundation
import TestSupport
import Testing

@testable import StoreFormat

/// Locks belong to a process, not to a descriptor, and are easily lost.
@Suite(.bounded) struct LockTests {
  @Test(.enabled(if: Tool("sqlite3") != nil))
  func
    `a store opened twice keeps its lock, so that a program that closes it leaves the log`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let first = try StoreFile(path: path)
    let before = try first.read { try $0.transactionCount() }
    let second = try StoreFile(path: path)

    let sqlite = try #require(Tool("sqlite3"))
    let write = try await sqlite.run([
      path, "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (100, 16002, 1.5);",
    ])
    #expect(write.status == 0, "\(write.errors)")

    // The last one to close moves the log into the store and deletes it; sqlite3 was not the last.
    #expect(try folder.names().contains("default.store-wal"))
    #expect(try first.read { try $0.transactionCount() } == before + 1)
    #expect(try second.read { try $0.transactionCount() } == before + 1)
  }
}
