import DurableFiles
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import StoreTransactions
import SystemPackage
import Terminal

extension StoreError: ReportedError {
  var kind: ErrorKind {
    switch self {
    case .missing: .missing
    case .beingReplaced: .beingReplaced
    case .unreadable: .unreadable
    case .withoutRoom: .withoutRoom
    case .notAStore: .notAStore
    case .contained: .contained
    case .separateLog: .separateLog
    case .withoutHistory: .withoutHistory
    case .unfinishedSave: .unfinishedSave
    case .busy: .busy
    case .changedWhileReading: .changedWhileReading
    case .changedWhileCopying: .changedWhileCopying
    case .notCopied: .notCopied
    case .cancelled: .cancelled
    case .endedSnapshot: .endedSnapshot
    case .damaged: .damaged
    case .largeProperty: .valueTooLong
    case .calculated: .calculated
    case .obstructed: .obstructed
    case .largeValue: .largeValue
    case .unusableValues: .unusableValues
    // Errors of saving and fetching, which only other programs do.
    case .withoutModel, .invalidModel, .unknownEntity, .unknownProperty, .unexpectedTable,
      .unsupportedFetch:
      .notSaved
    }
  }

  var hint: String? {
    switch self {
    case .notAStore(_, .notAFile(kind: FileStatus.Kind.pipe.name)):
      "a store must be a file; exported lines are read from standard input with -"
    case .notAStore(let path, .notAFile(kind: FileStatus.Kind.directory.name)):
      "give the store file itself; list those in it with: histctl find \(ShellWord.quoted(path))"
    case .contained(let path, _):
      "give a copy: histctl snapshot \(ShellWord.quoted(path)) last -o COPY"
    case .busy:
      "close the program that has the store open, or wait longer with --busy-timeout"
    case .missing(let path) where ExportedText.isName(path): "check the path"
    case .changedWhileReading, .cancelled: "run the command again"
    case .notCopied(_, let copy, .otherState):
      "name another folder with --private-copy, or read \(ShellWord.quoted(copy)) without it"
    case .notCopied(_, _, .besideStore): "name another folder with --private-copy"
    case .missing, .beingReplaced, .unreadable, .withoutRoom, .notAStore, .separateLog,
      .withoutHistory, .unfinishedSave, .changedWhileCopying, .notCopied, .endedSnapshot, .damaged,
      .largeProperty, .calculated, .obstructed, .largeValue, .unusableValues, .withoutModel,
      .invalidModel,
      .unknownEntity, .unknownProperty, .unexpectedTable, .unsupportedFetch:
      nil
    }
  }

  var details: [(String, JSONValue)] { JSONValue.list(of: ["store": path]) }
}

extension ReadableRest: ReportedError {
  var kind: ErrorKind { damage.kind }
  var message: String { damage.message }
  var remedy: String { damage.remedy }
  var hint: String? { hint(takesRange: false) }

  /// Returns what to do, and how to read what is on both sides.
  ///
  /// - Parameter takesRange: Whether the command takes a range as an argument, and not `--after` and `--until`.
  func hint(takesRange: Bool) -> String {
    let ways =
      (until.map { ["up to \($0) with \(takesRange ? "..\($0)" : "--until \($0)")"] } ?? [])
      + (after.map { ["after \($0) with \(takesRange ? "\($0).." : "--after \($0)")"] } ?? [])
    return "\(damage.hint ?? damage.remedy); meanwhile, read what is "
      + ways.joined(separator: ", and ")
  }

  var details: [(String, JSONValue)] {
    damage.details + JSONValue.list(of: ["readableUntil": until, "readableAfter": after])
  }
}

extension StoreWriteError: ReportedError {
  var kind: ErrorKind {
    switch self {
    case .store(let error): error.kind
    case .unwritable: .unwritable
    case .alreadyThere: .alreadyThere
    case .historyChanged: .historyChanged
    case .pinnedLog: .pinnedLog
    case .copyOntoItself: .copyOntoItself
    case .notIncremental: .notIncremental
    case .renumbersRows: .renumbersRows
    case .withoutSpace: .withoutSpace
    case .unrecordedValues: .unrecordedValues
    // Errors of saving and migrating, which only other programs do.
    case .wrongValue, .missingValue, .wrongDestination, .missingObject, .unusableObject,
      .deletionDenied, .externalStorage, .frameworkTrigger, .notUnique, .numbersExhausted,
      .notInferable, .notMigratable, .unfinishedJointSave:
      .notSaved
    }
  }

  var hint: String? {
    switch self {
    case .store(let error): error.hint
    case .historyChanged: "run the command again"
    case .unwritable(let path, _) where !Self.hasFolder(path):
      "create its folder first, or name a file in a folder that exists"
    case .unrecordedValues:
      "make the file and its folder writable, or leave old and new values out with --no-values"
    case .alreadyThere(let path) where Self.isOfNoStore(path):
      "choose another path; only a store is replaced"
    case .alreadyThere: "choose another path, or replace the file with --overwrite"
    case .pinnedLog: "run the command again when the other program is done"
    case .notIncremental: "close every program that has the store open, and use --full"
    case .renumbersRows:
      "leave out --full; other data may refer to these rows by their numbers"
    case .withoutSpace: "free some space, or leave out --full"
    case .unwritable, .copyOntoItself, .wrongValue, .missingValue, .wrongDestination,
      .missingObject, .unusableObject, .deletionDenied, .externalStorage, .frameworkTrigger,
      .notUnique, .numbersExhausted, .notInferable, .notMigratable, .unfinishedJointSave:
      nil
    }
  }

  var details: [(String, JSONValue)] {
    switch self {
    case .store(let error): error.details
    case .historyChanged(let path, _), .pinnedLog(let path, _), .notIncremental(let path):
      [("store", .string(path))]
    case .unwritable(let path, _), .alreadyThere(let path), .copyOntoItself(let path, _),
      .unrecordedValues(let path, _):
      [("path", .string(path))]
    case .renumbersRows(let path, let tables):
      JSONValue.list(of: ["store": path, "tables": tables])
    case .withoutSpace(let path, let needed, let free):
      JSONValue.list(of: ["store": path, "neededBytes": needed, "freeBytes": free])
    case .wrongValue, .missingValue, .wrongDestination, .missingObject, .unusableObject,
      .deletionDenied, .externalStorage, .frameworkTrigger, .notUnique, .numbersExhausted,
      .notInferable, .notMigratable, .unfinishedJointSave:
      []
    }
  }

  /// Whether the folder in which a file would be exists.
  private static func hasFolder(_ path: String) -> Bool {
    let folder = FilePath(path).removingLastComponent()
    return folder.isEmpty || MissingFolders.isFolder(folder.string)
  }

  /// Whether what exists at a path is neither a store, even an empty one, nor a file that belongs to a store.
  private static func isOfNoStore(_ path: String) -> Bool {
    guard let status = try? FileStatus(path: path) else { return false }
    guard status.kind == .file else { return true }
    return status.size > 0 && !FileContent.isSQLite(at: path)
      && !["-wal", "-shm", "-journal"].contains { path.hasSuffix($0) }
  }
}
