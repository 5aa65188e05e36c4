import Foundation
import StoreFormat

/// Values are read from the store when they are first asked for.
extension ModelContext {
  /// Reads the values of a model that are not known yet.
  ///
  /// Those of a model that is gone stay unknown, and so does a value that cannot be read.
  ///
  /// - Throws: What the store throws, and what is wrong with a value, when all others were read.
  func fulfill(_ state: ModelState) throws {
    guard !state.identifier.isTemporary else { return }
    var problem: SwiftDataError?
    let stored = try storedValues(of: [state.identifier], as: state.layout.type) {
      problem = problem ?? $0
    }
    if let values = stored[state.identifier] { state.fill(values) }
    if let problem { throw problem }
  }

  /// Notes that something could not be read that was asked for where nothing can be thrown.
  func couldNotRead(_ problem: any Error) { lastError = problem }

  /// Reads all values of a model where nothing can be thrown.
  func readWhatIsReadable(of state: ModelState) {
    do { try readAll(state) } catch { couldNotRead(error) }
  }

  /// Runs what looks at models, and throws where they could not be read.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let before = lastError
    lastError = nil
    defer { lastError = before }
    let result = try body()
    if let lastError { throw lastError }
    return result
  }

  /// Reads lists that were changed while they could not be read, so that they can be saved.
  ///
  /// - Throws: What the store throws.
  func readUnreadLists() throws {
    for state in updated.states where !state.unreadLists.isEmpty {
      for index in state.unreadLists { _ = try state.readList(at: index) }
      state.unreadLists = []
    }
  }

  /// Refuses to write over what could not be read what somebody has made of a blank value.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  func checkChangedBlanks() throws {
    for state in updated.states {
      guard let index = state.changedBlanks.min() else { continue }
      throw SwiftDataError(
        .storeFailure,
        "\(state.layout.name).\(state.layout.properties[index].name) was changed after it was seen "
          + "blank because it could not be read, and to save it would lose what the store has; roll "
          + "back, and set it without looking at it, or make the store readable first")
    }
  }

  /// The models with some identifiers, read at once where they are not known yet.
  ///
  /// Those that are not in the store any more are left out. Of what cannot be read nothing is known;
  /// who looks at it finds it blank.
  ///
  /// - Parameter properties: The properties that are read, by a store of our own; nil for all.
  func existingModels(
    for identifiers: [PersistentIdentifier], only properties: Set<FetchedObjects.Property>? = nil
  ) -> [any PersistentModel] {
    let unknown = identifiers.filter { knownModel(for: $0) == nil && !$0.isTemporary }
    // What is read here must not be forgotten before it is given back.
    var held: [any PersistentModel] = []
    var isRead = true
    for (name, group) in Dictionary(grouping: unknown, by: \.entityName) {
      guard let layout = container.schema.layouts[name] else { continue }
      do {
        held += try readModels(for: group, layout, only: properties)
      } catch {
        isRead = false
      }
    }
    return withExtendedLifetime(held) {
      identifiers.compactMap { identifier in
        knownModel(for: identifier) ?? (isRead ? nil : existingModel(for: identifier))
      }
    }
  }

  /// The models with some identifiers, with all values that are wanted.
  ///
  /// Those that are not in the store any more are left out.
  ///
  /// - Parameter properties: The properties that are read, by a store of our own; nil for all.
  /// - Throws: What the store throws, and where a value cannot be read.
  func readModels(
    for identifiers: [PersistentIdentifier], only properties: Set<FetchedObjects.Property>?
  ) throws -> [any PersistentModel] {
    let unread = identifiers.filter { identifier in
      !identifier.isTemporary && knownModel(for: identifier)?.state?.hasUnreadValues ?? true
    }
    var held: [any PersistentModel] = []
    for (name, group) in Dictionary(grouping: unread, by: \.entityName) {
      guard let layout = container.schema.layouts[name] else { continue }
      held += try readModels(for: group, layout, only: properties, checksFiles: true)
    }
    return withExtendedLifetime(held) { identifiers.compactMap { knownModel(for: $0) } }
  }

  private func readModels(
    for identifiers: [PersistentIdentifier], _ layout: EntityLayout,
    only properties: Set<FetchedObjects.Property>?, checksFiles: Bool = false
  ) throws -> [any PersistentModel] {
    if let store = container.store(ofEntity: layout.name) as? DefaultStore {
      let snapshots = try store.snapshots(of: identifiers, as: layout, only: properties)
      if checksFiles { for snapshot in snapshots { try SnapshotReader.checkFiles(of: snapshot) } }
      return try register(snapshots)
    }
    return try readModels(for: identifiers, as: layout.type)
  }

  private func readModels<T: PersistentModel>(
    for identifiers: [PersistentIdentifier], as type: T.Type
  ) throws -> [any PersistentModel] {
    try storedValues(of: identifiers, as: type).map { register($0.key, values: $0.value, as: type) }
  }

  /// Makes the models of snapshots known, each as one of its own class.
  func register(_ snapshots: [DefaultSnapshot]) throws -> [any PersistentModel] {
    try snapshots.map { snapshot in
      let values = try SnapshotReader.values(of: snapshot, layout: snapshot.layout)
      func register<T: PersistentModel>(_ type: T.Type) -> any PersistentModel {
        self.register(snapshot.persistentIdentifier, values: values, as: type)
      }
      return register(snapshot.layout.type)
    }
  }

  /// What a store holds of some models of one entity.
  ///
  /// - Parameter note: Is given what is wrong with a value that cannot be read, which stays unknown
  ///   unless that throws.
  func storedValues<T: PersistentModel>(
    of identifiers: [PersistentIdentifier], as type: T.Type,
    orElse note: (SwiftDataError) throws -> Void = { throw $0 }
  ) throws -> [PersistentIdentifier: [PropertyValue]] {
    let layout = EntityLayout.of(type)
    guard let store = container.store(ofEntity: layout.name) else { return [:] }
    func read<S: DataStore>(_ store: S) throws -> [PersistentIdentifier: [PropertyValue]] {
      // A store of one's own may remember them.
      let cached =
        try store is DefaultStore
        ? [:] : store.cachedSnapshots(for: identifiers, editingState: editingState)
      var known: [PersistentIdentifier: [PropertyValue]] = [:]
      for identifier in identifiers {
        if let snapshot = cached[identifier] {
          known[identifier] = try SnapshotReader.values(
            of: snapshot, layout: layout, orElse: note)
        }
      }
      let wanted = Set(identifiers).subtracting(known.keys)
      if wanted.isEmpty { return known }
      let descriptor = FetchDescriptor<T>(
        predicate: #Predicate { wanted.contains($0.persistentModelID) })
      let snapshots: [S.Snapshot]
      do {
        snapshots = try store.fetch(request(descriptor)).fetchedSnapshots
      } catch let error as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort
      {
        snapshots = try store.fetch(request(FetchDescriptor<T>())).fetchedSnapshots
        keepAll(snapshots, ofEntity: layout.name)
      }
      for snapshot in snapshots where wanted.contains(snapshot.persistentIdentifier) {
        known[snapshot.persistentIdentifier] = try SnapshotReader.values(
          of: snapshot, layout: layout, orElse: note)
      }
      return known
    }
    return try read(store)
  }

  /// Keeps all models of an entity that had to be read to find a few, until the next fetch.
  private func keepAll<Snapshot: DataStoreSnapshot>(
    _ snapshots: [Snapshot], ofEntity name: String
  ) {
    var models: [any PersistentModel] = []
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      // Nobody has asked for all of them, so one that cannot be read does no harm here.
      guard let layout = container.schema.layouts[identifier.entityName],
        let values = try? SnapshotReader.values(of: snapshot, layout: layout)
      else { continue }
      if let known = knownModel(for: identifier) {
        known.state?.fill(values)
      } else {
        models.append(register(identifier, values: values, as: layout.type))
      }
    }
    readInFull[name] = HeldModels(models)
  }

  func request<T>(_ descriptor: FetchDescriptor<T>) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(editingState: editingState, descriptor: descriptor)
  }

  /// The models that a to-many relationship leads to in the store.
  ///
  /// - Throws: What the store throws.
  func storedIdentifiers(of state: ModelState, at index: Int) throws -> [PersistentIdentifier] {
    guard !state.identifier.isTemporary else { return [] }
    if let store = container.store(ofEntity: state.layout.name) as? DefaultStore {
      let name = state.layout.properties[index].name
      return try store.related(to: state.identifier, by: name)
    }
    let values = try storedValues(of: [state.identifier], as: state.layout.type)
    guard case .toMany(let references)? = values[state.identifier]?[index] else { return [] }
    return references.map(\.identifier)
  }
}
