import DurableFiles
import StoreFormat

/// Everything that can keep a store from being created or a save from being appended.
///
/// Whatever the case, the store is as it was before; ``unfinishedJointSave(path:record:detail:)`` alone
/// tells of other stores that are not. ``message`` and ``remedy`` say what is wrong and what to do.
public enum StoreWriteError: Error, Hashable, Sendable {
  /// The store cannot be opened, is busy, is damaged or keeps no history.
  case store(StoreError)
  /// The file system does not let the store be written.
  case unwritable(path: String, reason: String)
  /// There is something at the path where a store was to be created.
  case alreadyThere(path: String)
  /// A value does not have the attribute's type.
  case wrongValue(entity: String, attribute: String, expected: String, found: String)
  /// An attribute that must have a value has none.
  case missingValue(entity: String, attribute: String)
  /// A relationship does not lead to objects of this entity.
  case wrongDestination(
    entity: String, relationship: String, expected: String, found: String)
  /// There is no such object in the store.
  case missingObject(entity: String, primaryKey: Int64)
  /// An object belongs to another save, or was deleted in this one.
  case unusableObject(entity: String)
  /// A relationship's delete rule keeps the object.
  case deletionDenied(entity: String, primaryKey: Int64, relationship: String)
  /// The attribute keeps its values in files beside the store and is not one of data, for which it is
  /// not known how the frameworks do that.
  case externalStorage(entity: String, attribute: String)
  /// A table has a trigger that only the frameworks can run.
  case frameworkTrigger(table: String, detail: String)
  /// Another object has the same values in a unique attribute.
  case notUnique(detail: String)
  /// The numbers for new rows of a table are used up.
  case numbersExhausted(table: String)
  /// What was to be deleted is not what was seen when that was decided.
  case historyChanged(path: String, detail: String)
  /// A reader keeps the log from being used again, so that it would grow without end.
  case pinnedLog(path: String, seconds: Double)
  /// A copy would take the place of the store or of its folder of large values.
  case copyOntoItself(path: String, of: String)
  /// The store gives back free pages only when it is rebuilt.
  case notIncremental(path: String)
  /// Rebuilding the store would number the rows of these tables anew.
  case renumbersRows(path: String, tables: [String])
  /// The file system has too little room, in bytes, to rebuild the store.
  case withoutSpace(path: String, needed: Int64, free: Int64)
  /// What becomes of an entity or a property in another model cannot be told from the models.
  case notInferable(entity: String, property: String?, reason: String, remedy: String)
  /// A table has what a migration to another model would lose.
  case notMigratable(table: String, detail: String)
  /// A save to several stores is in some of them and cannot be completed in this one.
  case unfinishedJointSave(path: String, record: String, detail: String)
  /// Old and new values of a save were to be recorded, and cannot be.
  case unrecordedValues(path: String, reason: String)
}

extension StoreWriteError {
  /// What is wrong, naming the thing and what was expected.
  public var message: String {
    switch self {
    case .store(let error): error.message
    case .unwritable(let path, let reason): "cannot write \(path): \(reason)"
    case .alreadyThere(let path): "there is a file at \(path) already"
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
      "\(entity).\(attribute) keeps its values in files beside the store, and they are no data"
    case .frameworkTrigger(let table, let detail):
      "the table \(table) has triggers that only Core Data can run: \(detail)"
    case .notUnique(let detail): "another object has the same unique value: \(detail)"
    case .numbersExhausted(let table): "the table \(table) has no number left for a new row"
    case .historyChanged(let path, let detail):
      "the history of \(path) is not the one that was planned for: \(detail)"
    case .pinnedLog(let path, let seconds):
      "another program has been reading an old state of \(path) for more than "
        + "\(StoreError.text(of: seconds)), so that its -wal would grow without end"
    case .copyOntoItself(let path, let store):
      "a copy at \(path) would take the place of \(store), or of its folder of large values"
    case .notIncremental(let path):
      "\(path) was made to give back free pages only when it is rebuilt"
    case .renumbersRows(let path, let tables):
      "rebuilding \(path) would number rows anew in \(tables.prefix(5).joined(separator: ", "))"
        + (tables.count > 5 ? " and \(tables.count - 5) more" : "")
        + ", which \(tables.count == 1 ? "has" : "have") no primary key"
    case .withoutSpace(let path, let needed, let free):
      "rebuilding \(path) needs \(needed) bytes temporarily; \(free) bytes are free"
    case .notInferable(let entity, let property, let reason, _):
      "\(entity)\(property.map { "." + $0 } ?? "") \(reason)"
    case .notMigratable(let table, let detail):
      "the table \(table) cannot be brought to another model here: \(detail)"
    case .unfinishedJointSave(let path, let record, let detail):
      "a save to several stores has its part for \(path) in \(record) still, and it cannot be "
        + "completed: \(detail)"
    case .unrecordedValues(let path, let reason):
      "old and new values cannot be recorded in \(path): \(reason)"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch self {
    case .store(let error): error.remedy
    case .unwritable: "check the permissions of the folder and the space that is left"
    case .alreadyThere: "choose another path, or remove the file and what stands beside it"
    case .wrongValue: "give a value of the attribute's type, in the form in which stores keep it"
    case .missingValue: "give a value, or make the attribute optional"
    case .wrongDestination: "give an object of that entity or of one that inherits from it"
    case .missingObject: "read the store again; another program may have deleted the object"
    case .unusableObject: "use the objects that this save inserts, or ones that are in the store"
    case .deletionDenied: "delete or detach the related objects first"
    case .externalStorage: "leave the attribute out, or save it with the app"
    case .frameworkTrigger: "change objects of this entity with the app"
    case .notUnique: "update the object that has the value"
    case .numbersExhausted: "check the store: a number of a row must be damaged"
    case .historyChanged: "look at the store anew, and decide by what is there now"
    case .pinnedLog: "try again when the other program is done"
    case .copyOntoItself: "choose a name that differs before its extension, or another folder"
    case .notIncremental: "close every program that has it open, and rebuild it"
    case .renumbersRows:
      "leave the store as it is; something may refer to these rows by their numbers"
    case .withoutSpace: "make room, or give back free pages without rebuilding"
    case .notInferable(_, _, _, let remedy): remedy
    case .notMigratable: "open the store once with its app, so that it is migrated there"
    case .unfinishedJointSave:
      "put right what is in the way and open the store again; to give the part up, remove the file"
    case .unrecordedValues:
      "make the file and its folder writable, move the file away, or save without recording values"
    }
  }
}

extension StoreWriteError: CustomStringConvertible {
  /// The message and the remedy as one line.
  public var description: String { "\(message) (\(remedy))" }
}

extension StoreWriteError {
  init(_ problem: FileProblem) {
    self = .unwritable(path: problem.path, reason: problem.reason)
  }
}
