import StoreFormat

/// The migration of the table of one hierarchy of entities.
///
/// If columns are only added, they are appended to the table, as the frameworks do. With any other
/// difference the rows are copied to a new table.
struct MigratedTable {
  /// The source of the values of a column; with neither, they are `NULL` until relationships are filled.
  struct Source: Hashable {
    static let nothing = Source()

    /// The column of the former table.
    var column: EntityTables.Column?
    /// The value of all rows, or of those in which the former column is empty.
    var value: StoredValue?
    /// Whether the values of the former column get the first byte of values that may be in files.
    var getsMark = false
  }

  /// An entity in both models.
  struct Member: Hashable {
    let name: String
    let formerNumber: Int64
    let number: Int64
  }

  /// The table in the new model.
  let table: EntityTables.Table
  /// The present table; `nil` for a new root entity.
  let former: EntityTables.Table?
  let sources: [Source]
  let members: [Member]
  /// The numbers of entities that leave the model, whose rows are deleted.
  let removedNumbers: [Int64]
  private let model: ManagedModel

  init(
    _ table: EntityTables.Table, mapping: ModelMapping, schema: ObjectSchema,
    numbering: EntityNumbering
  ) throws {
    self.table = table
    model = mapping.new
    former = mapping.old.entities[table.rootName].flatMap { schema.tables.table(of: $0.name) }
    let formerNames = former?.memberNames ?? []
    members = try formerNames.filter(table.memberNames.contains).map { name in
      Member(
        name: name, formerNumber: try schema.number(of: name),
        number: numbering.number(of: name) ?? 0)
    }
    removedNumbers = try formerNames.filter { !table.memberNames.contains($0) }
      .map { try schema.number(of: $0) }
    sources = table.columns.map { Self.source(of: $0, mapping: mapping, tables: schema.tables) }
    for column in sources.compactMap(\.column) {
      if let former { try schema.check(column, of: former) }
    }
  }

  private static func source(
    of column: EntityTables.Column, mapping: ModelMapping, tables: EntityTables
  ) -> Source {
    let entity = column.entityName
    switch column.role {
    case .attribute:
      guard let attribute = mapping.new.attribute(of: column) else { return .nothing }
      let parts = column.path.split(separator: ".", maxSplits: 1).map(String.init)
      guard let formerName = mapping.formerName(of: parts[0], declaredIn: entity) else {
        return Source(value: attribute.storedDefault)
      }
      let path = ([formerName] + parts.dropFirst()).joined(separator: ".")
      guard let former = tables.attributeColumn(path, declaredIn: entity),
        let before = mapping.old.attribute(of: former)
      else { return .nothing }
      // Elements of a composite attribute are present or missing as a whole.
      let isNewlyRequired = parts.count == 1 && !attribute.isOptional && before.isOptional
      return Source(
        column: former, value: isNewlyRequired ? attribute.storedDefault : nil,
        getsMark: attribute.keepsLargeValues && !before.keepsLargeValues)
    case .toOne, .orderKey:
      guard let name = mapping.formerName(of: column.path, declaredIn: entity),
        let former = tables.toOneColumns(name, declaredIn: entity)
      else { return .nothing }
      return Source(column: column.role == .toOne ? former.key : former.orderKey)
    case .toMany:
      return Source(
        column: mapping.formerName(of: column.path, declaredIn: entity)
          .flatMap { tables.hiddenColumn(of: $0, declaredIn: entity) })
    case .entityKey, .manyToMany:
      // The key of an entity is filled from the destination when all rows have their new numbers.
      return .nothing
    }
  }

  /// Whether rows are copied to a new table.
  var isRebuilt: Bool {
    guard let former else { return false }
    let kept = Set(former.columns.map(\.name))
    for (column, source) in zip(table.columns, sources) {
      let isKept = kept.contains(column.name)
      guard source.column?.name == (isKept ? column.name : nil) else {
        // The entity key keeps its column although its values are computed.
        if column.role == .entityKey, isKept { continue }
        return true
      }
    }
    let names = Set(table.columns.map(\.name))
    return !kept.isSubset(of: names)
  }

  /// The columns that are appended to a table that is not rebuilt.
  var addedColumns: [(column: EntityTables.Column, source: Source)] {
    let kept = Set(former?.columns.map(\.name) ?? [])
    return Array(zip(table.columns, sources)).filter { !kept.contains($0.0.name) }
      .map { (column: $0.0, source: $0.1) }
  }

  /// Whether rows get other entity numbers.
  var isRenumbered: Bool { members.contains { $0.number != $0.formerNumber } }

  var isChanged: Bool {
    guard former != nil else { return true }
    return isRebuilt || isRenumbered || !removedNumbers.isEmpty || !addedColumns.isEmpty
      || sources.contains { $0.column != nil && ($0.value != nil || $0.getsMark) }
  }

  func source(
    _ path: String, declaredIn entityName: String
  ) -> (
    column: EntityTables.Column, source: Source
  )? {
    zip(table.columns, sources).first { column, _ in
      column.path == path && column.entityName == entityName && column.isProperty
    }.map { (column: $0.0, source: $0.1) }
  }

  // MARK: - SQL

  /// The new entity number, from the former one.
  var numberExpression: String {
    guard isRenumbered else { return "Z_ENT" }
    let cases = members.map { "WHEN \($0.formerNumber) THEN \($0.number)" }
    return "CASE Z_ENT \(cases.joined(separator: " ")) ELSE Z_ENT END"
  }

  /// Returns the former numbers of the entities that have a column, as a list for SQL.
  func formerNumbers(having column: EntityTables.Column) -> String {
    members.filter { member in
      model.lineage(of: member.name)?.contains { $0.name == column.entityName } ?? false
    }.map { "\($0.formerNumber)" }.joined(separator: ", ")
  }

  /// The condition that a row's entity stays in the model.
  var staysCondition: String {
    removedNumbers.isEmpty
      ? "1" : "Z_ENT NOT IN (\(removedNumbers.map(String.init).joined(separator: ", ")))"
  }

  /// Returns the value of a column in terms of the former table.
  func expression(
    of column: EntityTables.Column, _ source: Source, _ arguments: inout [StoredValue]
  ) -> String {
    if let value = source.value { arguments.append(value) }
    guard let former = source.column else {
      return source.value == nil
        ? "NULL" : "CASE WHEN Z_ENT IN (\(formerNumbers(having: column))) THEN ? END"
    }
    let name = quoted(former.name)
    let present =
      source.getsMark
      ? "CASE WHEN typeof(\(name)) = 'blob' THEN CAST(x'01' || \(name) AS BLOB) ELSE \(name) END"
      : name
    guard source.value != nil else { return present }
    return "CASE WHEN \(name) IS NULL AND Z_ENT IN (\(formerNumbers(having: column))) THEN ? "
      + "ELSE \(present) END"
  }
}

extension ManagedAttribute {
  fileprivate var storedDefault: StoredValue? {
    guard keepsLargeValues, case .blob(let bytes)? = defaultValue else { return defaultValue }
    return LargeValueColumn.inline(bytes).stored
  }
}
