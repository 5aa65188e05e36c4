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
    let value = mapped { map[$0] ?? $0 }
    guard case .toMany(let old) = self, case .toMany(let new) = value,
      old.contains(where: { map[$0.identifier] != nil })
    else { return value }
    // Of several models a save may have made one.
    var seen: Set<PersistentIdentifier> = []
    return .toMany(new.filter { seen.insert($0.identifier).inserted })
  }
}
