import DurableFiles
import GRDB
import GRDBSQLite

/// An error of opening or reading a store.
///
/// ``message`` says what is wrong, and ``remedy`` what to do.
public enum StoreError: Error, Hashable, Sendable {
  /// There is no file at this path.
  case missing(path: String)
  /// The file is being replaced, or was when that program was killed.
  case beingReplaced(path: String, former: String)
  /// The file, its folder or a file beside it cannot be read.
  case unreadable(path: String, reason: String)
  /// The file system is too full for SQLite's index of the log; `free` is in bytes, if known.
  case withoutRoom(path: String, index: String, free: Int64?)
  /// The file is not a store that Core Data or SwiftData wrote.
  case notAStore(path: String, reason: NotAStoreReason)
  /// The store is in a backup or an archive, where it can only be read.
  case contained(path: String, container: String)
  /// The file is one of a backup, in which its log has another name; `whole` is the path by which both are read.
  case separateLog(path: String, whole: String)
  /// The store was written without the history tables.
  case withoutHistory(path: String)
  /// The last writer stopped in the middle of a save, and only a writer can roll it back.
  case unfinishedSave(path: String, journal: String)
  /// Another program kept the store locked for too long.
  case busy(path: String, seconds: Double)
  /// The store changed while it was read without a lock.
  case changedWhileReading(path: String)
  /// Other programs changed the store while it was copied, each time that it was tried.
  case changedWhileCopying(path: String)
  /// The store cannot be copied to read the copy.
  case notCopied(path: String, copy: String, reason: NotCopiedReason)
  /// The program that began to read no longer waits for the result.
  case cancelled(path: String)
  /// A snapshot was used after the closure that read it had returned.
  case endedSnapshot(path: String)
  /// The file contradicts itself or the layout.
  case damaged(path: String, place: String, detail: String)
  /// A value is larger than this program handles, so nothing is written; sizes are in bytes.
  case largeProperty(path: String, place: String, size: Int, limit: Int)
  /// SQLite calculates a part of a history table for every row that is added or deleted.
  case calculated(path: String, table: String, part: String)
  /// Something other than a file is where SQLite keeps a file beside the store; `kind` says what.
  case obstructed(path: String, file: String, kind: String)
  /// The file beside the store that holds a value cannot be read.
  case largeValue(path: String, place: String, file: String, reason: String)
  /// The file of recorded values cannot be read, or is another kind of file.
  case unusableValues(path: String, reason: String)
  /// The store has no readable model.
  case withoutModel(path: String, reason: String)
  /// The model contradicts itself, or cannot be stored.
  case invalidModel(detail: String)
  /// The model has no such entity, or objects cannot be of exactly this entity.
  case unknownEntity(name: String, isAbstract: Bool)
  /// The entity has no such stored attribute or relationship.
  case unknownProperty(entity: String, property: String)
  /// A table of the store does not match its model.
  case unexpectedTable(table: String, detail: String)
  /// A fetch cannot be expressed in SQL.
  case unsupportedFetch(detail: String)
}

/// The reason why a store is not copied.
public enum NotCopiedReason: Hashable, Sendable {
  /// There is a copy of another state of the store.
  case otherState
  /// The copy would be in the folder of the store.
  case besideStore
  /// Reading the store or writing the copy failed.
  case failed(String)
}

/// The reason why a file is not a store.
public enum NotAStoreReason: Hashable, Sendable {
  /// A directory, a pipe, a socket or a device.
  case notAFile(kind: String)
  /// An empty file.
  case empty
  /// The first bytes are not those of a SQLite database, or the database is encrypted.
  case notSQLite
  /// A SQLite database without Core Data's tables.
  case withoutCoreDataTables
  /// A file beside a store that belongs to it, such as its log.
  case companion(of: String)
}

extension StoreError {
  /// The path of the file, or `nil` for an error of a model or a fetch.
  public var path: String? {
    switch self {
    case .missing(let path), .beingReplaced(let path, _), .unreadable(let path, _),
      .withoutRoom(let path, _, _), .notAStore(let path, _), .withoutHistory(let path),
      .unfinishedSave(let path, _), .busy(let path, _), .changedWhileReading(let path),
      .changedWhileCopying(let path), .notCopied(let path, _, _),
      .cancelled(let path), .endedSnapshot(let path), .damaged(let path, _, _),
      .largeProperty(let path, _, _, _),
      .calculated(let path, _, _),
      .contained(let path, _), .separateLog(let path, _), .obstructed(let path, _, _),
      .largeValue(let path, _, _, _), .unusableValues(let path, _),
      .withoutModel(let path, _):
      path
    case .invalidModel, .unknownEntity, .unknownProperty, .unexpectedTable, .unsupportedFetch: nil
    }
  }

  /// The problem, with the file and what was expected.
  public var message: String {
    switch self {
    case .missing(let path):
      path.isEmpty ? "the path is empty" : "no file at \(path)"
    case .beingReplaced(let path, let former):
      "no file at \(path): another store is being put there, or the program that did so was killed, "
        + "and the former store is \(former)"
    case .unreadable(let path, let reason):
      "cannot read \(path): \(reason)"
    case .withoutRoom(let path, let index, let free):
      "cannot read \(path): reading its log needs at least \(StoreError.indexLength) bytes for \(index)"
        + (free.map { "; \($0) bytes are free" } ?? "")
    case .notAStore(let path, .companion(let store)) where path.utf8.starts(with: store.utf8):
      "\(path) is not a Core Data or SwiftData store: it is the \(Substring(path.utf8.dropFirst(store.utf8.count))) file of "
        + store
    case .notAStore(let path, let reason):
      "\(path) is not a Core Data or SwiftData store: \(reason.text)"
    case .contained(let path, let container):
      "\(path) is in \(container), where a store can only be read"
    case .separateLog(let path, _):
      "\(path) is a file of a backup, in which its -wal has another name: read alone, it lacks the last saves"
    case .withoutHistory(let path):
      "\(path) keeps no history: it was written without persistent history tracking, "
        + "so it has no history tables"
    case .unfinishedSave(let path, let journal):
      "\(path) was left in the middle of a save: \(journal) must be rolled back first, "
        + "and that would change the store"
    case .busy(let path, let seconds):
      "\(path) is locked by another program, for more than \(StoreError.text(of: seconds))"
    case .changedWhileReading(let path):
      "\(path) was changed by another program while it was read without a lock"
    case .changedWhileCopying(let path):
      "\(path) was changed by another program each time that it was copied"
    case .notCopied(let path, let copy, .otherState):
      "\(copy) is a copy of another state of \(path)"
    case .notCopied(let path, let copy, .besideStore):
      "the private copy \(copy) would be beside \(path) itself"
    case .notCopied(let path, let copy, .failed(let reason)):
      "cannot copy \(path) to \(copy): \(reason)"
    case .cancelled(let path): "reading \(path) was canceled"
    case .endedSnapshot(let path):
      "the snapshot of \(path) was used after StoreFile.read had returned"
    case .damaged(let path, let place, let detail):
      "\(path) is damaged: \(place): \(detail)"
    case .largeProperty(let path, let place, let size, let limit):
      "\(place) of \(path) has \(size) bytes (limit \(limit))"
    case .calculated(let path, let table, let part):
      "\(path) cannot be written: \(table): \(part) is calculated, which no framework declares, and "
        + "SQLite would do so for every row that is added or deleted"
    case .obstructed(let path, let file, let kind):
      "cannot read \(path): \(file) is a \(kind), where SQLite would look for a file"
    case .largeValue(let path, let place, let file, let reason):
      "cannot read the file \(file), which holds the value of \(place) of \(path): \(reason)"
    case .unusableValues(let path, let reason):
      "the recorded values in \(path) cannot be used: \(reason)"
    case .invalidModel(let detail): "no store can be made for the model: \(detail)"
    case .withoutModel(let path, let reason): "\(path) has no readable model: \(reason)"
    case .unknownEntity(let name, isAbstract: false): "the model has no entity \(name)"
    case .unknownEntity(let name, isAbstract: true):
      "the entity \(name) is abstract, so no object can be of exactly this entity"
    case .unknownProperty(let entity, let property):
      "the entity \(entity) keeps no property \(property) in the store"
    case .unexpectedTable(let table, let detail):
      "the table \(table) does not fit the store's model: \(detail)"
    case .unsupportedFetch(let detail): "the objects cannot be fetched: \(detail)"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .missing:
      "check the path; an app's store is usually in its Library/Application Support folder"
    case .beingReplaced:
      "try again; if it stays so, make that copy or store again, which puts the former one and all "
        + "that belongs to it back first"
    case .unreadable(let path, _) where path.contains(ContainedPath.separator):
      "unpack the archive with the program that packed it, and give the path of the store there"
    case .unreadable:
      "check the permissions of the file and of its folder"
    case .withoutRoom:
      "free space there, or copy the store with its -wal file to another file system and read the copy"
    case .notAStore(_, .companion(let store)):
      "give \(store), with which it is read"
    case .notAStore(_, .notAFile(kind: FileStatus.Kind.pipe.name)):
      "give a file; a store is read where it lies, and not from a stream"
    case .notAStore(_, .notSQLite):
      "give the store file itself; an encrypted one must be decrypted first"
    case .notAStore(_, .withoutCoreDataTables):
      "it is a SQLite database of another kind; give the store file of the app"
    case .notAStore:
      "give the store file itself, such as default.store"
    case .contained(_, let container):
      "copy the store, with its -wal, out of \(container), and give the copy"
    case .separateLog(_, let whole):
      "give \(whole), with which both are read"
    case .withoutHistory:
      "history begins when the app sets NSPersistentHistoryTrackingKey; SwiftData always does"
    case .unfinishedSave:
      "open it once with its app, or work on a copy of the store with its journal"
    case .busy:
      "try again when the other program is done, or wait longer for it (busyTimeout)"
    case .changedWhileReading, .cancelled:
      "read it again"
    case .changedWhileCopying:
      "close the program that has the store open, or copy an image or a snapshot of its file system"
    case .notCopied(_, _, .otherState):
      "copy it to another folder, or read the copy itself"
    case .notCopied(_, _, .besideStore):
      "copy it to a folder on another path"
    case .notCopied(_, _, .failed):
      "check the permissions and the free space of both folders"
    case .endedSnapshot:
      "read inside the closure, and return values instead of the snapshot"
    case .damaged:
      "copy the store together with its -wal file and try the copy, or take it from a backup"
    case .largeProperty:
      "find out which program wrote it; no framework writes one of that size"
    case .calculated(_, _, let part):
      "remove \(part) with SQLite, if you know that nothing else needs it"
    case .obstructed(_, let file, _):
      "close the programs that have the store open, and move \(file) away"
    case .largeValue:
      "restore the file from a backup, or set the attribute to another value"
    case .unusableValues:
      "move the file away to do without it, or read without recorded values"
    case .invalidModel: "correct the model"
    case .withoutModel: "open the store once with its app, which puts the model back"
    case .unknownEntity, .unknownProperty: "use the names of the store's model"
    case .unexpectedTable: "open the store once with its app, so that it is migrated to the model"
    case .unsupportedFetch: "fetch with a simpler condition, and filter the result"
    }
  }

  /// The minimum size of SQLite's index of a log in bytes.
  static let indexLength: Int64 = 32_768

  package static func text(of seconds: Double) -> String {
    seconds == seconds.rounded() && abs(seconds) < 1e9 ? "\(Int(seconds)) s" : "\(seconds) s"
  }
}

extension StoreError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}

extension NotAStoreReason {
  var text: String {
    switch self {
    case .notAFile(let kind): "it is a \(kind), not a file"
    case .empty: "the file is empty"
    case .notSQLite: "it does not begin like a SQLite database"
    case .withoutCoreDataTables: "it is a SQLite database without the tables of Core Data"
    case .companion(let store): "it is a file that belongs to \(store)"
    }
  }
}

extension StoreError {
  /// Translates an error of SQLite into terms of the store.
  package static func translating(
    _ error: any Error, location: StoreLocation, busyTimeout: Double
  ) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let path = location.path
    let detail = error.message ?? "\(error.resultCode)"
    if location.lacksRoomForIndex(error) {
      return StoreError.withoutRoom(
        path: path, index: location.sharedMemoryPath,
        free: location.scarceSpace)
    }
    if error.isUnfinishedSave {
      return StoreError.unfinishedSave(path: path, journal: location.journalPath)
    }
    switch (error.extendedResultCode, error.resultCode) {
    case (_, .SQLITE_BUSY), (_, .SQLITE_LOCKED):
      return StoreError.busy(path: path, seconds: busyTimeout)
    case (_, .SQLITE_INTERRUPT): return StoreError.cancelled(path: path)
    case (_, .SQLITE_CORRUPT), (_, .SQLITE_FORMAT):
      return StoreError.damaged(path: path, place: "SQLite's pages", detail: detail)
    case (_, .SQLITE_NOTADB):
      do throws(StoreError) {
        // With the right first bytes, the rest of the header is malformed.
        _ = try location.readHeader()
      } catch {
        return error
      }
      return StoreError.damaged(path: path, place: "SQLite's file header", detail: detail)
    case (_, .SQLITE_TOOBIG):
      return StoreError.damaged(
        path: path, place: "a row",
        detail: "a value is longer than \(StoreConnection.longestValue >> 20) MiB")
    case (.SQLITE_IOERR_SHORT_READ, _):
      return StoreError.damaged(
        path: path, place: "SQLite's pages", detail: "the file is cut short")
    case (_, .SQLITE_CANTOPEN), (_, .SQLITE_IOERR), (_, .SQLITE_PERM), (_, .SQLITE_READONLY),
      (_, .SQLITE_AUTH), (_, .SQLITE_NOMEM), (_, .SQLITE_FULL), (_, .SQLITE_NOLFS):
      return StoreError.unreadable(path: path, reason: detail)
    default:
      return StoreError.damaged(path: path, place: "its tables", detail: detail)
    }
  }
}

extension StoreLocation {
  /// Returns whether SQLite failed to create the index of a log because the file system is full.
  func lacksRoomForIndex(_ error: DatabaseError) -> Bool {
    switch (error.extendedResultCode, error.resultCode) {
    // Only the index fails with this code.
    case (.SQLITE_IOERR_SHMSIZE, _): return true
    // Creating it fails for other reasons, too.
    case (_, .SQLITE_CANTOPEN), (.SQLITE_IOERR_SHMOPEN, _), (.SQLITE_IOERR_SHMMAP, _):
      guard let free = scarceSpace, (try? usesLog()) ?? false else { return false }
      return free < StoreError.indexLength
    default: return false
    }
  }

  /// Returns whether SQLite would fail to create the index of a log because the file system is full.
  func hasNoRoomForIndex() throws(StoreError) -> Bool {
    guard let free = scarceSpace, free < StoreError.indexLength, try usesLog() else { return false }
    return try size(of: sharedMemoryPath) ?? 0 < StoreError.indexLength
  }

  /// The free bytes of the store's file system, if they are less than a mebibyte.
  fileprivate var scarceSpace: Int64? {
    guard let free = try? FreeSpace.byteCount(inFolder: folder), free < 1 << 20 else { return nil }
    return free
  }
}
