import PersistentHistory
import StoreFormat

/// Which objects the recovered ones are related to again.
extension RecoveryBuilder {
  /// Where a relationship leads.
  private enum Destination {
    case object(StoreObject)
    case gone(reason: String)
  }

  /// Leaves out objects whose required destinations are not there, until none is left.
  mutating func dropWithoutRequired() throws {
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
    _ target: StoreObject, _ relationship: StoredProperty, of object: HistoryObject
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

  mutating func relate(_ key: Key) throws {
    guard var draft = drafts[key] else { return }
    let object = draft.lost.object
    func lose(_ relationship: StoredProperty, _ reason: String) {
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
    _ member: StoreObject, _ relationship: StoredProperty
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
    case .value, .columns, .join, nil: break
    }
    return .object(found)
  }

  /// Relates members to an object that is brought back.
  private mutating func attach(
    _ members: [StoreObject], _ relationship: StoredProperty, to key: Key, _ draft: inout Draft
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
  mutating func completeLists() {
    let keys = Dictionary(keepingFirst: references.map { ($1, $0) })
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
}
