import StoreFormat

/// What a store should hold, kept by the meaning of relationships alone: pairs of objects.
struct ShadowStore {
  struct Object: Hashable {
    let entity: String
    let key: Int64
  }

  struct Pair: Hashable {
    let owner: Object
    let member: Object
  }

  /// What one save should have recorded.
  struct Outcome {
    var inserted: Set<Object> = []
    var updated: Set<Object> = []
    var deleted: Set<Object> = []
    /// The names that a mask must have.
    var marks: [Object: Set<String>] = [:]
    /// The names that it may have besides: places in an order that moved.
    var possibleMarks: [Object: Set<String>] = [:]
    /// Values before the save.
    var tombstones: [Object: [String: StoredValue]] = [:]

    /// Objects that may have got another place in an order, and nothing else.
    var onlyMoved: Set<Object> {
      Set(possibleMarks.keys).subtracting(inserted).subtracting(updated).subtracting(deleted)
    }
  }

  let random: RandomModel
  private(set) var values: [Object: [String: StoredValue]] = [:]
  private(set) var versions: [Object: Int64] = [:]
  private(set) var pairs: [Int: Set<Pair>] = [:]
  /// Objects whose place in an order may have moved, so that their version is not known.
  private(set) var everMoved: Set<Object> = []
  private var outcome = Outcome()

  init(_ random: RandomModel) { self.random = random }

  var objects: [Object] {
    values.keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }

  /// One step of a save, in terms of objects that have their keys.
  enum Step {
    case insert(Object, [String: StoredValue])
    case values(Object, [String: StoredValue])
    case relate(Object, String, [Object])
    case delete(Object)
  }

  /// Applies a save: inserts, then updates, then relationships, then deletions.
  mutating func apply(_ steps: [Step]) -> Outcome {
    outcome = Outcome()
    let before = values
    for case .insert(let object, let content) in steps {
      values[object] = content
      versions[object] = 1
      outcome.inserted.insert(object)
    }
    for case .values(let object, let content) in steps {
      touch(object)
      for (path, value) in content {
        values[object]?[path] = value
        mark(object, String(path.prefix { $0 != "." }))
      }
    }
    for case .relate(let object, let name, let members) in steps { relate(object, name, members) }
    for case .delete(let object) in steps { delete(object, before) }
    outcome.updated.subtract(outcome.deleted)
    outcome.updated.subtract(outcome.inserted)
    for object in outcome.deleted where outcome.inserted.remove(object) != nil {
      outcome.deleted.remove(object)
    }
    for object in outcome.updated { versions[object, default: 0] += 1 }
    everMoved.formUnion(outcome.onlyMoved)
    return outcome
  }

  private mutating func touch(_ object: Object) { outcome.updated.insert(object) }

  private mutating func mark(_ object: Object, _ name: String) {
    touch(object)
    outcome.marks[object, default: []].insert(name)
  }

  private mutating func relate(_ object: Object, _ name: String, _ members: [Object]) {
    mark(object, name)
    for (index, link) in random.links.enumerated() {
      let isOwner = link.name == name
      guard isOwner || link.inverseName == name else { continue }
      let current = neighbors(object, index, asOwner: isOwner)
      for member in current where !members.contains(member) {
        unpair(index, object, member, asOwner: isOwner)
      }
      for member in members where !current.contains(member) {
        let memberIsSingle = isOwner ? !link.isInverseToMany : !link.isToMany
        // A key column without a relationship for it holds one object as well.
        if memberIsSingle && (link.inverseName != nil || link.isToMany) {
          for other in neighbors(member, index, asOwner: !isOwner) {
            unpair(index, member, other, asOwner: !isOwner)
          }
        }
        pair(index, object, member, asOwner: isOwner)
      }
      if link.isOrdered, isOwner, !link.isInverseToMany, let inverse = link.inverseName {
        for member in members { outcome.possibleMarks[member, default: []].insert(inverse) }
      }
      return
    }
  }

  /// The objects at the other end of a link.
  func neighbors(_ object: Object, _ index: Int, asOwner: Bool) -> Set<Object> {
    let all = pairs[index] ?? []
    let found = all.filter { (asOwner ? $0.owner : $0.member) == object }
      .map { asOwner ? $0.member : $0.owner }
    guard random.links[index].isReflexive else { return Set(found) }
    return Set(found + all.filter { $0.member == object }.map(\.owner))
  }

  private mutating func pair(_ index: Int, _ object: Object, _ member: Object, asOwner: Bool) {
    pairs[index, default: []].insert(
      asOwner ? Pair(owner: object, member: member) : Pair(owner: member, member: object))
    markEnds(index, object, member, asOwner: asOwner)
  }

  private mutating func unpair(_ index: Int, _ object: Object, _ member: Object, asOwner: Bool) {
    let (owner, other) = asOwner ? (object, member) : (member, object)
    pairs[index]?.remove(Pair(owner: owner, member: other))
    if random.links[index].isReflexive { pairs[index]?.remove(Pair(owner: other, member: owner)) }
    markEnds(index, object, member, asOwner: asOwner)
  }

  private mutating func markEnds(
    _ index: Int, _ object: Object, _ member: Object, asOwner: Bool
  ) {
    let link = random.links[index]
    let (owner, other) = asOwner ? (object, member) : (member, object)
    // Without a way back, only who sets the relationship notices.
    guard let inverse = link.inverseName else { return }
    if values[owner] != nil { mark(owner, link.name) }
    if values[other] != nil { mark(other, inverse) }
  }

  private mutating func delete(_ object: Object, _ before: [Object: [String: StoredValue]]) {
    guard !outcome.deleted.contains(object), values[object] != nil else { return }
    outcome.deleted.insert(object)
    outcome.tombstones[object] = before[object]
    var doomed: Set<Object> = []
    for (index, link) in random.links.enumerated() {
      for isOwner in [true, false] {
        for other in neighbors(object, index, asOwner: isOwner) {
          // A to-one without a way back leads into nowhere from now on.
          if !isOwner && link.inverseName == nil { continue }
          unpair(index, object, other, asOwner: isOwner)
          if isOwner && link.cascades { doomed.insert(other) }
        }
      }
    }
    values[object] = nil
    versions[object] = nil
    for other in doomed { delete(other, before) }
  }
}
