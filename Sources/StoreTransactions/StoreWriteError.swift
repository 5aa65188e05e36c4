import DurableFiles
import Foundation
import StoreFormat

/// An error that keeps a store from being created, changed or copied.
///
/// The store is then unchanged, or as the last completed batch left it. Only
/// ``unfinishedJointSave(path:record:detail:)`` means that other stores have changed. ``message`` and
/// ``remedy`` say what is wrong and what to do.
public enum StoreWriteError: Error, Hashable, Sendable {
  /// The store cannot be opened, is busy, is damaged or keeps no history.
  case store(StoreError)
  /// The file system refuses to write the store.
  case unwritable(path: String, reason: String)
  /// A file exists at the path of a new store.
  case alreadyThere(path: String)
  /// A value does not have the attribute's type.
  case wrongValue(entity: String, attribute: String, expected: String, found: String)
  /// A required attribute has no value.
  case missingValue(entity: String, attribute: String)
  /// The object is not of the relationship's destination entity.
  case wrongDestination(
    entity: String, relationship: String, expected: String, found: String)
  /// The object is not in the store.
  case missingObject(entity: String, primaryKey: Int64)
  /// The object belongs to another save, or was deleted in this one.
  case unusableObject(entity: String)
  /// The delete rule of a relationship denies the deletion of the object.
  case deletionDenied(entity: String, primaryKey: Int64, relationship: String)
  /// The attribute keeps its values in files beside the store and is not of type data; how the frameworks
  /// store that is unknown.
  case externalStorage(entity: String, attribute: String)
  /// A table has a trigger that only the frameworks can run.
  case frameworkTrigger(table: String, detail: String)
  /// Another object has the same value in a unique attribute.
  case notUnique(detail: String)
  /// A table has no numbers left for new rows.
  case numbersExhausted(table: String)
  /// The history has changed since the work was planned.
  case historyChanged(path: String, detail: String)
  /// A reader blocks the log, which would otherwise grow without limit.
  case pinnedLog(path: String, seconds: Double)
  /// A copy would replace the store or its folder of large values.
  case copyOntoItself(path: String, of: String)
  /// The store frees unused pages only when it is rebuilt.
  case notIncremental(path: String)
  /// Rebuilding the store would renumber the rows of these tables.
  case renumbersRows(path: String, tables: [String])
  /// The file system has too little free space to rebuild the store; in bytes.
  case withoutSpace(path: String, needed: Int64, free: Int64)
  /// The two models do not explain how to migrate an entity or a property.
  case notInferable(entity: String, property: String?, reason: String, remedy: String)
  /// A migration would lose a part of a table.
  case notMigratable(table: String, detail: String)
  /// A save to several stores is in some of them and cannot be completed in this one.
  case unfinishedJointSave(path: String, record: String, detail: String)
  /// The old and new values of a save cannot be recorded.
  case unrecordedValues(path: String, reason: String)
}

extension StoreWriteError {
  /// What is wrong, with the offending file or value.
  public var message: String {
    switch self {
    case .store(let error): error.message
    case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
    case .alreadyThere(let path): "\(path) already exists"
    case .wrongValue(let entity, let attribute, let expected, let found):
      "\(entity).\(attribute) takes \(expected), not \(found)"
    case .missingValue(let entity, let attribute):
      "\(entity).\(attribute) must have a value, and has no default"
    case .wrongDestination(let entity, let relationship, let expected, let found):
      "\(entity).\(relationship) leads to \(expected), not to \(found)"
    case .missingObject(let entity, let primaryKey):
      "the store has no object \(entity)/p\(primaryKey)"
    case .unusableObject(let entity):
      "an object of \(entity) was not inserted by this save, or was deleted by it"
    case .deletionDenied(let entity, let primaryKey, let relationship):
      "\(entity)/p\(primaryKey) cannot be deleted: its \(relationship) is not empty, "
        + "and the model denies that"
    case .externalStorage(let entity, let attribute):
      "\(entity).\(attribute) keeps values in files beside the store and is not of type data"
    case .frameworkTrigger(let table, let detail):
      "the table \(table) has triggers that only Core Data can run: \(detail)"
    case .notUnique(let detail): "another object has the same unique value: \(detail)"
    case .numbersExhausted(let table): "the table \(table) has no number left for a new row"
    case .historyChanged(let path, let detail):
      "the history of \(path) has changed since it was planned for: \(detail)"
    case .pinnedLog(let path, let seconds):
      "another program has been reading an old state of \(path) for more than "
        + "\(StoreError.text(of: seconds)); its -wal would grow without limit"
    case .copyOntoItself(let path, let store):
      "a copy at \(path) would take the place of \(store), or of its folder of large values"
    case .notIncremental(let path):
      "\(path) was created to free unused pages only when it is rebuilt"
    case .renumbersRows(let path, let tables):
      "rebuilding \(path) would renumber rows in \(tables.prefix(5).joined(separator: ", "))"
        + (tables.count > 5 ? " and \(tables.count - 5) more" : "")
        + ", which \(tables.count == 1 ? "has" : "have") no primary key"
    case .withoutSpace(let path, let needed, let free):
      "rebuilding \(path) needs \(needed) bytes temporarily; \(free) bytes are free"
    case .notInferable(let entity, let property, let reason, _):
      "\(entity)\(property.map { "." + $0 } ?? "") \(reason)"
    case .notMigratable(let table, let detail):
      "the table \(table) cannot be migrated here: \(detail)"
    case .unfinishedJointSave(let path, let record, let detail):
      "a save to several stores is unfinished: the part of \(path) is still in \(record) and cannot be "
        + "completed: \(detail)"
    case .unrecordedValues(let path, let reason):
      "old and new values cannot be recorded in \(path): \(reason)"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .store(let error): error.remedy
    case .unwritable: "check the permissions of the folder and the free space"
    case .alreadyThere: "choose another path, or remove the file and those that belong to it"
    case .wrongValue: "give a value of the attribute's type, in the form in which stores keep it"
    case .missingValue: "give a value, or make the attribute optional"
    case .wrongDestination: "give an object of that entity or of one that inherits from it"
    case .missingObject: "read the store again; another program may have deleted the object"
    case .unusableObject: "use the objects that this save inserts, or ones that are in the store"
    case .deletionDenied: "delete or detach the related objects first"
    case .externalStorage: "leave the attribute out, or save it with the app"
    case .frameworkTrigger: "change objects of this entity with the app"
    case .notUnique: "update the object that has the value"
    case .numbersExhausted: "check the store: the number of a row must be damaged"
    case .historyChanged: "read the store again, and plan again"
    case .pinnedLog: "try again when the other program has finished"
    case .copyOntoItself: "choose a name that differs before its extension, or another folder"
    case .notIncremental: "close every program that has it open, and rebuild it"
    case .renumbersRows:
      "leave the store as it is; something may refer to these rows by their numbers"
    case .withoutSpace: "free disk space, or free unused pages without rebuilding"
    case .notInferable(_, _, _, let remedy): remedy
    case .notMigratable: "open the store once with its app, so that the app migrates it"
    case .unfinishedJointSave:
      "remove the obstacle and open the store again; to give the part up, remove the file"
    case .unrecordedValues:
      "make the file and its folder writable, move the file away, or go on without recording values"
    }
  }
}

extension StoreWriteError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}

extension StoreWriteError {
  package init(_ problem: FileProblem) {
    self = .unwritable(path: problem.path, reason: problem.reason)
  }
}

extension StoredValue {
  /// The value for a message, a long text shortened.
  package var shortText: String {
    switch self {
    case .null: return "nil"
    case .integer(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .text(let text): return "\"\(text.count > 80 ? text.prefix(80) + "…" : text)\""
    case .malformedText(let bytes), .blob(let bytes):
      return bytes.count == 16
        ? NSUUID(uuidBytes: bytes).uuidString : "of \(bytes.count) bytes"
    }
  }
}
