import DemoStore
import DurableFiles
import Foundation
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreEditing
import StoreFormat
import SystemPackage
import Terminal

/// An error as it is reported to people and programs.
struct Failure: Error {
  /// The status that the program ends with.
  let status: ExitStatus
  /// The name of the error for programs.
  let kind: String
  /// What is wrong.
  var message: String
  /// What to do about it.
  var hint: String?
  /// Further facts for programs.
  var details: [(String, JSONValue)] = []

  /// The error as one JSON object.
  var json: JSONValue {
    .record(
      "error",
      ["kind": kind, "code": Int64(status.rawValue), "message": message, "hint": hint],
      and: details)
  }
}

/// Ends a command whose outcome has been reported already.
struct EndWithStatus: Error {
  let status: ExitStatus
}

/// An error that explains itself.
protocol ExplainedError: Error {
  var message: String { get }
  var remedy: String { get }
}

extension ArchiveError: ExplainedError {}
extension DemoError: ExplainedError {}
extension ExportFormatError: ExplainedError {}
extension HistoryError: ExplainedError {}
extension LineError: ExplainedError {}
extension RestoreObstacle: ExplainedError {}
extension StoreError: ExplainedError {}
extension StoreWriteError: ExplainedError {}

extension Failure {
  /// Explains an error of the modules below.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - time: Writes the times in a message.
  init(_ error: any Error, time: ((StoreTimestamp?) -> String)? = nil) {
    switch error {
    case let failure as Failure: self = failure
    case StoreWriteError.store(let error): self.init(error)
    case let error as StoreError where Self.misplacedInput(error) != nil:
      self = Self.misplacedInput(error) ?? Self(unexpected: error)
    case let error as any ExplainedError:
      let kind = Self.kind(of: error)
      self.init(
        status: Self.statuses[kind] ?? .failure, kind: kind, message: error.message,
        hint: Self.hint(for: error) ?? error.remedy, details: Self.details(of: error))
      if let time { message = Self.message(of: error, time: time) ?? message }
    case let error as OperationError:
      self.init(
        status: Self.status(of: error.code), kind: error.code.rawValue, message: error.message,
        hint: error.hint, details: error.details.map { ($0, .string($1)) })
    case let error as PartlyDone: self.init(error)
    case let error as CompactionInterrupted: self.init(error)
    case let error as MomentError:
      self.init(status: .usage, kind: "malformedMoment", message: error.message, hint: error.hint)
    case let error as CompressionError:
      self.init(
        status: .failure, kind: "compressionFailed", message: error.description,
        hint: "export without --compress, and compress the file afterwards")
    case let error as OutputError:
      self.init(
        status: .cannotReadOrWrite, kind: "outputFailed", message: error.description,
        hint: error.hint)
    default: self.init(unexpected: error)
    }
  }

  private init(unexpected error: any Error) {
    self.init(
      status: .failure, kind: "unexpected", message: "\(error)",
      hint: "this is a bug in histctl; please report it with the command")
  }

  private init(_ error: PartlyDone) {
    let problem = Failure(error.problem)
    let (transactions, changes) = (error.transactions, error.changes)
    self.init(
      status: .partlyDone, kind: problem.kind,
      message: "\(problem.message); \(transactions.done.grouped) of "
        + "\(transactions.total.grouped) transactions and \(changes.done.grouped) of "
        + "\(changes.total.grouped) changes are "
        + (error.work == .deleting ? "deleted" : "restored"),
      hint: error.work == .deleting
        ? problem.hint ?? "what is left is a whole history; run the command again"
        : "the history is without a gap; run the command again to go on",
      details: problem.details)
  }

  private init(_ error: CompactionInterrupted) {
    let reason =
      switch error.obstacle {
      case .busy: "another program held the store"
      case .pinnedLog: "a reader kept the log from being moved into the store"
      }
    self.init(
      status: .partlyDone, kind: "partlyDone",
      message: "\(error.path): not all free pages could be given back: \(reason)",
      hint: "run the command again to go on", details: [("store", .string(error.path))])
  }

  private static func status(of code: OperationError.Code) -> ExitStatus {
    switch code {
    case .alreadyThere, .encryptedBackup, .missing, .notSearched, .tooLarge, .unnamedStore,
      .unreadable,
      .unwritable:
      .cannotReadOrWrite
    case .config, .ontoItself, .storeInTwoSections, .usage: .usage
    case .divergedFolder: .historyGap
    case .locked: .busy
    case .mirrored, .sharedPlace: .refused
    }
  }

  /// Explains an error about an archive or exported lines where a command needs a store.
  private static func misplacedInput(_ error: StoreError) -> Failure? {
    guard let path = error.path else { return nil }
    let kind: String
    let message: String
    let hint: String
    switch error {
    case .notAStore where Archive.isArchive(path):
      kind = "archive"
      message = "\(path) is an archive; this command needs a store"
      hint = "info, log, show, diff, object, blame, export, stats and token check read archives"
    case .notAStore where ExportedText.isName(path),
      .missing(ExportedText.standardInput):
      kind = "lines"
      message =
        path == ExportedText.standardInput
        ? "\"-\" reads exported lines; this command needs a store" : error.message
      hint =
        "log, show, diff, object, blame, export, stats, report and token check read exported lines"
    case .notAStore(_, .notSQLite):
      let file = ShellWord.quoted(path)
      kind = "notAStore"
      switch FileContent(at: path) {
      case .lines:
        message = error.message
        hint =
          "to read exported lines, pass them on standard input: histctl log - < \(file)"
      case .packedStore(let unpack):
        message = "\(path) is a compressed database; a store is read where it lies"
        hint = "unpack it first, with its -wal if it has one: \(unpack) \(file)"
      case .packed(let unpack):
        message = "\(path) is a compressed file; a store is read where it lies"
        hint = "unpack it first: \(unpack) \(file)"
      case .members:
        message = "\(path) is a zip or tar file; a store is read where it lies"
        hint = "list the stores in it with: histctl find \(file)"
      case nil: return nil
      }
    case .missing:
      guard let near = nearPath(path) else { return nil }
      kind = "missing"
      message = error.message
      hint = "did you mean \(ShellWord.quoted(near))?"
    default: return nil
    }
    return Failure(
      status: statuses[kind] ?? .notAStore, kind: kind, message: message, hint: hint,
      details: [("store", .string(path))])
  }

  /// Explains the path of something else than a store where a command needs one; `nil` for a store,
  /// and for what opening it explains.
  static func misplacedStore(_ path: String) -> Failure? {
    switch (try? FileStatus(path: path))?.kind {
    case nil: exists(path) ? nil : misplacedInput(.missing(path: path))
    case .file? where FileContent.isSQLite(at: path): nil
    case .file?, .other("directory")?:
      misplacedInput(.notAStore(path: path, reason: .notSQLite))
    case .other?: nil
    }
  }

  /// Returns the file whose name is most like that of a missing one, in the same folder.
  private static func nearPath(_ path: String) -> String? {
    let file = FilePath(path)
    guard let name = file.lastComponent?.string, name.count > 2 else { return nil }
    let folder = file.removingLastComponent()
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder.string))
      ?? []
    return NearNames.of(name, in: Array(names.prefix(1000))).first.map {
      folder.appending($0).string
    }
  }

  // MARK: - The table

  /// The status of each kind of error; kinds that are not listed end with ``ExitStatus/failure``.
  static let statuses: [String: ExitStatus] = {
    let table: [(ExitStatus, [String])] = [
      (.answerIsNo, ["unknownObject"]),
      (
        .historyGap,
        [
          "historyTokenForeign", "historyTokenAhead", "historyTokenExpired",
          "historyTokenArchived", "historyTokenDiverged", "divergedArchive", "differentStores",
          "withoutCommonTransaction", "replacedStore", "unknownTransaction", "diverged",
          "olderCopy", "gap", "otherStore", "notSealed",
        ]
      ),
      (
        .damaged,
        [
          "damaged", "calculated", "largeValue", "unusableValues", "missingFile", "damagedText",
          "unlistedSegment", "linkedFile",
          "malformedLine",
          "readBackDiffers", "disorder",
        ]
      ),
      (
        .refused,
        [
          "bookmarkIsAhead", "bookmarkOfOtherStore", "presentEntity", "refusedByGuards",
          "notIncremental", "renumbersRows", "changedModel", "unfitTable", "withoutTextNumbers",
        ]
      ),
      (
        .busy,
        [
          "busy", "busyBookmarks", "busyArchive", "changedArchive", "changedWhileReading",
          "changedWhileCopying", "historyChanged", "pinnedLog",
        ]
      ),
      (.notAStore, ["notAStore", "withoutHistory", "notAnArchive"]),
      (
        .cannotReadOrWrite,
        [
          "missing", "contained", "separateLog", "beingReplaced", "withoutRoom", "unreadable",
          "obstructed", "notCopied",
          "unfinishedSave",
          "unwritable",
          "alreadyThere", "unrecordedValues", "withoutSpace", "unreadableToken",
          "unreadableBookmarks", "unwritableBookmarks", "missingBookmarks", "fullBookmarks",
          "unnamedStore", "notEmpty", "fullCatalog",
        ]
      ),
      (
        .usage,
        [
          "usage", "malformedToken", "malformedRange", "unknownBookmark", "malformedBookmarkName",
          "contradictoryRehearsal", "noTransaction", "malformedObject", "objectOfOtherStore",
          "unknownEntity", "unknownAttribute", "unusableValue", "unknownModel", "tooManyPeriods",
          "copyOntoItself", "unknownStore", "severalStores", "malformedAnchor", "outsideCalendar",
        ]
      ),
    ]
    return Dictionary(
      uniqueKeysWithValues: table.flatMap { status, kinds in kinds.map { ($0, status) } })
  }()

  /// The name of an error for programs: that of its case, with few exceptions.
  private static func kind(of error: any ExplainedError) -> String {
    switch error {
    case HistoryError.unusableToken(let token): return token.kind
    case HistoryError.restoreRefusedByGuards: return "refusedByGuards"
    case ArchiveError.notAnArchive(_, .notEmpty): return "notEmpty"
    case ArchiveError.missing, ArchiveError.lostCatalog: return "missingFile"
    case ArchiveError.unlisted: return "unlistedSegment"
    case ArchiveError.linked: return "linkedFile"
    case ArchiveError.busy: return "busyArchive"
    case ArchiveError.changed: return "changedArchive"
    case ArchiveError.damagedText(_, _?, _), is LineError: return "malformedLine"
    case is DemoError: return "outsideCalendar"
    case ExportFormatError.longText: return "valueTooLong"
    case is ExportFormatError: return "usage"
    case StoreError.unknownEntity: return "notSaved"
    default: break
    }
    let name = Mirror(reflecting: error).children.first?.label ?? "unexpected"
    let isOfSaves = error is StoreError || error is StoreWriteError
    if case StoreError.endedSnapshot = error { return "endedSnapshot" }
    return isOfSaves && statuses[name] == nil ? "notSaved" : name
  }

  /// What this program can do about an error with its own commands and options; `nil` where the
  /// error's own remedy says it all.
  private static func hint(for error: any Error) -> String? {
    switch error {
    case StoreError.notAStore(_, .notAFile(kind: "pipe")):
      "a store must be a file; exported lines are read from standard input with -"
    case StoreError.busy:
      "close the program that has the store open, or wait longer with --busy-timeout"
    case StoreError.missing(let path) where ExportedText.isName(path): "check the path"
    case StoreError.changedWhileReading, StoreWriteError.historyChanged: "run the command again"
    case StoreError.notCopied(_, let copy, .otherState):
      "name another folder with --private-copy, or read \(ShellWord.quoted(copy)) without it"
    case StoreError.notCopied(_, _, .besideStore): "name another folder with --private-copy"
    case StoreWriteError.unwritable(let path, _) where !hasFolder(path):
      "create its folder first, or name a file in a folder that exists"
    case StoreWriteError.unrecordedValues:
      "make the file and its folder writable, or leave old and new values out with --no-values"
    case StoreWriteError.alreadyThere(let path) where isOfNoStore(path):
      "choose another path; only a store is replaced"
    case StoreWriteError.alreadyThere:
      "choose another path, or replace the file with --overwrite"
    case StoreWriteError.pinnedLog: "run the command again when the other program is done"
    case StoreWriteError.notIncremental:
      "close every program that has the store open, and use --full"
    case StoreWriteError.renumbersRows:
      "leave out --full; other data may refer to these rows by their numbers"
    case StoreWriteError.withoutSpace: "free some space, or leave out --full"
    case HistoryError.malformedToken(let text, _, _) where isFile(text):
      FileContent.isSQLite(at: text)
        ? "it is another store, and this command reads one; to compare two copies of a store: "
          + "histctl diff STORE --with COPY"
        : "to read a token from a file, write \(tokenFile(text))"
    case HistoryError.unknownBookmark(let name, _, known: []):
      "there are none; create one with: histctl bookmark set STORE \(name) TOKEN"
    case HistoryError.unusableToken(let token): token.remedyOfBookmark()
    case HistoryError.unreadableBookmarks:
      "move the file away to start without bookmarks, or name another with --bookmark-file"
    case HistoryError.unwritableBookmarks:
      "make the file and its folder writable, or name another with --bookmark-file"
    case HistoryError.missingBookmarks:
      "name the file that has them; prune and forget delete without them if they are given "
        + "--ignore-guard bookmarks"
    case HistoryError.busyBookmarks: "run the command again when the other program is done"
    case HistoryError.fullBookmarks:
      "remove unused bookmarks with histctl bookmark remove STORE NAME, or name another file with "
        + "--bookmark-file"
    case HistoryError.bookmarkIsAhead:
      "its consumer would see changes a second time; to move it back, use --force"
    case HistoryError.bookmarkOfOtherStore:
      "choose another name or another --bookmark-file, or replace the bookmark with --force"
    case HistoryError.unknownObject(_, nil, nil, _):
      "list the objects that changed with: histctl diff STORE 0 --name-only"
    case HistoryError.unknownEntity(_, suggestions: []):
      "list the entities of a store or an archive with: histctl info STORE --model"
    case HistoryError.unknownAttribute(_, suggestions: []):
      "list the attributes and relationships of each entity with: histctl info STORE --model"
    case HistoryError.tooManyPeriods:
      "choose longer periods, such as --by day, or a part of the history with --after"
    case HistoryError.unknownSize:
      "say how much to keep by time or number: --keep-within 30d, --keep-last 1000"
    case HistoryError.damaged(let path, _):
      "list the damage with histctl verify --full \(ShellWord.quoted(path)); restore the store and its -wal "
        + "from a backup, or continue with what can be read: --ignore-guard damage"
    case HistoryError.refusedByGuards, HistoryError.restoreRefusedByGuards:
      "check what the guards protect; to skip one, use --ignore-guard NAME"
    case RestoreObstacle.notSealed(_, _, let oldest?):
      "name transaction \(oldest) or a later one, or restore everything, without --from"
    case RestoreObstacle.changedModel(_, let transaction, _),
      RestoreObstacle.unfitTable(_, let transaction, _):
      "restore only later transactions, with --from "
        + "\(transaction == .max ? transaction : transaction + 1), or read the archive instead of the "
        + "store"
    case ArchiveError.unreadable(let path, _) where !exists(path): "check the path"
    case LineError.unexpected: "the format of lines is described in histctl-json(5)"
    case LineError.unknownSchema(0), LineError.unknownType("change"):
      "only transactions are read back; export them with --format jsonl"
    case LineError.unknownSchema, LineError.unknownType, ArchiveError.unknownFormat:
      "use a newer histctl"
    case LineError.partial: "export again without --only-matching and --fields"
    case ArchiveError.notAnArchive(_, .withoutCatalog):
      "an archive is a folder with a file \(ArchiveFormat.catalogName); create one with "
        + "histctl archive"
    case ArchiveError.notAnArchive(_, .missing), ArchiveError.notAnArchive(_, .notAFolder):
      "create an archive with histctl archive"
    case ArchiveError.missing, ArchiveError.damaged:
      "restore the file from a copy of the archive; histctl verify lists everything that is wrong"
    case ArchiveError.unlisted:
      "seal the store again with histctl archive, which lists the segment; if the catalog was cut short, restore it "
        + "from a copy of the archive"
    case ArchiveError.malformedAnchor: "copy the head that histctl archive prints"
    case ArchiveError.unknownTransaction:
      "list the contents of the archive with: histctl info ARCHIVE"
    case ArchiveError.changed: "run the command again"
    case ArchiveError.busy: "run the command again later, or wait longer with --lock-wait 10min"
    case ArchiveError.gap: "to seal the rest and leave the gap, add --allow-gap"
    case ArchiveError.malformedLine(_, _, let error):
      switch error {
      case .unknownSchema(0), .unknownType("change"): hint(for: error)
      default:
        (hint(for: error) ?? error.remedy)
          + "; lines must be as histctl export --format jsonl writes them"
      }
    case ArchiveError.damagedText:
      "export the history again; lines must be as histctl export --format jsonl writes them"
    case ArchiveError.readBackDiffers: "check the disk, and run the command again"
    default: nil
    }
  }

  /// Whether the folder in which a file would be exists.
  private static func hasFolder(_ path: String) -> Bool {
    let folder = FilePath(path).removingLastComponent()
    return folder.isEmpty || MissingFolders.isFolder(folder.string)
  }

  private static func exists(_ path: String) -> Bool {
    do {
      return try FileStatus(path: path) != nil
    } catch {
      return true
    }
  }

  private static func isFile(_ path: String) -> Bool {
    (try? FileStatus(path: path))?.kind == .file
  }

  /// Whether a file is neither a store, even an empty one, nor one that belongs to a store.
  private static func isOfNoStore(_ path: String) -> Bool {
    guard let status = try? FileStatus(path: path), status.kind == .file else { return false }
    return status.size > 0 && !FileContent.isSQLite(at: path)
      && !["-wal", "-shm", "-journal"].contains { path.hasSuffix($0) }
  }

  private static func tokenFile(_ path: String) -> String {
    ShellWord.quoted("@" + (path.contains("/") ? path : "./" + path))
  }

  private static func message(
    of error: any Error, time: (StoreTimestamp?) -> String
  ) -> String? {
    switch error {
    case HistoryError.unusableToken(let token): token.message(time: time)
    case HistoryError.divergedArchive(let divergence): divergence.message(time: time)
    default: nil
    }
  }

  /// The kind and the hint of an error, for programs.
  private static func details(of error: any ExplainedError) -> [(String, JSONValue)] {
    func store(_ path: String) -> [(String, JSONValue)] { [("store", .string(path))] }
    switch error {
    case let error as StoreError: return error.path.map(store) ?? []
    case let error as RestoreObstacle:
      return (error.path.map(store) ?? [])
        + (error.transaction.map { [("transaction", .integer($0))] } ?? [])
    case HistoryError.damaged(let path, _), StoreWriteError.historyChanged(let path, _),
      StoreWriteError.pinnedLog(let path, _), StoreWriteError.notIncremental(let path):
      return store(path)
    case StoreWriteError.unwritable(let path, _), StoreWriteError.alreadyThere(let path),
      StoreWriteError.copyOntoItself(let path, _), StoreWriteError.unrecordedValues(let path, _):
      return [("path", .string(path))]
    case StoreWriteError.renumbersRows(let path, let tables):
      return store(path) + [("tables", .array(tables.map(JSONValue.string)))]
    case StoreWriteError.withoutSpace(let path, let needed, let free):
      return store(path) + [("neededBytes", .integer(needed)), ("freeBytes", .integer(free))]
    case HistoryError.unusableToken(let token):
      var details =
        store(token.path) + [
          ("token", .string(token.text)), ("state", .string(token.state.name)),
        ]
      if let oldest = token.oldest { details.append(("oldest", .integer(oldest.number))) }
      if let time = token.oldest?.timestamp?.iso8601() {
        details.append(("oldestTimestamp", .string(time)))
      }
      if let archive = token.archive { details.append(("archive", .string(archive.path))) }
      return details + (token.remainder?.members ?? [])
    default: return []
    }
  }
}
