/// Everything that can go wrong between a path and the rows of a store.
///
/// Each case names what it is about, and its ``message`` and ``remedy`` say what was expected and what to
/// do. A program can map the cases to exit statuses without reading the texts.
public enum StoreError: Error, Hashable, Sendable {
  /// There is no file at this path.
  case missing(path: String)
  /// There is no file at this path because it is being replaced, or was when that program was killed.
  case beingReplaced(path: String, former: String)
  /// The file, its folder or a file beside it cannot be read.
  case unreadable(path: String, reason: String)
  /// There is no room for what SQLite needs beside a store to read its log; so many bytes are free, where
  /// the system tells.
  case withoutRoom(path: String, index: String, free: Int64?)
  /// The file is not a store that Core Data or SwiftData wrote.
  case notAStore(path: String, reason: NotAStoreReason)
  /// The store was written without the history tables.
  case withoutHistory(path: String)
  /// The last writer stopped in the middle of a save, and only a writer can put that right.
  case unfinishedSave(path: String, journal: String)
  /// Another program holds the store and did not let go in time.
  case busy(path: String, seconds: Double)
  /// The store changed while it was read in a way that makes what was read untrustworthy.
  case changedWhileReading(path: String)
  /// The file contradicts itself or the layout.
  case damaged(path: String, place: String, detail: String)
  /// A value stands in a file beside the store, and the file cannot be read.
  case largeValue(path: String, place: String, file: String, reason: String)
  /// The file that keeps old and new values of a store's updates cannot be read, or is not that.
  case unusableValues(path: String, reason: String)
  /// The store does not tell its model.
  case withoutModel(path: String, reason: String)
  /// The model contradicts itself, or no store can be made for it.
  case invalidModel(detail: String)
  /// The model has no such entity, or objects cannot be of exactly this entity.
  case unknownEntity(name: String, isAbstract: Bool)
  /// The entity has no such attribute or relationship that a store keeps.
  case unknownProperty(entity: String, property: String)
  /// A table of the store is not the one that its model asks for.
  case unexpectedTable(table: String, detail: String)
  /// A fetch asks for what no statement can be written for.
  case unsupportedFetch(detail: String)
}

/// Why a file is not a store.
public enum NotAStoreReason: Hashable, Sendable {
  /// A directory, a pipe, a socket or a device.
  case notAFile(kind: String)
  /// A file without a byte.
  case empty
  /// The first bytes are not those of a SQLite database, or the database is encrypted.
  case notSQLite
  /// A SQLite database without Core Data's tables.
  case withoutCoreDataTables
  /// A file beside a store that belongs to it, such as its log.
  case companion(of: String)
}

extension StoreError {
  /// The file that the error is about; nil where it is about a model or a fetch.
  public var path: String? {
    switch self {
    case .missing(let path), .beingReplaced(let path, _), .unreadable(let path, _),
      .withoutRoom(let path, _, _), .notAStore(let path, _), .withoutHistory(let path),
      .unfinishedSave(let path, _), .busy(let path, _), .changedWhileReading(let path),
      .damaged(let path, _, _), .largeValue(let path, _, _, _), .unusableValues(let path, _),
      .withoutModel(let path, _):
      path
    case .invalidModel, .unknownEntity, .unknownProperty, .unexpectedTable, .unsupportedFetch: nil
    }
  }

  /// What is wrong, naming the file and what was expected.
  public var message: String {
    switch self {
    case .missing(let path):
      path.isEmpty ? "no file is named: the path is empty" : "no file at \(path)"
    case .beingReplaced(let path, let former):
      "no file at \(path): another store is being put there, or the program that did so was killed, "
        + "and the former store is \(former)"
    case .unreadable(let path, let reason):
      "cannot read \(path): \(reason)"
    case .withoutRoom(let path, let index, let free):
      "cannot read \(path): it has a log, which is read with \(index) beside it, and that takes "
        + "\(StoreError.indexLength) bytes or more on its file system"
        + (free.map { "; \($0) are free there" } ?? "")
    case .notAStore(let path, let reason):
      "\(path) is not a Core Data or SwiftData store: \(reason.text)"
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
    case .damaged(let path, let place, let detail):
      "\(path) is damaged: \(place): \(detail)"
    case .largeValue(let path, let place, let file, let reason):
      "\(path) keeps the value of \(place) in the file \(file), which cannot be read: \(reason)"
    case .unusableValues(let path, let reason):
      "the recorded values in \(path) cannot be used: \(reason)"
    case .invalidModel(let detail): "no store can be made for the model: \(detail)"
    case .withoutModel(let path, let reason): "\(path) does not tell its model: \(reason)"
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
      "check the path; an app's store usually stands in its Library/Application Support folder"
    case .beingReplaced:
      "try again; if it stays so, make that copy or store again, which puts the former one and all "
        + "that belongs to it back first"
    case .unreadable:
      "check the permissions of the file and of its folder"
    case .withoutRoom:
      "make room there, or copy the store together with its -wal file to where there is room and read "
        + "the copy"
    case .notAStore(_, .companion(let store)):
      "give \(store), with which it is read"
    case .notAStore(_, .notAFile(kind: "pipe")):
      "give a file; a store is read where it lies, and not from a stream"
    case .notAStore(_, .notSQLite):
      "give the store file itself; an encrypted one must be decrypted first"
    case .notAStore(_, .withoutCoreDataTables):
      "it is a SQLite database of another kind; give the store file of the app"
    case .notAStore:
      "give the store file itself, such as default.store"
    case .withoutHistory:
      "history begins when the app sets NSPersistentHistoryTrackingKey; SwiftData always does"
    case .unfinishedSave:
      "open it once with its app, or work on a copy of the store with its journal"
    case .busy:
      "try again when the other program is done, or wait longer for it (busyTimeout)"
    case .changedWhileReading:
      "read it again"
    case .damaged:
      "copy the store together with its -wal file and try the copy, or take it from a backup"
    case .largeValue:
      "put the file back from a backup, or give the attribute another value"
    case .unusableValues:
      "move the file away to do without it, or read without recorded values"
    case .invalidModel: "correct the model"
    case .withoutModel: "open the store once with its app, which puts the model back"
    case .unknownEntity, .unknownProperty: "use the names of the store's model"
    case .unexpectedTable: "open the store once with its app, so that it is migrated to the model"
    case .unsupportedFetch: "ask a simpler question, and choose among the answers"
    }
  }

  /// The least that SQLite's index of a log takes, in bytes.
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
  /// The reason in words.
  public var text: String {
    switch self {
    case .notAFile(let kind): "it is a \(kind), not a file"
    case .empty: "the file is empty"
    case .notSQLite: "it does not begin like a SQLite database (or it is encrypted)"
    case .withoutCoreDataTables: "it is a SQLite database without the tables of Core Data"
    case .companion(let store): "it is a file that belongs to \(store)"
    }
  }
}
