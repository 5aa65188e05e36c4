import TestSupport
import Testing

/// A save that was broken off in the middle of a store with a rollback journal.
enum UnfinishedSave {
  /// Kills a program that saves into a store: half of what it wrote is in the file, and the journal
  /// that undoes it beside it.
  static func leave(in store: String) async throws {
    let script = """
      import os, signal, sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute('PRAGMA journal_mode = delete')
      database.execute('CREATE TABLE ZFILLER (X)')
      database.executemany('INSERT INTO ZFILLER VALUES (zeroblob(?))', [(3000,)] * 200)
      database.execute('PRAGMA cache_size = 1')
      database.execute('BEGIN IMMEDIATE')
      database.execute('DELETE FROM ATRANSACTION')
      database.execute('UPDATE ZFILLER SET X = randomblob(3000)')
      os.kill(os.getpid(), signal.SIGKILL)
      """
    _ = try await #require(Tool("python3")).run(["-c", script, store])
  }
}
