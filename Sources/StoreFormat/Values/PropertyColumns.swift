/// The columns that hold the attributes and to-one relationships of objects, and how their values are
/// recorded.
package final class PropertyColumns {
  /// A column with a value of a property.
  package struct Column: Sendable {
    package enum Role: Sendable {
      case attribute(AttributeType)
      /// An attribute whose large values are in files of their own.
      case large
      /// A to-one relationship; another column has the entity's number if the destination has
      /// sub-entities.
      case object(destination: String, entityKey: String?)
    }

    package let name: String
    /// The attribute or relationship; an element of a composite attribute as `attribute.element`.
    package let path: String
    /// The entity that adds the property.
    package let entityName: String
    package let role: Role

    package var kind: RecordedValue.Kind {
      switch role {
      case .attribute(let type): RecordedValue.Kind(type)
      case .large: .data
      case .object: .object
      }
    }

    /// The columns that make up the value.
    package var names: [String] {
      if case .object(_, let entityKey?) = role { [name, entityKey] } else { [name] }
    }
  }

  package let schema: ObjectSchema
  private var columnsByTable: [String: [String: Column]] = [:]

  package init(_ schema: ObjectSchema) { self.schema = schema }

  /// Returns the columns of a table by name.
  package func columns(of table: EntityTables.Table) -> [String: Column] {
    if let known = columnsByTable[table.name] { return known }
    var found: [String: Column] = [:]
    for column in table.columns {
      let role: Column.Role
      switch column.role {
      case .attribute(let attribute):
        role = attribute.keepsLargeValues ? .large : .attribute(attribute.type)
      case .toOne:
        let property = schema.model.entities[column.entityName]?.propertiesByName[column.path]
        let columns = schema.tables.toOneColumns(column.path, declaredIn: column.entityName)
        role = .object(
          destination: property?.relationship?.destinationName ?? "",
          entityKey: columns?.entityKey?.name)
      case .entityKey, .orderKey, .hiddenToOne: continue
      }
      found[column.name] = Column(
        name: column.name, path: column.path, entityName: column.entityName, role: role)
    }
    columnsByTable[table.name] = found
    return found
  }

  /// Returns the content of a column; `nil` if it names a file that cannot be read.
  ///
  /// - Parameters:
  ///   - values: The values of ``Column/names``.
  ///   - file: Reads a file of a large value.
  package func content(
    _ column: Column, _ values: [StoredValue], file: (LargeValueName) -> [UInt8]?
  ) -> RecordedContent? {
    guard let value = values.first else { return nil }
    switch column.role {
    case .attribute(let type):
      // A column may keep a date of whole seconds as an integer.
      return RecordedContent(type.restoring(value))
    case .large:
      guard case .blob(let bytes) = value else { return .value(value) }
      switch try? LargeValueColumn(bytes) {
      case .inline(let bytes): return RecordedContent(.blob(bytes))
      case .file(let name): return file(name).map { RecordedContent(.blob($0)) }
      case nil: return nil
      }
    case .object(let destination, _):
      guard case .integer(let key) = value else { return .value(.null) }
      var name = destination
      if values.count > 1, case .integer(let number) = values[1] {
        name = schema.numbering.name(of: number) ?? name
      }
      return .value(.text("\(name)/p\(key)"))
    }
  }
}
