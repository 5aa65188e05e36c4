import DemoStore
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// The one place where errors become exit statuses.
extension Failure {
  /// Explains an error that has ended a command line.
  init(_ error: any Error, of arguments: [String], now: StoreTimestamp) {
    let failure = Failure(error)
    let time = TimeText(style: TimeStyle(of: arguments), now: now)
    switch error as? HistoryError {
    case .unusableToken(let token)?:
      self.init(
        status: failure.status, kind: failure.kind, message: token.message(time: time.text),
        hint: token.hint(of: arguments), details: failure.details)
    case .divergedArchive(let divergence)?:
      self.init(
        status: failure.status, kind: failure.kind, message: divergence.message(time: time.text),
        hint: failure.hint, details: failure.details)
    default: self = failure
    }
  }

  /// Explains an error of the floors below.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as StoreError: self.init(error)
    case let error as StoreWriteError: self.init(error)
    case let error as HistoryError: self.init(error)
    case let error as ArchiveError: self.init(error)
    case let error as RestoreObstacle: self.init(error)
    case let error as OperationError: self.init(error)
    case let error as PartlyDone: self.init(error)
    case let error as CompactionInterrupted: self.init(error)
    case let error as MomentError:
      self.init(status: .usage, kind: "malformedMoment", message: error.message, hint: error.hint)
    case let error as DemoError:
      self.init(status: .usage, kind: "outsideCalendar", message: error.message, hint: error.remedy)
    case let error as LineError:
      self.init(status: .damaged, kind: "malformedLine", message: error.message, hint: error.hint)
    case let error as CompressionError:
      self.init(
        status: .failure, kind: "compressionFailed", message: error.description,
        hint: "export without --compress, and pack the file afterwards")
    case let error as ExportFormatError:
      self.init(status: .usage, kind: "usage", message: error.message, hint: error.remedy)
    case let error as OutputError:
      self.init(
        status: .cannotReadOrWrite, kind: "outputFailed", message: error.description,
        hint: error.hint)
    default:
      self.init(
        status: .failure, kind: "unexpected", message: "\(error)",
        hint: "this is a fault of histctl; please report it with the command")
    }
  }

  private init(_ error: StoreError) {
    if case .notAStore(let path, _) = error, Archive.isArchive(path) {
      self.init(
        status: .notAStore, kind: "archive",
        message: "\(path) is an archive, and this command is about a store itself",
        hint:
          "info, log, show, diff, export, object, stats and token check read an archive as they "
          + "read a store", details: [("store", .string(path))])
      return
    }
    if let path = error.path, ExportedText.isName(path), error.isOfNoStore {
      self.init(
        status: .notAStore, kind: "lines",
        message: path == ExportedText.standardInput
          ? "\"-\" reads exported lines; this command needs a store"
          : error.message,
        hint: "log, show, diff, export, object, stats and token check read lines as they read a "
          + "store", details: [("store", .string(path))])
      return
    }
    if case .notAStore(let path, .notSQLite) = error, ExportedText.isLikely(at: path) {
      self.init(
        status: .notAStore, kind: "notAStore", message: error.message,
        hint: "if these are lines that were exported, have them read from standard input: histctl "
          + "log - < \(ShellWord.quoted(path))", details: [("store", .string(path))])
      return
    }
    let (status, kind): (ExitStatus, String) =
      switch error {
      case .missing: (.cannotReadOrWrite, "missing")
      case .beingReplaced: (.cannotReadOrWrite, "beingReplaced")
      case .withoutRoom: (.cannotReadOrWrite, "withoutRoom")
      case .unreadable: (.cannotReadOrWrite, "unreadable")
      case .notAStore: (.notAStore, "notAStore")
      case .withoutHistory: (.notAStore, "withoutHistory")
      case .unfinishedSave: (.cannotReadOrWrite, "unfinishedSave")
      case .busy: (.busy, "busy")
      case .changedWhileReading: (.busy, "changedWhileReading")
      case .endedSnapshot: (.failure, "endedSnapshot")
      case .damaged: (.damaged, "damaged")
      case .largeValue: (.damaged, "largeValue")
      case .unusableValues: (.damaged, "unusableValues")
      case .withoutModel, .invalidModel, .unknownEntity, .unknownProperty, .unexpectedTable,
        .unsupportedFetch:
        (.failure, "notSaved")
      }
    self.init(
      status: status, kind: kind, message: error.message, hint: error.hint,
      details: error.path.map { [("store", .string($0))] } ?? [])
  }

  private init(_ error: StoreWriteError) {
    switch error {
    case .store(.busy(let path, _)):
      self.init(
        status: .busy, kind: "busy", message: error.message, hint: error.hint,
        details: [("store", .string(path))])
    case .store(let error): self.init(error)
    case .unwritable(let path, _):
      self.init(
        status: .cannotReadOrWrite, kind: "unwritable", message: error.message, hint: error.hint,
        details: [("path", .string(path))])
    case .alreadyThere(let path):
      self.init(
        status: .cannotReadOrWrite, kind: "alreadyThere", message: error.message,
        hint: error.hint,
        details: [("path", .string(path))])
    case .historyChanged(let path, _):
      self.init(
        status: .busy, kind: "historyChanged", message: error.message, hint: error.hint,
        details: [("store", .string(path))])
    case .pinnedLog(let path, _):
      self.init(
        status: .busy, kind: "pinnedLog", message: error.message, hint: error.hint,
        details: [("store", .string(path))])
    case .copyOntoItself(let path, _):
      self.init(
        status: .usage, kind: "copyOntoItself", message: error.message, hint: error.hint,
        details: [("path", .string(path))])
    case .notIncremental(let path):
      self.init(
        status: .refused, kind: "notIncremental", message: error.message, hint: error.hint,
        details: [("store", .string(path))])
    case .renumbersRows(let path, let tables):
      self.init(
        status: .refused, kind: "renumbersRows", message: error.message, hint: error.hint,
        details: [
          ("store", .string(path)), ("tables", .array(tables.map(JSONValue.string))),
        ])
    case .unrecordedValues(let path, _):
      self.init(
        status: .cannotReadOrWrite, kind: "unrecordedValues", message: error.message,
        hint: error.hint, details: [("path", .string(path))])
    case .withoutSpace(let path, let needed, let free):
      self.init(
        status: .cannotReadOrWrite, kind: "withoutSpace", message: error.message,
        hint: error.hint,
        details: [
          ("store", .string(path)), ("neededBytes", .integer(needed)),
          ("freeBytes", .integer(free)),
        ])
    default:
      self.init(
        status: .failure, kind: "notSaved", message: error.message, hint: error.hint)
    }
  }

  private init(_ error: HistoryError) {
    let (status, kind): (ExitStatus, String) =
      switch error {
      case .malformedToken: (.usage, "malformedToken")
      case .unreadableToken: (.cannotReadOrWrite, "unreadableToken")
      case .unknownBookmark: (.usage, "unknownBookmark")
      case .unreadableBookmarks: (.cannotReadOrWrite, "unreadableBookmarks")
      case .unwritableBookmarks: (.cannotReadOrWrite, "unwritableBookmarks")
      case .missingBookmarks: (.cannotReadOrWrite, "missingBookmarks")
      case .busyBookmarks: (.busy, "busyBookmarks")
      case .fullBookmarks: (.cannotReadOrWrite, "fullBookmarks")
      case .malformedBookmarkName: (.usage, "malformedBookmarkName")
      case .bookmarkIsAhead: (.refused, "bookmarkIsAhead")
      case .bookmarkOfOtherStore: (.refused, "bookmarkOfOtherStore")
      case .contradictoryRehearsal: (.usage, "contradictoryRehearsal")
      case .unnamedStore: (.cannotReadOrWrite, "unnamedStore")
      case .unusableToken(let token): (.historyGap, token.kind)
      case .divergedArchive: (.historyGap, "divergedArchive")
      case .differentStores: (.historyGap, "differentStores")
      case .withoutCommonTransaction: (.historyGap, "withoutCommonTransaction")
      case .replacedStore: (.historyGap, "replacedStore")
      case .noTransaction: (.usage, "noTransaction")
      case .malformedObject: (.usage, "malformedObject")
      case .objectOfOtherStore: (.usage, "objectOfOtherStore")
      case .unknownObject: (.answerIsNo, "unknownObject")
      case .unknownEntity: (.usage, "unknownEntity")
      case .unknownAttribute: (.usage, "unknownAttribute")
      case .unknownModel: (.usage, "unknownModel")
      case .tooManyPeriods: (.usage, "tooManyPeriods")
      case .unknownSize: (.failure, "unknownSize")
      case .presentEntity: (.refused, "presentEntity")
      case .damaged: (.damaged, "damaged")
      case .refusedByGuards, .restoreRefusedByGuards: (.refused, "refusedByGuards")
      }
    var details: [(String, JSONValue)] = []
    if case .damaged(let path, _) = error { details = [("store", .string(path))] }
    if case .unusableToken(let token) = error {
      details = [
        ("store", .string(token.path)), ("token", .string(token.text)),
        ("state", .string(token.state.name)),
      ]
      if let oldest = token.oldest { details.append(("oldest", .integer(oldest.number))) }
      if let time = token.oldest?.timestamp?.iso8601() {
        details.append(("oldestTimestamp", .string(time)))
      }
      if let archive = token.archive { details.append(("archive", .string(archive.path))) }
    }
    self.init(
      status: status, kind: kind, message: error.message, hint: error.hint, details: details)
  }

  private init(_ error: ArchiveError) {
    let (status, kind): (ExitStatus, String) =
      switch error {
      case .notAnArchive(_, .notEmpty): (.cannotReadOrWrite, "notEmpty")
      case .notAnArchive: (.notAStore, "notAnArchive")
      case .missing: (.damaged, "missingFile")
      case .unreadable: (.cannotReadOrWrite, "unreadable")
      case .unwritable: (.cannotReadOrWrite, "unwritable")
      case .damaged: (.damaged, "damaged")
      case .unknownFormat: (.failure, "unknownFormat")
      case .unknownStore: (.usage, "unknownStore")
      case .severalStores: (.usage, "severalStores")
      case .malformedAnchor: (.usage, "malformedAnchor")
      case .unknownTransaction: (.historyGap, "unknownTransaction")
      case .busy: (.busy, "busyArchive")
      case .unnamedStore: (.cannotReadOrWrite, "unnamedStore")
      case .unsealable: (.failure, "unsealable")
      case .diverged: (.historyGap, "diverged")
      case .olderCopy: (.historyGap, "olderCopy")
      case .gap: (.historyGap, "gap")
      case .fullCatalog: (.cannotReadOrWrite, "fullCatalog")
      case .damagedText(_, nil, _): (.damaged, "damagedText")
      case .damagedText, .malformedLine: (.damaged, "malformedLine")
      case .readBackDiffers: (.damaged, "readBackDiffers")
      }
    self.init(status: status, kind: kind, message: error.message, hint: error.hint)
  }

  private init(_ error: RestoreObstacle) {
    let (status, kind): (ExitStatus, String) =
      switch error {
      case .otherStore: (.historyGap, "otherStore")
      case .diverged: (.historyGap, "diverged")
      case .gap: (.historyGap, "gap")
      case .notSealed: (.historyGap, "notSealed")
      case .changedModel: (.refused, "changedModel")
      case .unfitTable: (.refused, "unfitTable")
      case .withoutTextNumbers: (.refused, "withoutTextNumbers")
      case .disorder: (.damaged, "disorder")
      }
    var details: [(String, JSONValue)] = error.path.map { [("store", .string($0))] } ?? []
    if let number = error.transaction { details.append(("transaction", .integer(number))) }
    self.init(
      status: status, kind: kind, message: error.message, hint: error.hint, details: details)
  }
}

extension Failure {
  private init(_ error: OperationError) {
    let status: ExitStatus =
      switch error.code {
      case .alreadyThere, .missing, .unnamedStore, .unreadable, .unwritable: .cannotReadOrWrite
      case .config, .ontoItself, .storeInTwoSections, .usage: .usage
      case .divergedFolder: .historyGap
      case .locked: .busy
      case .sharedPlace: .refused
      }
    self.init(
      status: status, kind: error.code.rawValue, message: error.message, hint: error.hint,
      details: error.details.map { ($0, .string($1)) })
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
}

extension StoreError {
  /// Whether there is no store where one was looked for.
  fileprivate var isOfNoStore: Bool {
    switch self {
    case .notAStore: true
    case .missing(let path): path == ExportedText.standardInput
    default: false
    }
  }
}
