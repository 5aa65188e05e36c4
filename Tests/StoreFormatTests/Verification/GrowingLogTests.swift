import Foundation
import StoreFormat
import TestSupport
import Testing

/// The log of a store that another program saves to without a pause.
@Suite(.bounded) struct GrowingLogTests {
  @Test func `a log that grows faster than it is read is whole at the first look`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("app.store")
    try SampleStore.write(to: path)
    let writer = """
      import os, sqlite3, time
      db = sqlite3.connect('app.store', isolation_level=None)
      db.execute('pragma journal_mode = wal'); db.execute('pragma wal_autocheckpoint = 0')
      db.execute('create table ZFILL (x)')
      db.execute('insert into ZFILL values (zeroblob(8000000))')
      open('started', 'w')
      end = time.time() + 60
      while not os.path.exists('stop') and time.time() < end:
          db.execute('insert into ZFILL values (zeroblob(5000))'); time.sleep(0.001)
      """
    async let end = #require(Tool("python3")).run(["-c", writer], folder: folder.path)
    defer { _ = FileManager.default.createFile(atPath: folder.file("stop"), contents: nil) }
    while !FileManager.default.fileExists(atPath: folder.file("started")) {
      try await Task.sleep(for: .milliseconds(5))
    }
    let location = try StoreLocation(path: path)
    for _ in 0..<3 {
      let condition = try location.logCondition()
      guard case .whole(let count) = condition else {
        Issue.record("\(condition)")
        break
      }
      #expect(count > 8_000_000 / 4096)
    }
    _ = FileManager.default.createFile(atPath: folder.file("stop"), contents: nil)
    #expect(try await end.status == 0)
  }
}
