import GRDB

/// Reads objects as their store holds them now.
///
/// Which column holds which property follows from the model by the frameworks' rules; what a table
/// does not have is said, not guessed. A store without a model gives the columns by their own names.
package final class ObjectReader {
  /// How many bytes a text or data may have; a longer value is left where it is.
  package static let longestValue = 1 << 16
  /// How many entities' statements are kept; a file can name ever new ones.
  private static let mostRows = 256

  private let database: Database
  private let entities: EntityNumbering
  private let tables: ObjectTables
  private var rows: [Int64: ObjectRow] = [:]

  init(_ snapshot: StoreSnapshot) throws {
    database = snapshot.database
    entities = snapshot.entities
    tables = try ObjectTables(snapshot)
  }

  /// An object; nil where its table has no row with this key, or the store has no table for it.
  ///
  /// - Parameters:
  ///   - entityNumber: Any entity of the object's hierarchy: all of them share a table.
  ///   - primaryKey: The object's primary key.
  ///   - countsRelated: Whether the objects of to-many relationships are counted, which takes a search
  ///     for each relationship.
  package func object(
    entityNumber: Int64, primaryKey: Int64, countsRelated: Bool = true
  ) throws -> PresentObject? {
    guard let table = try tables.table(ofEntity: entityNumber),
      let owner = try table.owner(of: primaryKey)
    else { return nil }
    let own = owner.entityNumber ?? entities.root(of: entityNumber) ?? entityNumber
    return try row(ofEntity: own, in: table).object(
      primaryKey: primaryKey, entityNumber: own, entities: entities, version: owner.version,
      countsRelated: countsRelated)
  }

  private func row(ofEntity number: Int64, in table: ObjectTables.Table) throws -> ObjectRow {
    if let known = rows[number] { return known }
    let row = try ObjectRow(database, table: table, plan: tables.plan(ofEntity: number, in: table))
    if rows.count >= Self.mostRows { rows.removeAll() }
    rows[number] = row
    return row
  }
}
