import TestSupport
import Testing

@testable import StoreFormat

/// What the errors say.
@Suite(.bounded) struct StoreErrorTests {
  private static let all: [StoreError] = [
    .missing(path: "/a/b"), .unreadable(path: "/a/b", reason: "Permission denied"),
    .beingReplaced(path: "/a/b", former: "/a/b.partial-1/b-former/b"),
    .withoutRoom(path: "/a/b", index: "/a/b-shm", free: 0),
    .notAStore(path: "/a/b", reason: .notAFile(kind: "pipe")),
    .notAStore(path: "/a/b", reason: .empty), .notAStore(path: "/a/b", reason: .notSQLite),
    .notAStore(path: "/a/b", reason: .withoutCoreDataTables), .withoutHistory(path: "/a/b"),
    .unfinishedSave(path: "/a/b", journal: "/a/b-journal"), .busy(path: "/a/b", seconds: 5),
    .changedWhileReading(path: "/a/b"), .changedWhileCopying(path: "/a/b"),
    .notCopied(path: "/a/b", copy: "/c/a/b", reason: .otherState),
    .notCopied(path: "/a/b", copy: "/c/a/b", reason: .besideStore),
    .notCopied(path: "/a/b", copy: "/c/a/b", reason: .failed("no space")),
    .cancelled(path: "/a/b"), .endedSnapshot(path: "/a/b"),
    .damaged(path: "/a/b", place: "ACHANGE", detail: "the column Z_PK is missing"),
    .calculated(path: "/a/b", table: "ACHANGE", part: "the index hog"),
    .obstructed(path: "/a/b", file: "/a/b-journal", kind: "pipe"),
    .largeProperty(path: "/a/b", place: "the property list", size: 9, limit: 8),
  ]

  @Test(arguments: all)
  func `an error names the file and a remedy, and ends without a full stop`(error: StoreError) {
    #expect(error.path == "/a/b")
    #expect(error.message.contains("/a/b"))
    #expect(!error.message.hasSuffix(".") && !error.remedy.hasSuffix("."))
    #expect(error.description == "\(error.message) (\(error.remedy))")
  }

  @Test(arguments: [
    (5.0, "5 s"), (0.25, "0.25 s"), (0, "0 s"), (1e12, "1000000000000.0 s"), (.infinity, "inf s"),
  ])
  func `a busy error reports the time waited`(seconds: Double, text: String) {
    #expect(
      StoreError.busy(path: "s", seconds: seconds).message
        == "s is locked by another program, for more than \(text)")
  }
}
