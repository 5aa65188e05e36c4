import Foundation

/// Values are read from the store when they are first asked for.
extension ModelContext {
  /// Reads the values of a model that are not known yet.
  ///
  /// What cannot be read, because the model is gone or the store is damaged, stays unknown; whoever
  /// needs to know fetches the model, which throws.
  func fulfill(_ state: ModelState) {
    guard !state.identifier.isTemporary,
      let values = try? storedValues(of: [state.identifier], as: state.layout.type)[
        state.identifier]
    else { return }
    for index in values.indices {
      if case .fault = state.values[index] { state.values[index] = values[index] }
      if let original = state.original?[index], case .fault = original {
        state.original?[index] = values[index]
      }
    }
  }

  /// The models with some identifiers, read at once where they are not known yet.
  ///
  /// Those that are not in the store any more are left out.
  func existingModels(for identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    let unknown = identifiers.filter { knownModel(for: $0) == nil && !$0.isTemporary }
    // What is read here must not be forgotten before it is given back.
    var held: [any PersistentModel] = []
    var isRead = true
    for (name, group) in Dictionary(grouping: unknown, by: \.entityName) {
      guard let layout = container.schema.layouts[name] else { continue }
      do {
        held += try readModels(for: group, as: layout.type)
      } catch {
        // Nothing is known of them then; who looks at one finds it blank.
        isRead = false
      }
    }
    return withExtendedLifetime(held) {
      identifiers.compactMap { identifier in
        knownModel(for: identifier) ?? (isRead ? nil : existingModel(for: identifier))
      }
    }
  }

  private func readModels<T: PersistentModel>(
    for identifiers: [PersistentIdentifier], as type: T.Type
  ) throws -> [any PersistentModel] {
    try storedValues(of: identifiers, as: type).map { register($0.key, values: $0.value, as: type) }
  }

  /// What a store holds of some models of one entity.
  func storedValues<T: PersistentModel>(
    of identifiers: [PersistentIdentifier], as type: T.Type
  ) throws -> [PersistentIdentifier: [PropertyValue]] {
    let layout = EntityLayout.of(type)
    guard let store = container.store(ofEntity: layout.name) else { return [:] }
    func read<S: DataStore>(_ store: S) throws -> [PersistentIdentifier: [PropertyValue]] {
      let wanted = Set(identifiers)
      let descriptor = FetchDescriptor<T>(
        predicate: #Predicate { wanted.contains($0.persistentModelID) })
      let snapshots: [S.Snapshot]
      do {
        snapshots = try store.fetch(request(descriptor)).fetchedSnapshots
      } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort
      {
        snapshots = try store.fetch(request(FetchDescriptor<T>())).fetchedSnapshots
          .filter { wanted.contains($0.persistentIdentifier) }
      }
      return Dictionary(
        try snapshots.filter { wanted.contains($0.persistentIdentifier) }.map {
          ($0.persistentIdentifier, try SnapshotReader.values(of: $0, layout: layout))
        }, uniquingKeysWith: { first, _ in first })
    }
    return try read(store)
  }

  func request<T>(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(editingState: editingState, descriptor: descriptor)
  }

  /// The models that a to-many relationship leads to in the store.
  func storedIdentifiers(of state: ModelState, at index: Int) -> [PersistentIdentifier] {
    guard !state.identifier.isTemporary else { return [] }
    if let store = container.store(ofEntity: state.layout.name) as? DefaultStore {
      let name = state.layout.properties[index].name
      return (try? store.related(to: state.identifier, by: name)) ?? []
    }
    let values = try? storedValues(of: [state.identifier], as: state.layout.type)
    guard case .toMany(let references)? = values?[state.identifier]?[index] else { return [] }
    return references.map(\.identifier)
  }
}
