import DurableFiles
import PersistentHistory
import StoreFormat
import StoreTransactions
import StoreWriting

/// Makes the save of a plan.
struct RecoveryBuilder {
  /// An object by the root of its entity, for all entities of a hierarchy share their keys.
  struct Key: Hashable {
    let root: String
    let primaryKey: Int64
  }

  struct Draft {
    let lost: LostObject
    let table: EntityTables.Table
    var values: [String: StoredValue] = [:]
    var toOne: [String: StoreObject?] = [:]
    var toMany: [String: [StoreObject]] = [:]
    var losses: [RecoveryPlan.Loss] = []
  }

  private(set) var entries: [RecoveryPlan.Entry] = []
  private(set) var losses: [RecoveryPlan.Loss] = []
  var save: StoreSave

  let present: PresentRows
  var schema: ObjectSchema { present.schema }
  var drafts: [Key: Draft] = [:]
  var order: [Key] = []
  /// How the save names the objects that are brought back.
  private(set) var references: [Key: StoreObject] = [:]
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

  mutating func omit(_ object: HistoryObject, _ reason: String) {
    losses.append(RecoveryPlan.Loss(object: object, property: nil, reason: reason))
  }

  func key(_ entityName: String, _ primaryKey: Int64) -> Key? {
    schema.tables.table(of: entityName).map { Key(root: $0.rootName, primaryKey: primaryKey) }
  }

  func key(_ object: StoreObject) -> Key? {
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
      case .attribute:
        guard let attribute = schema.model.attribute(of: column) else { continue }
        guard columns[column.name] != nil else {
          omit(lost.object, "its table has no column \(column.name)")
          return nil
        }
        guard try take(attribute, column.path, into: &draft) else {
          omit(lost.object, "its \(column.path) is required and not known")
          return nil
        }
      case .toMany:
        guard let place = lost.row?.value(column.name), !place.isNull else { continue }
        draft.losses.append(
          .init(
            object: lost.object, property: column.path,
            reason: "its place in \(column.entityName).\(column.path) is not brought back"))
      case .toOne, .entityKey, .orderKey, .manyToMany: continue
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
    let name = draft.lost.object.entityName
    guard let plan = schema.columns(of: name) else { return nil }
    for entity in schema.model.lineage(of: name) ?? [] {
      for names in entity.uniquenessConstraints {
        let properties = names.compactMap { plan[$0] }.filter { !$0.columnName.isEmpty }
        let columns = properties.map(\.columnName)
        let values = properties.map { property -> StoredValue in
          if let attribute = property.attribute {
            return draft.values[property.path] ?? attribute.defaultValue ?? .null
          }
          guard case .object(let target?)? = value(draft.lost[property.path]) else { return .null }
          return target.primaryKey.map(StoredValue.integer) ?? .null
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
