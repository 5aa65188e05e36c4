import GRDB
import StoreFormat
import StoreTransactions

/// Unique values may move from one object to another within a save.
extension SaveWriter {
  /// Sets the values of objects, which may exchange unique ones.
  func setAll(_ contents: [(object: StoreObject, content: ObjectContent)]) throws {
    var waiting: [(object: StoreObject, values: [String: StoredValue])] = []
    for (object, content) in contents {
      do {
        try setIfPresent(content.values, of: object)
      } catch let error as DatabaseError
        where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
        && statement.isInsideTransaction
      {
        // Another object may be about to give the value up.
        waiting.append((object, content.values))
      }
    }
    // NULL is not equal to NULL, so objects that wait for each other can all be emptied first.
    for (object, values) in waiting {
      let row = try row(of: object)
      _ = try empty(uniquePaths(values, of: row), of: row)
    }
    for (object, values) in waiting {
      do {
        try setIfPresent(values, of: object)
      } catch let error as DatabaseError
        where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
      {
        let row = try row(of: object)
        let shared = uniquePaths(values, of: row).sorted()
          .map { "\($0) \((values[$0] ?? .null).shortText)" }
        throw StoreWriteError.notUnique(
          detail: "\(shared.joined(separator: ", ")) of \(row.entityName)/p\(row.primaryKey)")
      }
    }
  }

  private func uniquePaths(_ values: [String: StoredValue], of row: Row) -> [String] {
    let lineage = schema.model.lineage(of: row.entityName) ?? []
    let unique = Set(lineage.flatMap(\.uniquenessConstraints).joined())
    return values.keys.filter { unique.containsProperty(ofPath: $0) }
  }

  /// Empties the columns of unique to-one relationships that are about to get other destinations or to
  /// be deleted, because other objects may get these destinations first.
  ///
  /// - Parameter withValues: Whether values are written after relationships, so that values that are
  ///   unique together with a relationship must be emptied too.
  func releaseLinks(of save: StoreSave, withValues: Bool) throws {
    for (object, content) in save.updated {
      let rows = try rows(of: object.entityName)
      guard !rows.uniqueLinks.isEmpty else { continue }
      let row = try row(of: object)
      for name in rows.uniqueLinks {
        guard let wanted = content.toOne[name] else { continue }
        try release(name, of: row, unless: try wanted.map(self.row))
      }
      if withValues {
        withheld[row] = try empty(
          content.values.keys.filter { rows.uniqueWithLinks.containsProperty(ofPath: $0) }, of: row)
      }
    }
    for object in save.deleted {
      for name in try rows(of: object.entityName).uniqueLinks {
        try release(name, of: try row(of: object), unless: nil)
      }
    }
  }

  /// Empties the column of a to-one relationship and remembers its destination.
  private func release(_ name: String, of row: Row, unless wanted: Row?) throws {
    let relationship = try schema.relationship(name, of: row.entityName)
    guard case .columns(let key, _, _)? = relationship.storage,
      let target = try target(of: relationship, row), target != wanted
    else { return }
    try set([(key.name, .null)], of: row)
    released[row, default: [:]][name] = target
  }

  /// Empties attributes of a row until they get other values.
  ///
  /// - Returns: The values they had, by column.
  private func empty(_ paths: [String], of row: Row) throws -> [String: StoredValue] {
    let paths = Set(paths)
    let columns = try rows(of: row.entityName).attributes.filter { paths.contains($0.path) }
      .map(\.columnName)
    guard !columns.isEmpty else { return [:] }
    let table = try schema.table(of: row.entityName)
    let values = try statement.columns(columns, of: table, row.primaryKey)
    try set(columns.map { ($0, .null) }, of: row)
    return Dictionary(keepingFirst: zip(columns, values ?? []))
  }
}

extension Set<String> {
  /// Whether the property of a column is one of these.
  fileprivate func containsProperty(ofPath path: String) -> Bool {
    contains(ManagedAttribute.propertyName(ofPath: path))
  }
}
