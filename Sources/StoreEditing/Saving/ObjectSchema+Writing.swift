import StoreFormat

extension ObjectSchema {
  /// The table of an entity, for writing.
  ///
  /// - Throws: ``StoreWriteError/frameworkTrigger(table:detail:)`` where writing would fire a trigger
  ///   that only the frameworks can run.
  func table(of entityName: String) throws -> EntityTables.Table {
    guard let table = tables.table(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    try checkWritable(table.name, columns: ["Z_PK", "Z_ENT", "Z_OPT"])
    return table
  }

  /// Checks that a table has some columns and no trigger of the frameworks.
  func checkWritable(_ table: String, columns: [String]) throws {
    if let trigger = frameworkTriggers[table] {
      throw StoreWriteError.frameworkTrigger(table: table, detail: trigger)
    }
    guard let present = presentColumns[table] else {
      throw StoreError.unexpectedTable(table: table, detail: "it is missing")
    }
    if let missing = columns.first(where: { present[$0] == nil }) {
      throw StoreError.unexpectedTable(table: table, detail: "it has no column \(missing)")
    }
  }
}
