import Foundation
import TestSupport
import Testing

@testable import StoreEditing
@testable import StoreFormat
@testable import StoreWriting

/// Who else has a store open, by the kernel's list of locks.
@Suite(.bounded) struct StoreSharingTests {
  /// Two processes with one file, a third with another, somebody who waits, and other bytes.
  private static let list = """
    1: POSIX  ADVISORY  READ 501 08:01:77 128 128
    2: POSIX  ADVISORY  READ 502 08:01:77 128 128
    2: -> POSIX  ADVISORY  WRITE 504 08:01:78 128 128
    3: POSIX  ADVISORY  WRITE 504 08:01:77 120 120
    4: POSIX  ADVISORY  READ 503 08:01:78 128 128
    5: FLOCK  ADVISORY  WRITE 505 08:01:78 0 EOF
    6: POSIX  ADVISORY  READ 503 fd:00:79 128 128
    7: POSIX  ADVISORY  READ 501 08:01:79 128 128
    8: POSIX  ADVISORY  READ 506 08:01:81 123 128
    9: POSIX  ADVISORY  READ 507 08:01:81 127 129
    10: POSIX  ADVISORY  READ 508 08:01:81 124 127
    11: POSIX  ADVISORY  READ 508 08:01:81 129 EOF
    12: POSIX  ADVISORY  READ 508 08:01:82 0 EOF

    """

  @Test(
    arguments: [
      (77, 501, true), (77, 502, true),
      // Nobody but the one who asks.
      (78, 503, false),
      // Locks on bytes beside each other are one.
      (81, 506, true), (81, 508, nil), (82, 508, false),
      // Another file system has a file of that number as well.
      (79, 501, false), (79, 503, false),
      // One's own lock is not there: the list says nothing about this file.
      (77, 503, nil), (78, 501, nil), (80, 501, nil), (7, 501, nil),
    ] as [(UInt64, Int32, Bool?)])
  func `locks of other processes on the file are found in the list`(
    inode: UInt64, process: Int32, expected: Bool?
  ) {
    #expect(
      StoreSharing.isHeldElsewhere(inode: inode, process: process, in: Self.list) == expected)
  }

  @Test(arguments: ["", "\n\n", "1: POSIX", String(repeating: "9 ", count: 4000)])
  func `a malformed list of locks leaves the question open`(_ list: String) {
    #expect(StoreSharing.isHeldElsewhere(inode: 9, process: 9, in: list) == nil)
  }

  #if os(Linux)
  /// In a space of processes of its own, as in a container, the list is not to be trusted.
  private static var seesAllProcesses: Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid"))
      == "pid:[4026531836]"
  }

  @Test(.enabled(if: seesAllProcesses)) func `other processes that have the store open are seen`()
    async throws
  {
    let sqlite = try #require(Tool("sqlite3"))
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 3, changesEach: 1, sizes: [:])
    let sharing = StoreSharing(try StoreLocation(path: path))
    let query = try StoreQuery(path: path)
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["3"])
    #expect(sharing.isOpenElsewhere == false)

    let ready = folder.file("ready")
    let done = folder.file("done")
    async let other = sqlite.run(
      [path],
      input: """
        SELECT count(*) FROM ATRANSACTION;
        .shell touch '\(ready)'; for i in $(seq 30000); do [ -e '\(done)' ] && break; sleep 0.02; done
        """)
    // The program may have to wait for its turn among those of all other tests.
    try await wait(until: "sqlite3 has the store open", seconds: 900) {
      FileManager.default.fileExists(atPath: ready)
    }
    let seen = sharing.isOpenElsewhere
    try Data().write(to: URL(fileURLWithPath: done))
    #expect(try await other.lines == ["3"])
    #expect(seen == true)
    #expect(sharing.isOpenElsewhere == false)
    withExtendedLifetime(query) {}
  }
  #endif
}
