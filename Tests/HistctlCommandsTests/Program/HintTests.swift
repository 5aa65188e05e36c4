import Foundation
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Testing

@testable import HistctlCommands

/// What the libraries say of errors, and what the program makes of it.
@Suite("Hints") struct HintTests {
  @Test(
    "No library speaks of the command line",
    arguments: [
      "StoreFormat", "PersistentHistory", "HistoryCoding", "HistoryArchive", "OpenSwiftData",
    ])
  func libraries(name: String) throws {
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

  @Test("Where an option or a command helps, the program names it")
  func options() {
    let hints: [(any Error, String)] = [
      (StoreError.busy(path: "s", seconds: 5), "--busy-timeout"),
      (StoreError.unusableValues(path: "s-values", reason: ""), "--no-values"),
      (StoreError.notAStore(path: "s", reason: .notAFile(kind: "pipe")), "with -"),
      (StoreWriteError.store(.busy(path: "s", seconds: 5)), "run the command again"),
      (StoreWriteError.store(.unusableValues(path: "s-values", reason: "")), "--no-values"),
      (StoreWriteError.alreadyThere(path: "s"), "--overwrite"),
      (StoreWriteError.notIncremental(path: "s"), "--full"),
      (StoreWriteError.renumbersRows(path: "s", tables: ["T"]), "--full"),
      (StoreWriteError.withoutSpace(path: "s", needed: 2, free: 1), "--full"),
      (HistoryError.unknownBookmark(name: "n", path: "b", known: []), "bookmark set"),
      (HistoryError.unknownBookmark(name: "n", path: "b", known: ["m"]), "there are: m"),
      (HistoryError.unreadableBookmarks(path: "b", reason: ""), "--bookmark-file"),
      (HistoryError.unwritableBookmarks(path: "b", reason: ""), "--bookmark-file"),
      (HistoryError.bookmarkIsAhead(name: "n", present: 2, wanted: 1), "--force"),
      (HistoryError.bookmarkOfOtherStore(name: "n", path: "b", identifiers: []), "--force"),
      (
        HistoryError.unknownObject(
          object: "T/p1", other: nil, highestPrimaryKey: nil, oldest: nil), "--name-only"
      ),
      (HistoryError.unknownEntity(name: "T", suggestions: []), "info --model lists"),
      (HistoryError.tooManyPeriods(unit: .hour), "--by day"),
      (HistoryError.unknownSize(path: "s"), "--keep-within"),
      (HistoryError.refusedByGuards(path: "s", reasons: []), "--ignore-guard"),
      (HistoryError.restoreRefusedByGuards(path: "s", reasons: []), "--ignore-guard"),
      (RestoreObstacle.notSealed(path: "s", wanted: 1, oldestSealed: 2), "--from"),
      (RestoreObstacle.unfitTable(path: "s", transaction: 4, detail: ""), "--from 5"),
      (LineError.partial(transaction: 1), "--only-matching"),
      (ArchiveError.busy(path: "a", seconds: 0), "--lock-wait"),
      (ArchiveError.gap(path: "s", archive: "a", after: 1, oldest: 3), "--allow-gap"),
      (ArchiveError.notAnArchive(path: "a", reason: .missing), "histctl archive"),
      (ArchiveError.damagedText(path: "l", line: nil, detail: ""), "--format jsonl"),
      (
        ArchiveError.malformedLine(path: "l", line: 1, .partial(transaction: 1)),
        "without --only-matching and --fields; "
      ),
    ]
    for (error, words) in hints {
      #expect(Failure(error).hint?.contains(words) == true, "\(error)")
    }
    for kind in StoreFindingKind.allCases { #expect(!kind.hint.isEmpty) }
    for kind in ArchiveFindingKind.allCases { #expect(!kind.hint.isEmpty) }
    #expect(StoreFindingKind.misfittingMask.hint.contains("show --json"))
    #expect(ArchiveFindingKind.storeGap.hint.contains("prune --archive"))
  }
}
