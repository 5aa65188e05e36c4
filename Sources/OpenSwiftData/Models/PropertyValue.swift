import StoreFormat

/// The value of a model's property.
enum PropertyValue {
  /// It was not read yet.
  case fault
  case null
  /// A value of the attribute's type, never an optional. Indirect, so that the others, which are more
  /// frequent, take less memory.
  indirect case value(Any)
  /// A column value that was not decoded yet.
  case stored(StoredValue)
  /// The column values of a composite value that was not decoded yet.
  case elements([StoredValue])
  /// A value in a file that was not read yet. Indirect for the same reason.
  indirect case inFile(LargeValueFile)
  case toOne(ModelReference?)
  case toMany([ModelReference])
  /// The targets of a to-many relationship that was not read yet, with unsaved additions and
  /// removals.
  case toManyFault(added: [PersistentIdentifier], removed: Set<PersistentIdentifier>)
}

extension PropertyValue {
  func references(among stored: [PersistentIdentifier]) -> [ModelReference] {
    guard case .toManyFault(let added, let removed) = self else { return [] }
    let known = Set(stored)
    return (stored.filter { !removed.contains($0) } + added.filter { !known.contains($0) })
      .map(ModelReference.identifier)
  }
}

extension PropertyValue {
  /// The known members of a list; of an unread list, the added ones.
  var knownMembers: [PersistentIdentifier] {
    switch self {
    case .toMany(let references): references.map(\.identifier)
    case .toManyFault(let added, _): added
    default: []
    }
  }

  mutating func append(_ identifier: PersistentIdentifier) {
    switch self {
    case .toMany(var references):
      // The list would be copied while the value still holds it.
      self = .null
      references.append(.identifier(identifier))
      self = .toMany(references)
    case .toManyFault(var added, var removed):
      self = .null
      added.append(identifier)
      removed.remove(identifier)
      self = .toManyFault(added: added, removed: removed)
    default: self = .toManyFault(added: [identifier], removed: [])
    }
  }

  mutating func remove(_ identifier: PersistentIdentifier) {
    switch self {
    case .toMany(var references):
      self = .null
      references.removeAll { $0.identifier == identifier }
      self = .toMany(references)
    case .toManyFault(var added, var removed):
      self = .null
      added.removeAll { $0 == identifier }
      // A model that was never saved is not in the stored list.
      if !identifier.isTemporary { removed.insert(identifier) }
      self = .toManyFault(added: added, removed: removed)
    default: self = .toManyFault(added: [], removed: [identifier])
    }
  }
}

enum ModelReference {
  /// A model of the same context.
  case identifier(PersistentIdentifier)
  /// A model of no context, retained by those that refer to it.
  case model(any PersistentModel)

  var identifier: PersistentIdentifier {
    switch self {
    case .identifier(let identifier): identifier
    case .model(let model): model.persistentModelID
    }
  }
}

extension PropertyValue {
  func mapped(
    _ transform: (PersistentIdentifier) -> PersistentIdentifier
  ) -> PropertyValue {
    func mapped(_ reference: ModelReference) -> ModelReference {
      .identifier(transform(reference.identifier))
    }
    switch self {
    case .toOne(let reference?): return .toOne(mapped(reference))
    case .toMany(let references): return .toMany(references.map(mapped))
    case .toManyFault(let added, let removed):
      return .toManyFault(added: added.map(transform), removed: Set(removed.map(transform)))
    default: return self
    }
  }

  func remapped(_ map: [PersistentIdentifier: PersistentIdentifier]) -> PropertyValue {
    let value = mapped { map[$0] ?? $0 }
    guard case .toMany(let old) = self, case .toMany(let new) = value,
      old.contains(where: { map[$0.identifier] != nil })
    else { return value }
    // The save may have turned several models into one.
    return .toMany(new.uniqued(by: \.identifier))
  }
}

extension PropertyLayout {
  /// Returns whether two values are equal; values of a type that is not `Equatable` never are.
  func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.fault, .fault): return true
    case (.stored(let left), .stored(let right)): return left == right
    case (.elements(let left), .elements(let right)): return left == right
    case (.inFile(let left), .inFile(let right)): return left == right
    case (.toOne(let left), .toOne(let right)): return left?.identifier == right?.identifier
    case (.toMany(let left), .toMany(let right)):
      return left.map(\.identifier) == right.map(\.identifier)
    case (.toManyFault(let added, let removed), .toManyFault(let otherAdded, let otherRemoved)):
      return added == otherAdded && removed == otherRemoved
    default:
      guard let left = plainValue(left), let right = plainValue(right) else { return false }
      return Self.areEqual(left, right)
    }
  }

  func plainValue(_ value: PropertyValue) -> Any? {
    switch value {
    case .value(let value): value
    case .stored(let stored): codec?.value(of: stored)
    case .elements(let elements): codec?.value(of: elements)
    default: nil
    }
  }

  static func areEqual(_ left: Any, _ right: Any) -> Bool {
    func isEqual<Value: Equatable>(_ left: Value) -> Bool { (right as? Value) == left }
    return (left as? any Equatable).map { isEqual($0) } ?? false
  }
}
