import DurableFiles
import PersistentHistory
import StoreEditing
import StoreFormat
import StoreTransactions
import StoreWriting

/// Makes a copy of a store in which deleted objects are back.
package struct RecoverOperation {
  package struct Result: Hashable, Sendable {
    /// The transaction of the copy that brings the objects back.
    package let position: TransactionPosition
    package let changeCount: Int
    /// The number of copied files of large values.
    package let externalFileCount: Int
    /// The tables whose indexes listed other rows than they have, and were built again in the copy.
    package let reindexedTables: [String]
    /// The object of the copy for each of ``RecoveryPlan/objects``.
    package let objects: [HistoryObject]
  }

  /// The author and process of the save.
  package static let author = "histctl"
  /// How many bytes of memory several objects may take at a time.
  private static let maxBytes = 10 << 20

  /// The file to write the copy to.
  package var copy: String
  package var overwrites = false
  /// Seconds to wait for a locked store.
  package var busyTimeout = 5.0
  /// The time of the save that brings the objects back.
  package var now: StoreTimestamp

  package init(copy: String, now: StoreTimestamp) {
    self.copy = copy
    self.now = now
  }

  /// The objects of a copy being collected.
  package struct Collection {
    package private(set) var objects: [LostObject] = []
    private var byteCount = 0

    package init() {}

    /// Adds an object.
    ///
    /// - Throws: ``OperationError`` if there are too many to be saved at once.
    package mutating func add(_ object: LostObject) throws {
      objects.append(object)
      byteCount += object.byteCount
      guard objects.count == 1 || byteCount <= RecoverOperation.maxBytes else {
        throw OperationError(
          .tooLarge, "the objects take more memory than one save of a copy can have",
          hint: "name some of the objects at a time, or write --sql")
      }
    }
  }

  /// Finds out how the objects can be brought back. Nothing is written.
  ///
  /// - Throws: ``OperationError`` for a mirrored store; also if the copy cannot be written to its place.
  package func plan(
    _ collection: Collection, in snapshot: StoreSnapshot
  ) throws -> RecoveryPlan {
    _ = try place(snapshot)
    // The mirror keeps records of rows by their keys, and its own place in the history. Whether it would upload a
    // row that is back, or delete it again, is not known.
    if try snapshot.mirroringRecords() != nil {
      throw OperationError(
        .mirrored,
        "\(snapshot.location.path) is mirrored with CloudKit, whose records of the deleted objects a "
          + "copy would contradict",
        hint: "leave out the copy, and let the app create the objects again from the values")
    }
    return try RecoveryPlan(
      collection.objects, in: snapshot,
      header: TransactionHeader(
        author: Self.author, process: Self.author, timestamp: now))
  }

  /// Writes the copy.
  ///
  /// - Parameters:
  ///   - plan: How the objects are brought back; at least one is.
  ///   - snapshot: The store.
  ///   - values: Recorded values to copy beside the copy.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  /// - Throws: ``/StoreTransactions/StoreWriteError``, and errors of `progress`; no copy is left then.
  package func write(
    _ plan: RecoveryPlan, _ snapshot: StoreSnapshot, values: RecordedValues?,
    progress: (Int64) throws -> Void
  ) throws -> Result {
    var appended: AppendedTransaction?
    let tables = try snapshot.tablesWithIncorrectIndexes()
    return try place(snapshot).write(
      snapshot, rebuildingIndexesOf: tables, progress: progress
    ) { path in
      // The draft syncs the finished file.
      let editor = try StoreEditor(path: path, busyTimeout: 0, durability: .whenClosed)
      appended = try editor.append(plan.save)
      try editor.close()
    } inspect: { inside, files in
      guard let appended else {
        throw OperationError(
          .unreadable, "nothing was brought back", hint: "run the command again")
      }
      // The values get their final name together with the copy.
      try values?.file?.copy(
        to: RecordedValuesFile.path(besideStore: inside.location.path), from: nil,
        overwrites: false)
      return Result(
        position: appended.position, changeCount: appended.changeCount, externalFileCount: files,
        reindexedTables: tables,
        objects: plan.objects.map { entry in
          HistoryObject(
            entityName: entry.object.entityName,
            primaryKey: appended.primaryKey(of: entry.reference) ?? entry.object.primaryKey)
        })
    }
  }

  private func place(_ snapshot: StoreSnapshot) throws -> StoreCopy {
    try StoreCopy(
      of: snapshot.location, at: copy, overwrites: overwrites,
      busyTimeout: busyTimeout)
  }
}

/// How deleted objects are brought back into a copy of their store, and what of them is not.
package struct RecoveryPlan {
  /// An object that is brought back.
  package struct Entry: Hashable, Sendable {
    package let object: HistoryObject
    /// How the save names it.
    package let reference: StoreObject
  }

  /// An object, or a property of it, that is not brought back as it was.
  package struct Loss: Hashable, Sendable {
    package let object: HistoryObject
    /// The property; `nil` for the whole object.
    package let property: String?
    package let reason: String
  }

  package let objects: [Entry]
  /// The objects that are not brought back, and then the properties.
  package let losses: [Loss]
  package let save: StoreSave

  /// The number of objects that are not brought back.
  package var omittedCount: Int { losses.count { $0.property == nil } }

  init(
    _ objects: [LostObject], in snapshot: StoreSnapshot, header: TransactionHeader
  ) throws {
    var builder = RecoveryBuilder(present: try PresentRows(snapshot), header: header)
    try builder.take(objects)
    (self.objects, losses, save) = (builder.entries, builder.losses, builder.save)
  }
}

/// Looks up rows of the present store.
struct PresentRows {
  let schema: ObjectSchema
  let statement: StatementRunner
  let largeValues: LargeValueFolder

  init(_ snapshot: StoreSnapshot) throws {
    schema = try snapshot.objectSchema()
    statement = StatementRunner(snapshot.database)
    largeValues = LargeValueFolder(snapshot.location)
  }

  /// Returns columns of the row with the key of an object, whatever its entity; `nil` without one.
  func values(_ columns: [String], _ object: StoreObject) throws -> [StoredValue]? {
    guard let key = object.primaryKey,
      let table = schema.tables.table(of: object.entityName)?.name,
      let present = schema.presentColumns[table], columns.allSatisfy({ present[$0] != nil })
    else { return nil }
    return try statement.rows(
      "SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(quoted(table)) WHERE Z_PK = ?1",
      [.integer(key)]
    ).first
  }

  /// Returns the object by its own entity; `nil` if there is none of the kind.
  func object(_ object: StoreObject, ofKind entityName: String) throws -> StoreObject? {
    guard let key = object.primaryKey,
      case .integer(let number)? = try values(["Z_ENT"], object)?.first,
      let name = schema.numbering.name(of: number), schema.isKind(name, of: entityName)
    else { return nil }
    return StoreObject(entityName: name, primaryKey: key)
  }
}
