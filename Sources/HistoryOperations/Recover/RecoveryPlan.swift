import DurableFiles
import PersistentHistory
import StoreEditing
import StoreFormat

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

/// Makes the save of a plan.
private struct RecoveryBuilder {
  /// An object by the root of its entity, for all entities of a hierarchy share their keys.
  private struct Key: Hashable {
    let root: String
    let primaryKey: Int64
  }

  private struct Draft {
    let lost: LostObject
    let table: EntityTables.Table
    var values: [String: StoredValue] = [:]
    var toOne: [String: StoreObject?] = [:]
    var toMany: [String: [StoreObject]] = [:]
    var losses: [RecoveryPlan.Loss] = []
  }

  private enum Destination {
    case object(StoreObject)
    case gone(reason: String)
  }

  private(set) var entries: [RecoveryPlan.Entry] = []
  private(set) var losses: [RecoveryPlan.Loss] = []
  private(set) var save: StoreSave

  private let present: PresentRows
  private var schema: ObjectSchema { present.schema }
  private var drafts: [Key: Draft] = [:]
  private var order: [Key] = []
  /// How the save names the objects that are brought back.
  private var references: [Key: StoreObject] = [:]
  private var uniqueValues: [[String]: Set<[StoredValue]>] = [:]

  init(present: PresentRows, header: TransactionHeader) {
    self.present = present
    save = StoreSave()
    save.header = header
  }

  mutating func take(_ objects: [LostObject]) throws {
    for lost in objects {
      guard let key = key(lost.object.entityName, lost.object.primaryKey), drafts[key] == nil
      else {
        if schema.model.entities[lost.object.entityName] == nil {
          omit(lost.object, "the model has no such entity")
        }
        continue
      }
      if let draft = try draft(lost) {
        drafts[key] = draft
        order.append(key)
      }
    }
    try dropWithoutRequired()
    for (index, key) in order.enumerated() {
      references[key] = drafts[key].map {
        StoreObject(entityName: $0.lost.object.entityName, insertedAs: index)
      }
    }
    for key in order { try relate(key) }
    completeLists()
    for key in order { try insert(key) }
  }

  private mutating func omit(_ object: HistoryObject, _ reason: String) {
    losses.append(RecoveryPlan.Loss(object: object, property: nil, reason: reason))
  }

  private func key(_ entityName: String, _ primaryKey: Int64) -> Key? {
    schema.tables.table(of: entityName).map { Key(root: $0.rootName, primaryKey: primaryKey) }
  }

  private func key(_ object: StoreObject) -> Key? {
    object.primaryKey.flatMap { key(object.entityName, $0) }
  }

  // MARK: - Values

  /// Prepares an object; `nil` if it cannot be brought back.
  private mutating func draft(_ lost: LostObject) throws -> Draft? {
    let name = lost.object.entityName
    guard let table = schema.tables.table(of: name), let columns = schema.presentColumns[table.name]
    else {
      omit(lost.object, "the table of its entity is missing")
      return nil
    }
    if schema.model.entities[name]?.isAbstract ?? true {
      omit(lost.object, "its entity is abstract")
      return nil
    }
    if let trigger = schema.frameworkTriggers[table.name] {
      omit(lost.object, "its table has triggers that only Core Data can run: \(trigger)")
      return nil
    }
    guard lost.object.primaryKey > 0 else {
      omit(lost.object, "its key is not positive")
      return nil
    }
    var draft = Draft(lost: lost, table: table)
    let owners = Set((schema.model.lineage(of: name) ?? []).map(\.name))
    for column in table.columns where owners.contains(column.entityName) {
      switch column.role {
      case .attribute(let attribute):
        guard columns[column.name] != nil else {
          omit(lost.object, "its table has no column \(column.name)")
          return nil
        }
        guard try take(attribute, column.path, into: &draft) else {
          omit(lost.object, "its \(column.path) is required and not known")
          return nil
        }
      case .hiddenToOne:
        guard let place = lost.row?.value(column.name), !place.isNull else { continue }
        draft.losses.append(
          .init(
            object: lost.object, property: column.path,
            reason: "its place in \(column.entityName).\(column.path) is not brought back"))
      case .toOne, .entityKey, .orderKey: continue
      }
    }
    if let taken = try takenValue(draft) {
      omit(lost.object, taken)
      return nil
    }
    return draft
  }

  /// Takes the value of an attribute, or its default; returns `false` if it must have one and has no default.
  private func take(
    _ attribute: ManagedAttribute, _ path: String, into draft: inout Draft
  ) throws -> Bool {
    var reason: String
    switch draft.lost[path] {
    case .unknown(let why): reason = why
    case .known(.stored(let value, _), _):
      if value.isNull, attribute.isOptional || path.contains(".") {
        draft.values[path] = .null
        return true
      }
      reason =
        value.isNull
        ? "it was nil, and the model requires a value" : "its value is not of the attribute's type"
      if !value.isNull, attribute.type.accepts(value) {
        guard !attribute.allowsExternalStorage || attribute.keepsLargeValues else {
          reason = "how the frameworks keep it is not known"
          break
        }
        draft.values[path] = value
        return true
      }
    case .known(.file(let name), _):
      do throws(FileProblem) {
        draft.values[path] = .blob(try present.largeValues.read(name))
        return true
      } catch {
        reason = "its file \(name.text) cannot be read: \(error.reason)"
      }
    case .known(.digest(_, let count), _): reason = "only the digest of its \(count) bytes is known"
    case .known(.object, _), .known(.objects, _): reason = LostObject.nowhere
    }
    if attribute.defaultValue == nil, !attribute.isOptional, !path.contains(".") {
      guard let neutral = attribute.type.neutralValue else { return false }
      draft.values[path] = neutral
    }
    draft.losses.append(.init(object: draft.lost.object, property: path, reason: reason))
    return true
  }

  /// Returns which unique values of an object another one has; `nil` if none.
  private mutating func takenValue(_ draft: Draft) throws -> String? {
    let lineage = schema.model.lineage(of: draft.lost.object.entityName) ?? []
    for entity in lineage {
      for names in entity.uniquenessConstraints {
        var columns: [String] = []
        var values: [StoredValue] = []
        for name in names {
          guard let owner = schema.model.declaringEntity(of: name, in: entity.name)?.name else {
            continue
          }
          if let column = schema.tables.attributeColumn(name, declaredIn: owner) {
            let property = schema.model.entities[owner]?.propertiesByName[name]
            columns.append(column.name)
            values.append(draft.values[name] ?? property?.attribute?.defaultValue ?? .null)
          } else if let column = schema.tables.toOneColumns(name, declaredIn: owner)?.key {
            columns.append(column.name)
            var key = StoredValue.null
            if case .object(let target?)? = value(draft.lost[name]), let number = target.primaryKey
            {
              key = .integer(number)
            }
            values.append(key)
          }
        }
        // SQLite takes nulls for different.
        guard columns.count == names.count, !columns.isEmpty, !values.contains(.null) else {
          continue
        }
        let text = names.joined(separator: ", ")
        let condition = columns.enumerated().map { "\(quoted($1)) = ?\($0 + 1)" }
        let other = try present.statement.integer(
          "SELECT Z_PK FROM \(quoted(draft.table.name)) WHERE "
            + condition.joined(separator: " AND ") + " LIMIT 1", values)
        if let other { return "\(draft.table.rootName)/p\(other) has the same \(text)" }
        guard uniqueValues[[draft.table.name] + columns, default: []].insert(values).inserted else {
          return "another object that is brought back has the same \(text)"
        }
      }
    }
    return nil
  }

  private func value(_ knowledge: LostObject.Knowledge) -> LostObject.Value? {
    if case .known(let value, _) = knowledge { value } else { nil }
  }

  // MARK: - Relationships

  /// Leaves out objects whose required destinations are not there, until none is left.
  private mutating func dropWithoutRequired() throws {
    var isChanged = true
    while isChanged {
      isChanged = false
      for key in order {
        guard let draft = drafts[key] else { continue }
        for relationship in schema.relationships(of: draft.lost.object.entityName)
        where !relationship.isToMany && !relationship.isOptional {
          let reason: String
          switch draft.lost[relationship.name] {
          case .known(.object(let target?), _):
            guard case .gone(let why) = try destination(target, relationship, of: draft.lost.object)
            else { continue }
            reason = why
          case .unknown(let why): reason = why
          case .known: reason = "it was nil"
          }
          omit(
            draft.lost.object, "its \(relationship.name) is required, and not there: \(reason)")
          drafts[key] = nil
          isChanged = true
          break
        }
      }
      let kept = drafts
      order.removeAll { kept[$0] == nil }
    }
  }

  /// Finds the destination of a to-one relationship among the objects that are brought back and in the store.
  private func destination(
    _ target: StoreObject, _ relationship: Relationship, of object: HistoryObject
  ) throws -> Destination {
    let name = "\(target.entityName)/p\(target.primaryKey ?? 0)"
    if let key = key(target), let draft = drafts[key] {
      guard schema.isKind(draft.lost.object.entityName, of: relationship.destinationName) else {
        return .gone(reason: "\(name) is of another entity")
      }
      return .object(references[key] ?? target)
    }
    guard let found = try present.object(target, ofKind: relationship.destinationName) else {
      return .gone(reason: "\(name) is not in the store")
    }
    // The other side of a one-to-one relationship may have found another object.
    if let inverse = relationship.inverse, !inverse.isToMany,
      let back = try? schema.relationship(inverse.name, of: found.entityName),
      case .columns(let column, _, _)? = back.storage,
      let value = try present.values([column.name], found)?.first, !value.isNull
    {
      return .gone(reason: "\(name) is related to another object now")
    }
    return .object(found)
  }

  private mutating func relate(_ key: Key) throws {
    guard var draft = drafts[key] else { return }
    let object = draft.lost.object
    func lose(_ relationship: Relationship, _ reason: String) {
      draft.losses.append(.init(object: object, property: relationship.name, reason: reason))
    }
    for relationship in schema.relationships(of: object.entityName) {
      switch draft.lost[relationship.name] {
      case .unknown(let reason): lose(relationship, reason)
      case .known(.object(let target), _) where !relationship.isToMany:
        guard let target else { continue }
        switch try destination(target, relationship, of: object) {
        case .gone(let reason): lose(relationship, reason)
        case .object(let found):
          draft.toOne[relationship.name] = found
          if found.primaryKey != nil, case .columns(_, _, .some) = relationship.storage {
            lose(relationship, "it is the last of the ordered objects there")
          }
        }
      case .known(.objects(let members), _) where relationship.isToMany:
        var found: [StoreObject] = []
        for member in members {
          switch try self.member(member, relationship) {
          case .gone(let reason): lose(relationship, reason)
          case .object(let member): found.append(member)
          }
        }
        try attach(found, relationship, to: key, &draft)
      case .known: continue
      }
    }
    drafts[key] = draft
  }

  /// Finds an object of a to-many relationship that can be related again.
  private func member(
    _ member: StoreObject, _ relationship: Relationship
  ) throws -> Destination {
    let name = "\(member.entityName)/p\(member.primaryKey ?? 0)"
    if let key = key(member), let draft = drafts[key],
      schema.isKind(draft.lost.object.entityName, of: relationship.destinationName)
    {
      return .object(references[key] ?? member)
    }
    guard let found = try present.object(member, ofKind: relationship.destinationName) else {
      return .gone(reason: "\(name) is not in the store")
    }
    switch relationship.storage {
    case .inverseColumns(let column, _, _), .hidden(let column):
      guard try present.values([column.name], found)?.first?.isNull ?? false else {
        return .gone(reason: "\(name) is related to another object now")
      }
    case .join, .columns, nil: break
    }
    return .object(found)
  }

  /// Relates members to an object that is brought back.
  private mutating func attach(
    _ members: [StoreObject], _ relationship: Relationship, to key: Key, _ draft: inout Draft
  ) throws {
    guard !members.isEmpty else { return }
    if case .inverseColumns? = relationship.storage, !relationship.isOrdered,
      let inverse = relationship.inverse, let reference = references[key]
    {
      // Members that are brought back have their own reference.
      for member in members where member.primaryKey != nil {
        save.update(member, toOne: [inverse.name: reference])
      }
    } else if relationship.storage != nil {
      draft.toMany[relationship.name] = members
    }
  }

  /// Adds objects that name another one in their own relationship to its list, which would leave them out.
  private mutating func completeLists() {
    let keys = Dictionary(uniqueKeysWithValues: references.map { ($1, $0) })
    for key in order {
      guard let draft = drafts[key], let reference = references[key] else { continue }
      for relationship in schema.relationships(of: draft.lost.object.entityName) {
        guard let inverse = relationship.inverse, inverse.isToMany else { continue }
        let others =
          relationship.isToMany
          ? draft.toMany[relationship.name] ?? []
          : draft.toOne[relationship.name].flatMap { $0 }.map { [$0] } ?? []
        for other in others {
          guard let otherKey = keys[other],
            let list = drafts[otherKey]?.toMany[inverse.name], !list.contains(reference)
          else { continue }
          drafts[otherKey]?.toMany[inverse.name] = list + [reference]
        }
      }
    }
  }

  private mutating func insert(_ key: Key) throws {
    guard let draft = drafts[key] else { return }
    let object = draft.lost.object
    let former = StoreObject(entityName: object.entityName, primaryKey: object.primaryKey)
    let isFree = try present.values(["Z_PK"], former) == nil
    let reference = save.insert(
      object.entityName, values: draft.values, toOne: draft.toOne, toMany: draft.toMany,
      formerKey: isFree ? object.primaryKey : nil)
    entries.append(RecoveryPlan.Entry(object: object, reference: reference))
    losses += draft.losses
  }
}

extension AttributeType {
  /// The value of a required attribute whose value is not known; `nil` for a type that has none.
  fileprivate var neutralValue: StoredValue? {
    let values: [StoredValue] = [
      .integer(0), .real(0), .text(""), .blob([UInt8](repeating: 0, count: 16)),
    ]
    switch self {
    case .binaryData: return .blob([])
    case .transformable, .undefined, .objectIdentifier, .composite, .unknown: return nil
    default: return values.first(where: accepts)
    }
  }
}
