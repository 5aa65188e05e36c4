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
