import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreTransactions

/// Connections that write to files which others may take away.
@Suite(.bounded) struct WritingConnectionTests {
  @Test(arguments: ["x.store", "a b#c?d%e.store", "/x.store"])
  func `opening creates no missing file`(name: String) throws {
    let folder = try TemporaryFolder()
    #expect(throws: (any Error).self) {
      _ = try WritingConnection.open(path: folder.path + "/" + name, busyTimeout: 0)
    }
    #expect(try folder.names() == [])
    // One that is there is opened by its name, whatever that is.
    try FileBytes.write([], to: folder.path + "/" + name)
    let queue = try WritingConnection.open(path: folder.path + "/" + name, busyTimeout: 0)
    try queue.close()
    #expect(try folder.names().count == 1)
  }
}
