import Foundation
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import TestSupport
import Testing

@testable import HistctlCommands

/// The errors of the libraries, as the program reports them.
@Suite(.bounded) struct HintTests {
  @Test(arguments: [
    "StoreFormat", "PersistentHistory", "HistoryCoding", "HistoryArchive", "OpenSwiftData",
  ])
  func `no library mentions the command line`(name: String) throws {
    let folder = Manual.path("Sources/\(name)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".swift") }
    #expect(files.count > 10)
    for file in files {
      let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      for line in text.split(separator: "\n") {
        let line = line.drop { $0 == " " }
        guard !line.hasPrefix("//") else { continue }
        #expect(!line.contains(/--[a-z]/) && !line.contains("histctl "), "\(file): \(line)")
      }
    }
  }

  /// Errors with the kind and the status that programs rely on, and words of their hint.
  private static let errors: [(any Error, kind: String, HistctlCommands.ExitStatus, hint: String)] =
    [
      (StoreError.missing(path: "s"), "missing", .cannotReadOrWrite, "path"),
      (StoreError.busy(path: "s", seconds: 5), "busy", .busy, "--busy-timeout"),
      (StoreError.changedWhileReading(path: "s"), "changedWhileReading", .busy, "again"),
      (StoreError.damaged(path: "s", place: "p", detail: ""), "damaged", .damaged, "copy"),
      (StoreError.withoutHistory(path: "s"), "withoutHistory", .notAStore, "history"),
      (
        StoreError.unusableValues(path: "s-values", reason: ""), "unusableValues", .damaged,
        "move the file away"
      ),
      (
        StoreError.notAStore(path: "s", reason: .notAFile(kind: "pipe")), "notAStore", .notAStore,
        "with -"
      ),
      (StoreError.unknownEntity(name: "T", isAbstract: false), "notSaved", .failure, ""),
      (
        StoreWriteError.store(.busy(path: "s", seconds: 5)), "busy", .busy,
        "close the program that has the store open"
      ),
      (
        StoreWriteError.store(.unusableValues(path: "s-values", reason: "")), "unusableValues",
        .damaged, "move the file away"
      ),
      (StoreWriteError.alreadyThere(path: "s"), "alreadyThere", .cannotReadOrWrite, "--overwrite"),
      (StoreWriteError.missingValue(entity: "T", attribute: "a"), "notSaved", .failure, ""),
      (StoreWriteError.notIncremental(path: "s"), "notIncremental", .refused, "--full"),
      (
        StoreWriteError.renumbersRows(path: "s", tables: ["T"]), "renumbersRows", .refused, "--full"
      ),
      (
        StoreWriteError.withoutSpace(path: "s", needed: 2, free: 1), "withoutSpace",
        .cannotReadOrWrite, "--full"
      ),
      (StoreWriteError.pinnedLog(path: "s", seconds: 1), "pinnedLog", .busy, "again"),
      (
        HistoryError.unknownBookmark(name: "n", path: "b", known: []), "unknownBookmark", .usage,
        "histctl bookmark set"
      ),
      (
        HistoryError.unknownBookmark(name: "n", path: "b", known: ["m"]), "unknownBookmark", .usage,
        "there are: m"
      ),
      (
        HistoryError.unreadableBookmarks(path: "b", reason: ""), "unreadableBookmarks",
        .cannotReadOrWrite, "--bookmark-file"
      ),
      (
        HistoryError.unwritableBookmarks(path: "b", reason: ""), "unwritableBookmarks",
        .cannotReadOrWrite, "--bookmark-file"
      ),
      (
        HistoryError.missingBookmarks(path: "b"), "missingBookmarks", .cannotReadOrWrite,
        "--ignore-guard bookmarks"
      ),
      (HistoryError.busyBookmarks(path: "b"), "busyBookmarks", .busy, "again"),
      (
        HistoryError.fullBookmarks(path: "b"), "fullBookmarks", .cannotReadOrWrite,
        "histctl bookmark remove"
      ),
      (
        HistoryError.bookmarkIsAhead(name: "n", present: 2, wanted: 1), "bookmarkIsAhead", .refused,
        "--force"
      ),
      (
        HistoryError.bookmarkOfOtherStore(name: "n", path: "b", identifiers: []),
        "bookmarkOfOtherStore", .refused, "--force"
      ),
      (
        HistoryError.unknownObject(
          object: "T/p1", other: nil, highestPrimaryKey: nil, oldest: nil), "unknownObject",
        .answerIsNo, "histctl diff STORE 0 --name-only"
      ),
      (
        HistoryError.unknownEntity(name: "T", suggestions: []), "unknownEntity", .usage,
        "histctl info STORE --model"
      ),
      (
        HistoryError.unknownAttribute(name: "T", suggestions: []), "unknownAttribute", .usage,
        "histctl info STORE --model"
      ),
      (HistoryError.tooManyPeriods(unit: .hour), "tooManyPeriods", .usage, "--by day"),
      (HistoryError.unknownSize(path: "s"), "unknownSize", .failure, "--keep-within"),
      (
        HistoryError.damaged(path: "s", details: []), "damaged", .damaged,
        "histctl verify --full s; "
      ),
      (
        HistoryError.refusedByGuards(path: "s", reasons: []), "refusedByGuards", .refused,
        "--ignore-guard"
      ),
      (
        HistoryError.restoreRefusedByGuards(path: "s", reasons: []), "refusedByGuards", .refused,
        "--ignore-guard"
      ),
      (
        RestoreObstacle.notSealed(path: "s", wanted: 1, oldestSealed: 2), "notSealed", .historyGap,
        "--from"
      ),
      (
        RestoreObstacle.unfitTable(path: "s", transaction: 4, detail: ""), "unfitTable", .refused,
        "--from 5"
      ),
      (LineError.partial(transaction: 1), "malformedLine", .damaged, "--only-matching"),
      (LineError.unknownType("change"), "malformedLine", .damaged, "--format jsonl"),
      (ArchiveError.missing(path: "a"), "missingFile", .damaged, "histctl verify"),
      (ArchiveError.lostCatalog(path: "a"), "missingFile", .damaged, "from a copy"),
      (ArchiveError.unlisted(path: "a"), "unlistedSegment", .damaged, "histctl archive"),
      (ArchiveError.linked(path: "a"), "linkedFile", .damaged, "from a copy"),
      (
        ArchiveError.damaged(path: "a", place: "", detail: ""), "damaged", .damaged,
        "histctl verify"
      ),
      (ArchiveError.busy(path: "a", seconds: 0), "busyArchive", .busy, "--lock-wait"),
      (
        ArchiveError.gap(path: "s", archive: "a", after: 1, oldest: 3), "gap", .historyGap,
        "--allow-gap"
      ),
      (
        ArchiveError.notAnArchive(path: "a", reason: .missing), "notAnArchive", .notAStore,
        "histctl archive"
      ),
      (
        ArchiveError.notAnArchive(path: "a", reason: .withoutCatalog), "notAnArchive", .notAStore,
        "histctl archive"
      ),
      (
        ArchiveError.notAnArchive(path: "a", reason: .notEmpty), "notEmpty", .cannotReadOrWrite,
        "folder"
      ),
      (ArchiveError.malformedAnchor(text: ""), "malformedAnchor", .usage, "histctl archive"),
      (
        ArchiveError.unknownTransaction(path: "a", store: "", transaction: 1), "unknownTransaction",
        .historyGap, "histctl info"
      ),
      (
        ArchiveError.damagedText(path: "l", line: nil, detail: ""), "damagedText", .damaged,
        "--format jsonl"
      ),
      (
        ArchiveError.damagedText(path: "l", line: 1, detail: ""), "malformedLine", .damaged,
        "--format jsonl"
      ),
      (
        ArchiveError.malformedLine(path: "l", line: 1, .partial(transaction: 1)), "malformedLine",
        .damaged, "without --only-matching and --fields; "
      ),
    ]

  @Test
  func `each error has one kind, one status and a hint`() {
    for (error, kind, status, words) in Self.errors {
      let failure = Failure(error)
      #expect(failure.kind == kind, "\(error)")
      #expect(failure.status == status, "\(error)")
      #expect(words.isEmpty || failure.hint?.contains(words) == true, "\(error)")
      #expect(failure.hint?.isEmpty == false, "\(error)")
    }
    for kind in StoreFindingKind.allCases { #expect(!kind.hint.isEmpty) }
    for kind in ArchiveFindingKind.allCases { #expect(!kind.hint.isEmpty) }
    #expect(StoreFindingKind.misfittingMask.hint.contains("show --json"))
    #expect(ArchiveFindingKind.storeGap.hint.contains("prune --archive"))
  }

  @Test
  func `every command and option in a hint exists`() async throws {
    var help: [String: String] = [:]
    for name in HelpTests.commands {
      let words = name.split(separator: " ").map(String.init)
      help[name] = try await InProcess.run(words + ["--help"]).text
    }
    let hints =
      Self.errors.compactMap { Failure($0.0).hint } + StoreFindingKind.allCases.map(\.hint)
      + ArchiveFindingKind.allCases.map(\.hint)
    for hint in hints {
      // An option right after a command is that command's, any other is that of some command.
      var last: String?
      for word in hint.split(whereSeparator: { " ,;:()".contains($0) }).map(String.init) {
        if word.hasPrefix("--") {
          let known = last.flatMap { help[$0] }.map { [$0] } ?? Array(help.values)
          #expect(known.contains { $0.contains(word) }, "\(word) in: \(hint)")
        }
        last = word
      }
      for match in hint.matches(of: /histctl ([a-z]+)/) {
        #expect(help[String(match.1)] != nil, "\(hint)")
      }
    }
  }
}
