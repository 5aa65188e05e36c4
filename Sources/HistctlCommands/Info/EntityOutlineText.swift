import StoreFormat
import Terminal

/// Writes an entity of a model as text.
struct EntityOutlineText: FieldPage {
  let session: Session

  func write(_ entity: EntityOutline) throws {
    try writer.writeLine("")
    try field(
      "entity", entity.label + (entity.isAbstract == true ? ", abstract" : ""), style: .heading)
    try field("number", entity.name == nil ? nil : entity.number.map(String.init))
    try field("parent", entity.parentName)
    try list("subentities", entity.subentityNames)
    try field("table", entity.tableName)
    try list("unique", entity.uniquenessConstraints.map { $0.joined(separator: " + ") })
    try list("tombstone", entity.tombstoneNames)
    if let properties = entity.properties {
      try write(properties, of: entity)
    } else {
      try write(entity.columns)
    }
  }

  private func list(_ title: String, _ names: [String]) throws {
    try field(title, names.isEmpty ? nil : names.joined(separator: ", "))
  }

  // MARK: - With a model

  private func write(_ properties: [EntityOutline.Property], of entity: EntityOutline) throws {
    // Names and types must not be cut, so other columns shrink first.
    let isWide = (session.environment.lineWidth ?? .max) >= 100
    let columns = [
      TableColumn("SLOT", alignment: .trailing, priority: 3, canDrop: true),
      TableColumn("NAME", priority: 5, minimumWidth: isWide ? 40 : 30, canShrink: true),
      TableColumn("TYPE", priority: 4, minimumWidth: isWide ? 32 : 22, canShrink: true),
      TableColumn("NOTES", priority: 2, minimumWidth: 16, canShrink: true, canDrop: true),
      TableColumn("COLUMN", priority: 1, minimumWidth: 16, canShrink: true, canDrop: true),
    ]
    let rows = properties.flatMap { property in
      [row(property, of: entity)] + property.elements.map { row($0, of: entity) }
    }
    let used = columns.indices.filter { place in rows.contains { !$0[place].text.isEmpty } }
    try writeTable(
      used.map { columns[$0] }, rows.map { row in used.map { row[$0] } })
  }

  private func row(_ property: EntityOutline.Property, of entity: EntityOutline) -> [TableCell] {
    let slots = property.elements.isEmpty ? property.slots : []
    return [
      TableCell(slots.map(String.init).joined(separator: ","), style: .secondary),
      TableCell(property.name),
      TableCell(type(of: property)),
      notes(on: property, of: entity),
      TableCell(columns(of: property.stored, in: entity), style: .secondary),
    ]
  }

  private func row(_ element: StoredProperty, of entity: EntityOutline) -> [TableCell] {
    [
      TableCell(element.slots.first.map(String.init) ?? "", style: .secondary),
      TableCell(element.path),
      TableCell(
        (element.attribute?.type.name ?? "") + (element.isOptional ? "?" : "")),
      TableCell(element.tombstoneSlot.map { "tombstone \($0)" } ?? "", style: .secondary),
      TableCell(columns(of: element, in: entity), style: .secondary),
    ]
  }

  /// Returns the type as in Swift, with a question mark if it is optional.
  private func type(of property: EntityOutline.Property) -> String {
    func text(_ word: String, _ relationship: ManagedRelationship) -> String {
      ([word] + [relationship.destinationName].compactMap { $0 }).joined(separator: " ")
        + (relationship.isOptional ? "?" : "")
    }
    switch (property.kind, property.definition) {
    case (.attribute, .attribute(let attribute)):
      return attribute.type.name + (attribute.isOptional ? "?" : "")
    case (.attribute, _): return property.type?.name ?? "attribute"
    case (.toOne, .relationship(let relationship)): return text("to-one", relationship)
    case (.toMany, .relationship(let relationship)): return text("to-many", relationship)
    case (.toOne, _): return "to-one"
    case (.toMany, _): return "to-many"
    case (.other, _): return "other"
    }
  }

  private func notes(
    on property: EntityOutline.Property, of entity: EntityOutline
  ) -> TableCell {
    var notes: [String] = []
    if property.elements.isEmpty, !property.tombstoneSlots.isEmpty {
      notes.append(
        "tombstone " + property.tombstoneSlots.map(String.init).joined(separator: ","))
    }
    switch property.definition {
    case .attribute(let attribute):
      if attribute.isDerived { notes.append("derived") }
      if attribute.allowsExternalStorage { notes.append("external storage") }
      if attribute.type == .transformable || attribute.type == .composite,
        let name = attribute.valueClassName
      {
        notes.append(name)
      }
    case .relationship(let relationship):
      if let inverse = relationship.inverseName { notes.append("inverse \(inverse)") }
      if relationship.isOrdered { notes.append("ordered") }
      if relationship.deleteRule != .nullify {
        notes.append(relationship.deleteRule.text)
      }
    case .other, nil: break
    }
    if property.definition?.isTransient == true { notes.append("transient") }
    if let name = property.declaringEntityName, name != entity.name { notes.append("from \(name)") }
    let spans = [TableCell.Span(text: notes.joined(separator: ", "), style: .secondary)]
    guard property.lacksColumns else { return TableCell(spans: spans) }
    return TableCell(
      spans: [.init(text: "no column" + (notes.isEmpty ? "" : ", "), style: .warning)] + spans)
  }

  /// Returns the columns, with their table if it is not the entity's.
  private func columns(of property: StoredProperty?, in entity: EntityOutline) -> String {
    guard let property, let table = property.table else { return "" }
    return (table == entity.tableName ? "" : table + ".")
      + property.allColumnNames.joined(separator: ",")
  }

  // MARK: - Without a model

  private func write(_ columns: [EntityOutline.Column]) throws {
    try writeTable(
      [
        TableColumn("COLUMN", priority: 2, minimumWidth: 12, canShrink: true),
        TableColumn("DECLARED", priority: 1, minimumWidth: 8, canShrink: true, canDrop: true),
      ], columns.map { [TableCell($0.name), TableCell($0.declaredType, style: .secondary)] })
  }
}

extension ManagedRelationship.DeleteRule {
  /// The name of the rule in text.
  fileprivate var text: String {
    switch self {
    case .noAction: "no action"
    case .nullify, .cascade, .deny: name
    }
  }
}
