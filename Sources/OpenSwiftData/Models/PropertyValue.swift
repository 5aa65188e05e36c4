import StoreFormat

/// What a model has in a property.
enum PropertyValue {
  /// It has not been read from the store yet.
  case fault
  /// Nothing.
  case null
  /// A value of the attribute's type, never an optional.
  case value(Any)
  /// A value as the store keeps it, which nobody has asked for yet.
  case stored(StoredValue)
  /// The elements of a composite value as the store keeps them.
  case elements([StoredValue])
  /// A value that the store keeps in a file, which nobody has asked for yet.
  /// Kept apart, since it is rare and five times as large as any other.
  indirect case inFile(LargeValueFile)
  /// The other end of a to-one relationship.
  case toOne(ModelReference?)
  /// The other end of a to-many relationship.
  case toMany([ModelReference])
  /// The other end of a to-many relationship that has not been read yet, and what is to be added to
  /// it and taken out of it.
  case toManyFault(added: [PersistentIdentifier], removed: Set<PersistentIdentifier>)
}

extension PropertyValue {
  /// What a list that was not read leads to, given what the store has of it.
  func references(among stored: [PersistentIdentifier]) -> [ModelReference] {
    guard case .toManyFault(let added, let removed) = self else { return [] }
    let known = Set(stored)
    return (stored.filter { !removed.contains($0) } + added.filter { !known.contains($0) })
      .map(ModelReference.identifier)
  }
}

extension PropertyValue {
  /// The members of a list that are known; of one that was not read, what is to be added to it.
  var knownMembers: [PersistentIdentifier] {
    switch self {
    case .toMany(let references): references.map(\.identifier)
    case .toManyFault(let added, _): added
    default: []
    }
  }

  /// Adds a model to a list that does not have it, whether or not the list was read.
  mutating func append(_ identifier: PersistentIdentifier) {
    switch self {
    case .toMany(var references):
      // While the value has the list as well, it would be copied.
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

  /// Takes a model out of a list, whether or not the list was read.
  mutating func remove(_ identifier: PersistentIdentifier) {
    switch self {
    case .toMany(var references):
      self = .null
      references.removeAll { $0.identifier == identifier }
      self = .toMany(references)
    case .toManyFault(var added, var removed):
      self = .null
      added.removeAll { $0 == identifier }
      // What was never saved is not in the store either.
      if !identifier.isTemporary { removed.insert(identifier) }
      self = .toManyFault(added: added, removed: removed)
    default: self = .toManyFault(added: [], removed: [identifier])
    }
  }
}

/// The other end of a relationship.
enum ModelReference {
  /// A model of the same context.
  case identifier(PersistentIdentifier)
  /// A model of no context, which is kept by those that refer to it.
  case model(any PersistentModel)

  var identifier: PersistentIdentifier {
    switch self {
    case .identifier(let identifier): identifier
    case .model(let model): model.persistentModelID
    }
  }
}
