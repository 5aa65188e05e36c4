extension PropertyValue {
  /// The value with the identifiers of other models exchanged.
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

  /// The same for those that a save has made permanent.
  func remapped(_ map: [PersistentIdentifier: PersistentIdentifier]) -> PropertyValue {
    mapped { map[$0] ?? $0 }
  }
}
