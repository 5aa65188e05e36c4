/// Related models are read with the models that lead to them.
extension ModelContext {
  /// Reads the models at the other ends of relationships, those of each with one question.
  ///
  /// - Throws: ``SwiftDataError``.
  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T]) throws {
    var held: [any PersistentModel] = []
    for keyPath in keyPaths {
      var layout = EntityLayout.of(T.self)
      guard let path = layout.relationshipPath(keyPath) else {
        throw SwiftDataError(
          .unsupportedKeyPath, "\(keyPath) is no relationship of \(layout.name)")
      }
      var owners = models.compactMap(\.state)
      for index in path {
        let related = try prefetch(index, of: owners, layout)
        held += related
        owners = related.compactMap(\.state)
        layout = layout.properties[index].relationship?.destinationLayout ?? layout
      }
    }
    prefetched = HeldModels(held)
  }

  /// The models that a relationship of some models leads to, each once.
  private func prefetch(
    _ index: Int, of owners: [ModelState], _ layout: EntityLayout
  ) throws -> [any PersistentModel] {
    guard let destination = layout.properties[index].relationship?.destinationLayout else {
      return []
    }
    let store = container.store(ofEntity: destination.name) as? DefaultStore
    var held: [any PersistentModel] = []
    let unread = owners.filter { owner in
      if case .toManyFault = owner.values[index] { return !owner.identifier.isTemporary }
      return false
    }
    if let store, !unread.isEmpty {
      let (lists, snapshots) = try store.related(
        toAll: unread.map(\.identifier), of: layout, by: layout.properties[index].name)
      held = try register(snapshots)
      for owner in unread { owner.fill(lists[owner.identifier] ?? [], at: index) }
    }
    var seen: Set<PersistentIdentifier> = []
    let identifiers = owners.flatMap { related(to: $0, at: index) }
      .filter { seen.insert($0).inserted }
    guard let store else { return existingModels(for: identifiers) }
    let missing = identifiers.filter { identifier in
      guard !identifier.isTemporary else { return false }
      return knownModel(for: identifier)?.state?.hasUnreadValues ?? true
    }
    if !missing.isEmpty {
      held += try register(try store.snapshots(of: missing, as: destination))
    }
    return withExtendedLifetime(held) { identifiers.compactMap { knownModel(for: $0) } }
  }
}

extension ModelState {
  /// Whether a value has not been read from the store yet.
  var hasUnreadValues: Bool {
    values.contains { if case .fault = $0 { true } else { false } }
  }
}
