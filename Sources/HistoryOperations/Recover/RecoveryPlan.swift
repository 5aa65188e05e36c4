import DurableFiles
import PersistentHistory
import StoreFormat
import StoreTransactions
import StoreWriting

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
