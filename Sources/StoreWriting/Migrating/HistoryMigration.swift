import StoreFormat

/// Migrates a store's history to another model.
///
/// Masks and tombstones depend on the model, and the store keeps only the newest one. So they are all
/// rewritten, matching properties by name. Changes of entities that leave the model are deleted, as with
/// the frameworks, and their transactions stay. Removed properties disappear from masks and tombstones.
struct HistoryMigration {
  let schema: ObjectSchema
  let mapping: ModelMapping
  let numbering: EntityNumbering
  let statement: StatementRunner

  /// The number of rows to read at once.
  private static let batch = 1000

  /// An entity whose changes are rewritten.
  private struct Entity {
    let formerNumber: Int64
    let number: Int64
    let translation: SlotTranslation
  }

  func write() throws {
    let entities = try self.entities()
    try addTombstoneColumns()
    try removeChanges(keeping: entities)
    for entity in entities where !entity.translation.keepsMasks { try writeMasks(of: entity) }
    try writeNumbersAndTombstones(of: entities)
  }

  private func entities() throws -> [Entity] {
    let newSlots = LazySlots(mapping.new)
    return try mapping.commonEntities.map { name in
      Entity(
        formerNumber: try schema.number(of: name), number: numbering.number(of: name) ?? 0,
        translation: SlotTranslation(
          from: try schema.slots(of: name), to: try newSlots.known(of: name),
          renaming: mapping.presentNames(of: name)))
    }
  }

  private func addTombstoneColumns() throws {
    for slot in 0..<(try mapping.new.tombstoneColumnCount())
    where !schema.history.tombstoneSlots.contains(slot) {
      try statement.run("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(slot) BLOB")
    }
  }

  /// Deletes the changes of entities that leave the model, and of unknown entities whose number another
  /// one gets.
  private func removeChanges(keeping entities: [Entity]) throws {
    let kept = Set(entities.map(\.formerNumber))
    let named = schema.numbering.modelEntries.map(\.number)
    let given = Set(mapping.new.entities.keys.compactMap(numbering.number))
    let removed = Set(named).union(given).subtracting(kept).sorted()
    guard !removed.isEmpty else { return }
    try statement.run("DELETE FROM ACHANGE WHERE ZENTITY IN (\(list(removed)))")
  }

  private func writeMasks(of entity: Entity) throws {
    var masks: [StoredValue: StoredValue] = [:]
    var last = Int64.min
    // Every batch goes beyond the one before, or the order is damaged.
    var order = RowOrder(path: schema.path, table: "ACHANGE")
    while true {
      let rows = try statement.rows(
        """
        SELECT Z_PK, ZCOLUMNS FROM ACHANGE
        WHERE Z_PK > ?1 AND ZENTITY = ?2 AND typeof(ZCOLUMNS) = 'blob' ORDER BY Z_PK
        LIMIT \(Self.batch)
        """, [.integer(last), .integer(entity.formerNumber)])
      for row in rows {
        guard case .integer(let key) = row[0], case .blob(let bytes) = row[1] else {
          throw StoreError.damaged(
            path: schema.path, place: "ACHANGE", detail: "a change has no number")
        }
        try order.take(key)
        last = key
        let mask = masks[row[1]] ?? .blob(entity.translation.keptMask(ColumnMask(bytes)).bytes)
        if masks.count < Self.batch { masks[row[1]] = mask }
        if mask != row[1] {
          try statement.run(
            "UPDATE ACHANGE SET ZCOLUMNS = ?1 WHERE Z_PK = ?2", [mask, .integer(key)])
        }
      }
      if rows.count < Self.batch { return }
    }
  }

  private func writeNumbersAndTombstones(of entities: [Entity]) throws {
    let changed = entities.filter {
      $0.number != $0.formerNumber || !$0.translation.keepsTombstones
    }
    guard !changed.isEmpty else { return }
    let former = schema.history.tombstoneSlots
    let present = try statement.columns(of: "ACHANGE").compactMap {
      TombstoneColumn.number(of: $0.name)
    }
    var assignments = ["ZENTITY = \(cases(changed) { "\($0.number)" } ?? "ZENTITY")"]
    for slot in present {
      let moved = changed.filter { !$0.translation.keepsTombstones }
      let value = cases(moved, otherwise: "ZTOMBSTONE\(slot)") { entity in
        let place = entity.translation.tombstoneSlots.firstIndex(of: .success(slot))
        return place.flatMap { former.contains($0) ? "ZTOMBSTONE\($0)" : nil } ?? "NULL"
      }
      if let value { assignments.append("ZTOMBSTONE\(slot) = \(value)") }
    }
    try statement.run(
      "UPDATE ACHANGE SET \(assignments.joined(separator: ", ")) "
        + "WHERE ZENTITY IN (\(list(changed.map(\.formerNumber))))")
  }

  /// Returns the expression for a column that depends on the entity; `nil` without entities.
  private func cases(
    _ entities: [Entity], otherwise: String = "ZENTITY", _ value: (Entity) -> String
  ) -> String? {
    guard !entities.isEmpty else { return nil }
    let cases = entities.map { "WHEN \($0.formerNumber) THEN \(value($0))" }
    return "CASE ZENTITY \(cases.joined(separator: " ")) ELSE \(otherwise) END"
  }

  private func list(_ numbers: [Int64]) -> String {
    numbers.map(String.init).joined(separator: ", ")
  }
}
