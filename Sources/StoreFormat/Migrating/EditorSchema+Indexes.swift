extension EditorSchema {
  /// The model with the indexes that the store has for it, which the model cache does not tell.
  func indexedModel(_ statement: StatementRunner) throws -> ManagedModel {
    var indexes: [String: [[String]]] = [:]
    for table in tables.tables {
      let paths = Dictionary(
        table.columns.map { ($0.name, $0.path) }, uniquingKeysWith: { first, _ in first })
      let names = try statement.rows(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 ORDER BY name",
        [.text(table.name)])
      for case .text(let name)? in names.map(\.first) {
        let owner = table.memberNames.first {
          name.hasPrefix(EntityTables.indexPrefix(of: $0))
        }
        guard let owner else { continue }
        let columns = try statement.rows(
          "SELECT name FROM pragma_index_info(?1) ORDER BY seqno", [.text(name)])
        let properties = columns.compactMap { row -> String? in
          guard case .text(let column)? = row.first else { return nil }
          return paths[column]
        }
        indexes[owner, default: []].append(properties)
      }
    }
    guard !indexes.isEmpty else { return model }
    return ManagedModel(
      entities: model.entities.values.map { entity in
        ManagedEntity(
          name: entity.name, superentityName: entity.superentityName,
          isAbstract: entity.isAbstract, properties: entity.properties,
          uniquenessConstraints: entity.uniquenessConstraints,
          indexes: indexes[entity.name] ?? [])
      }, versionIdentifiers: model.versionIdentifiers)
  }
}
