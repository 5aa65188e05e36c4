/// What the columns of a property hold.
package enum ColumnContent {
  case value(StoredValue)
  /// A large value in a file of its own.
  case file(LargeValueName)
  /// The destination of a to-one relationship; `nil` if it leads nowhere.
  case object(StoreObject?)
}

/// How a column holds a property: an attribute, an element of a composite one, or a to-one relationship.
extension EntityTables.Column {
  /// The attribute, or the element of a composite one; `nil` for any other column.
  package var attribute: ManagedAttribute? {
    if case .attribute(let attribute) = role { attribute } else { nil }
  }

  package var property: EntityTables.Property {
    EntityTables.Property(entityName: entityName, path: path)
  }

  package var isToOne: Bool { if case .toOne = role { true } else { false } }

  /// Whether values may be in files of their own.
  package var keepsLargeValues: Bool { attribute?.keepsLargeValues ?? false }

  /// Whether `NULL` is refused. Elements of a composite attribute are present or missing as a whole.
  package var isRequired: Bool {
    attribute.map { !$0.isOptional && !path.contains(".") } ?? false
  }

  /// Whether the column holds a value of a property, not an order in a relationship or the like.
  package var isProperty: Bool { attribute != nil || isToOne }

  /// The kind of the property's values.
  package var kind: RecordedValue.Kind {
    switch role {
    case .attribute(let attribute): RecordedValue.Kind(attribute.type)
    case .toOne: .object
    case .entityKey, .orderKey, .hiddenToOne: .other
    }
  }

  /// The columns that make up the value: this one, and that of the entity's number.
  package var names: [String] {
    if case .toOne(_, let entityKey?) = role { [name, entityKey] } else { [name] }
  }

  /// Interprets the values of ``names``; `nil` where they neither are a value nor name a file.
  package func content(_ values: [StoredValue], _ numbering: EntityNumbering) -> ColumnContent? {
    guard let value = values.first else { return nil }
    switch role {
    case .attribute(let attribute):
      // A column may keep a date of whole seconds as an integer.
      guard attribute.keepsLargeValues, case .blob(let bytes) = value else {
        return .value(attribute.type.restoring(value))
      }
      return switch try? LargeValueColumn(bytes) {
      case .inline(let bytes): .value(.blob(bytes))
      case .file(let name): .file(name)
      case nil: nil
      }
    case .toOne(let destination, _):
      guard case .integer(let key) = value else { return .object(nil) }
      var name = destination
      if values.count > 1, case .integer(let number) = values[1] {
        name = numbering.name(of: number) ?? name
      }
      return .object(StoreObject(entityName: name, primaryKey: key))
    case .entityKey, .orderKey, .hiddenToOne: return .value(value)
    }
  }
}

extension ObjectSchema {
  /// Returns the columns of an entity's own and inherited properties, by path.
  package func propertyColumns(of entityName: String) -> [EntityTables.Column] {
    let owners = Set((model.lineage(of: entityName) ?? []).map(\.name))
    return (tables.table(of: entityName)?.columns ?? [])
      .filter { owners.contains($0.entityName) && $0.isProperty }
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Returns whether the table of an entity really has all columns of a property.
  package func has(_ column: EntityTables.Column) -> Bool {
    let present = tables.table(of: column.entityName).flatMap { presentColumns[$0.name] }
    return column.names.allSatisfy { present?[$0] != nil }
  }

  /// Returns the content of a property as it is recorded; `nil` if it is in a file that cannot be read.
  ///
  /// - Parameters:
  ///   - values: The values of ``EntityTables/Column/names``.
  ///   - file: Reads a file of a large value.
  package func recordedContent(
    of column: EntityTables.Column, _ values: [StoredValue], file: (LargeValueName) -> [UInt8]?
  ) -> RecordedContent? {
    switch column.content(values, numbering) {
    case .value(let value): RecordedContent(value)
    case .file(let name): file(name).map { RecordedContent(.blob($0)) }
    case .object(let object):
      .value(
        object.map { .text("\($0.entityName)/p\($0.primaryKey ?? 0)") } ?? .null)
    case nil: nil
    }
  }

  /// Returns the contents of several properties of a row, whose columns follow each other.
  package func recordedContents(
    of columns: [EntityTables.Column], _ row: some Collection<StoredValue>,
    file: (LargeValueName) -> [UInt8]?
  ) -> [RecordedContent?] {
    var rest = row[...]
    return columns.map { column in
      let values = Array(rest.prefix(column.names.count))
      rest = rest.dropFirst(values.count)
      return recordedContent(of: column, values, file: file)
    }
  }
}
