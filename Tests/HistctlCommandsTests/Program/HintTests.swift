import Foundation
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import StoreTransactions
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
      #expect(failure.kind.rawValue == kind, "\(error)")
      #expect(failure.status == status, "\(error)")
      #expect(words.isEmpty || failure.hint?.contains(words) == true, "\(error)")
      #expect(failure.hint?.isEmpty == false, "\(error)")
    }
    for kind in StoreFindingKind.allCases { #expect(!kind.hint.isEmpty) }
    for kind in ArchiveFindingKind.allCases { #expect(!kind.hint.isEmpty) }
    #expect(StoreFindingKind.misfittingMask.hint.contains("show --json"))
    #expect(ArchiveFindingKind.storeGap.hint.contains("prune --archive"))
  }

  /// One error of each case. A new case does not compile until it has one, after the case before it.
  private static let everyCase: [any Error] =
    chain { (error: StoreError?) in
      switch error {
      case nil: .missing(path: "p")
      case .missing?: .beingReplaced(path: "p", former: "f")
      case .beingReplaced?: .unreadable(path: "p", reason: "r")
      case .unreadable?: .withoutRoom(path: "p", index: "i", free: nil)
      case .withoutRoom?: .notAStore(path: "p", reason: .notSQLite)
      case .notAStore?: .contained(path: "p", container: "c")
      case .contained?: .separateLog(path: "p", whole: "w")
      case .separateLog?: .withoutHistory(path: "p")
      case .withoutHistory?: .unfinishedSave(path: "p", journal: "j")
      case .unfinishedSave?: .busy(path: "p", seconds: 1)
      case .busy?: .changedWhileReading(path: "p")
      case .changedWhileReading?: .changedWhileCopying(path: "p")
      case .changedWhileCopying?: .notCopied(path: "p", copy: "c", reason: .otherState)
      case .notCopied?: .cancelled(path: "p")
      case .cancelled?: .endedSnapshot(path: "p")
      case .endedSnapshot?: .damaged(path: "p", place: "q", detail: "d")
      case .damaged?: .largeProperty(path: "p", place: "q", size: 2, limit: 1)
      case .largeProperty?: .calculated(path: "p", table: "t", part: "q")
      case .calculated?: .obstructed(path: "p", file: "f", kind: "pipe")
      case .obstructed?: .largeValue(path: "p", place: "q", file: "f", reason: "r")
      case .largeValue?: .unusableValues(path: "p", reason: "r")
      case .unusableValues?: .withoutModel(path: "p", reason: "r")
      case .withoutModel?: .invalidModel(detail: "d")
      case .invalidModel?: .unknownEntity(name: "T", isAbstract: false)
      case .unknownEntity?: .unknownProperty(entity: "T", property: "p")
      case .unknownProperty?: .unexpectedTable(table: "t", detail: "d")
      case .unexpectedTable?: .unsupportedFetch(detail: "d")
      case .unsupportedFetch?: nil
      }
    }
    + chain { (error: StoreWriteError?) in
      switch error {
      case nil: .store(.missing(path: "p"))
      case .store?: .unwritable(path: "p", reason: "r")
      case .unwritable?: .alreadyThere(path: "p")
      case .alreadyThere?: .wrongValue(entity: "T", attribute: "a", expected: "e", found: "f")
      case .wrongValue?: .missingValue(entity: "T", attribute: "a")
      case .missingValue?: .missingObject(entity: "T", primaryKey: 1)
      case .missingObject?, .wrongDestination?: .unusableObject(entity: "T")
      case .unusableObject?: .deletionDenied(entity: "T", primaryKey: 1, relationship: "r")
      case .deletionDenied?: .externalStorage(entity: "T", attribute: "a")
      case .externalStorage?: .frameworkTrigger(table: "t", detail: "d")
      case .frameworkTrigger?: .notUnique(detail: "d")
      case .notUnique?: .numbersExhausted(table: "t")
      case .numbersExhausted?: .historyChanged(path: "p", detail: "d")
      case .historyChanged?: .pinnedLog(path: "p", seconds: 1)
      case .pinnedLog?: .copyOntoItself(path: "p", of: "o")
      case .copyOntoItself?: .notIncremental(path: "p")
      case .notIncremental?: .renumbersRows(path: "p", tables: ["t"])
      case .renumbersRows?: .withoutSpace(path: "p", needed: 2, free: 1)
      case .withoutSpace?: .notInferable(entity: "T", property: nil, reason: "r", remedy: "m")
      case .notInferable?: .notMigratable(table: "t", detail: "d")
      case .notMigratable?: .unfinishedJointSave(path: "p", record: "r", detail: "d")
      case .unfinishedJointSave?: .unrecordedValues(path: "p", reason: "r")
      case .unrecordedValues?: nil
      }
    }
    + chain { (error: ArchiveError?) in
      switch error {
      case nil: .notAnArchive(path: "p", reason: .notAFolder)
      case .notAnArchive?: .missing(path: "p")
      case .missing?: .lostCatalog(path: "p")
      case .lostCatalog?: .unlisted(path: "p")
      case .unlisted?: .linked(path: "p")
      case .linked?: .unreadable(path: "p", reason: "r")
      case .unreadable?: .unwritable(path: "p", reason: "r")
      case .unwritable?: .damaged(path: "p", place: "q", detail: "d")
      case .damaged?: .unknownFormat(path: "p", schema: 9)
      case .unknownFormat?: .unknownStore(path: "p", store: "s", known: ["k"])
      case .unknownStore?: .severalStores(path: "p", stores: ["s", "t"])
      case .severalStores?: .malformedAnchor(text: "x")
      case .malformedAnchor?: .unknownTransaction(path: "p", store: "s", transaction: 1)
      case .unknownTransaction?: .busy(path: "p", seconds: 1)
      case .busy?: .changed(path: "p")
      case .changed?: .cancelled(path: "p")
      case .cancelled?: .unnamedStore(path: "p")
      case .unnamedStore?: .unsealable(path: "p", transaction: 1, reason: "r")
      case .unsealable?: .diverged(path: "p", archive: "a", transaction: 1)
      case .diverged?: .olderCopy(path: "p", archive: "a", sealed: 2, newest: 1)
      case .olderCopy?: .gap(path: "p", archive: "a", after: 1, oldest: 3)
      case .gap?: .fullCatalog(path: "p", limit: 1)
      case .fullCatalog?: .damagedText(path: "p", line: 1, detail: "d")
      case .damagedText?: .malformedLine(path: "p", line: 1, .unknownType("x"))
      case .malformedLine?: .readBackDiffers(path: "p", place: "q")
      case .readBackDiffers?: nil
      }
    }
    + chain { (error: RestoreObstacle?) in
      switch error {
      case nil: .otherStore(path: "p", identifier: "i", sealed: "s")
      case .otherStore?: .diverged(path: "p", transaction: 1, detail: "d")
      case .diverged?: .gap(path: "p", newestSealed: 1, oldest: 3, newestIssued: 4)
      case .gap?: .notSealed(path: "p", wanted: 1, oldestSealed: nil)
      case .notSealed?: .unfitTable(path: "p", transaction: 1, detail: "d")
      case .unfitTable?, .changedModel?: .withoutTextNumbers(path: "p", count: 1)
      case .withoutTextNumbers?: .disorder(transaction: 1)
      case .disorder?: nil
      }
    }
    + chain { (error: LineError?) in
      switch error {
      case nil: .unexpected(key: "k", expectation: "e")
      case .unexpected?, .malformed?: .unknownSchema(9)
      case .unknownSchema?: .unknownType("x")
      case .unknownType?: .partial(transaction: 1)
      case .partial?: .unknownEntity(name: "T")
      case .unknownEntity?: .tooLarge(limit: 1)
      case .tooLarge?: nil
      }
    }

  private static func chain<E: Error>(_ next: (E?) -> E?) -> [any Error] {
    var errors: [any Error] = []
    var last: E?
    while let error = next(last) {
      errors.append(error)
      last = error
    }
    return errors
  }

  @Test
  func `every case of an error has a kind of its own or one that is documented, and a hint`() {
    #expect(Self.everyCase.count > 80)
    for error in Self.everyCase {
      let failure = Failure(error)
      #expect(failure.kind != .unexpected, "\(error)")
      #expect(failure.status == failure.kind.status && failure.status != .success, "\(error)")
      #expect(!failure.message.isEmpty && failure.hint?.isEmpty == false, "\(error)")
    }
  }

  @Test
  func `every command and option in a hint exists`() async throws {
    var help: [String: String] = [:]
    for name in [""] + CommandNames.all {
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
