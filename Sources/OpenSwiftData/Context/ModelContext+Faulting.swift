import Foundation
import StoreFormat

/// Reads values from the store when they are first used.
extension ModelContext {
  /// Reads the unread values of a model; those of a missing model, or that are unreadable, stay
  /// unread.
  ///
  /// - Throws: The errors of the store, and the problem of an unreadable value after all others
  ///   were read.
  func fulfill(_ state: ModelState) throws {
    guard !state.identifier.isTemporary else { return }
    var problem: SwiftDataError?
    let stored = try storedValues(of: [state.identifier], as: state.layout.type) {
      problem = problem ?? $0
    }
    if let values = stored[state.identifier] { state.fill(values) }
    if let problem { throw problem }
  }

  /// Keeps an error of reading where nothing can be thrown.
  func couldNotRead(_ problem: any Error) { lastError = problem }

  /// Reads all values of a model where nothing can be thrown.
  func readWhatIsReadable(of state: ModelState) {
    do { try readAll(state) } catch { couldNotRead(error) }
  }

  /// Runs a body that reads models, and throws the error of one that could not be read.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let before = lastError
    lastError = nil
    defer { lastError = before }
    let result = try body()
    if let lastError { throw lastError }
    return result
  }

  /// Reads everything of a model that is not known yet.
  func readAll(_ state: ModelState) throws {
    for index in state.values.indices {
      if case .fault = state.values[index] { try fulfill(state) }
      if case .toManyFault = state.values[index] { _ = try state.readList(at: index) }
    }
    state.readFiles()
  }

  /// Reads the lists that were changed while they could not be read, so that they can be saved.
  func readUnreadLists() throws {
    for state in updated.states where !state.unreadLists.isEmpty {
      for index in state.unreadLists { _ = try state.readList(at: index) }
      state.unreadLists = []
    }
  }

  /// Refuses to replace unreadable values by changes of the blank ones that were seen instead.
  func checkChangedBlanks() throws {
    for state in updated.states {
      guard let index = state.changedBlanks.min() else { continue }
      throw SwiftDataError(
        .storeFailure,
        "\(state.layout.name).\(state.layout.properties[index].name) could not be read, was seen "
          + "blank, and was changed; saving it would lose the stored value; roll back and set it "
          + "without reading it, or make the store readable first")
    }
  }

  /// Returns the models with the given identifiers, reading unknown ones together.
  ///
  /// Models that are no longer in the store are omitted. If the store cannot be read, the models
  /// appear blank and ``lastError`` has the reason.
  ///
  /// - Parameter properties: The properties to read from a ``DefaultStore``, or `nil` for all.
  func existingModels(
    for identifiers: [PersistentIdentifier], only properties: Set<EntityTables.Property>? = nil
  ) -> [any PersistentModel] {
    let unknown = identifiers.filter { knownModel(for: $0) == nil }
    // Models are released when nothing uses them.
    var held: [any PersistentModel] = []
    var isRead = true
    do {
      held = try readModels(for: unknown, only: properties, checksFiles: false)
    } catch {
      couldNotRead(error)
      isRead = false
    }
    return withExtendedLifetime(held) {
      identifiers.compactMap { identifier in
        knownModel(for: identifier) ?? (isRead ? nil : existingModel(for: identifier))
      }
    }
  }

  /// Returns the models with the given identifiers with the given values, without those that are no
  /// longer in the store.
  ///
  /// - Parameters:
  ///   - properties: The properties to read from a ``DefaultStore``, or `nil` for all.
  ///   - checksFiles: Whether a value in a file that cannot be read is a problem now already.
  /// - Throws: The errors of the store, and the problem of an unreadable value.
  func readModels(
    for identifiers: [PersistentIdentifier], only properties: Set<EntityTables.Property>?,
    checksFiles: Bool
  ) throws -> [any PersistentModel] {
    var held: [any PersistentModel] = []
    for (name, group) in Dictionary(grouping: unread(identifiers), by: \.entityName) {
      guard let layout = container.schema.layouts[name] else { continue }
      held += try readModels(for: group, layout, only: properties, checksFiles: checksFiles)
    }
    return withExtendedLifetime(held) { identifiers.compactMap { knownModel(for: $0) } }
  }

  /// Returns the identifiers of stored models that are not known, or of which not all values are.
  private func unread(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier] {
    func isUnread(_ state: ModelState) -> Bool {
      state.values.contains { if case .fault = $0 { true } else { false } }
    }
    return identifiers.filter { identifier in
      !identifier.isTemporary && knownModel(for: identifier)?.state.map(isUnread) ?? true
    }
  }

  private func readModels(
    for identifiers: [PersistentIdentifier], _ layout: EntityLayout,
    only properties: Set<EntityTables.Property>?, checksFiles: Bool
  ) throws -> [any PersistentModel] {
    if container.stores(ofEntity: layout.name).count > 1, let first = identifiers.first,
      identifiers.contains(where: { $0.storeIdentifier != first.storeIdentifier })
    {
      return try Dictionary(grouping: identifiers, by: \.storeIdentifier).values.flatMap {
        try readModels(for: $0, layout, only: properties, checksFiles: checksFiles)
      }
    }
    if let store = identifiers.first.flatMap(container.store(of:)) as? DefaultStore {
      let snapshots = try store.snapshots(of: identifiers, as: layout, only: properties)
      if checksFiles { for snapshot in snapshots { try SnapshotReader.checkFiles(of: snapshot) } }
      return try snapshots.map { try register($0) }
    }
    func read<T: PersistentModel>(_ type: T.Type) throws -> [any PersistentModel] {
      try storedValues(of: identifiers, as: type).map {
        register($0.key, values: $0.value, as: type)
      }
    }
    return try read(layout.type)
  }

  /// Registers the model of a snapshot, with its own class.
  func register(_ snapshot: some DataStoreSnapshot) throws -> any PersistentModel {
    let identifier = snapshot.persistentIdentifier
    guard let layout = container.schema.layouts[identifier.entityName] else {
      throw SwiftDataError.unknownModel(identifier.entityName)
    }
    return register(
      identifier, values: try SnapshotReader.values(of: snapshot, layout: layout), as: layout.type)
  }

  /// Returns the stored values of models of one entity.
  ///
  /// - Parameter note: Receives the problem of an unreadable value, which stays unread unless it
  ///   throws.
  func storedValues<T: PersistentModel>(
    of identifiers: [PersistentIdentifier], as type: T.Type,
    orElse note: (SwiftDataError) throws -> Void = { throw $0 }
  ) throws -> [PersistentIdentifier: [PropertyValue]] {
    let layout = EntityLayout.of(type)
    guard let store = identifiers.first.flatMap(container.store(of:)) else { return [:] }
    var known: [PersistentIdentifier: [PropertyValue]] = [:]
    func add(_ snapshot: some DataStoreSnapshot, as identifier: PersistentIdentifier) throws {
      known[identifier] = try SnapshotReader.values(of: snapshot, layout: layout, orElse: note)
    }
    func add<Snapshot: DataStoreSnapshot>(
      _ snapshots: [Snapshot], among wanted: Set<PersistentIdentifier>
    ) throws {
      for snapshot in snapshots where wanted.contains(snapshot.persistentIdentifier) {
        try add(snapshot, as: snapshot.persistentIdentifier)
      }
    }
    func read<S: DataStore>(_ store: S) throws {
      // Custom stores may cache them.
      let cached = try store.cachedSnapshots(for: identifiers, editingState: editingState)
      for identifier in identifiers {
        if let snapshot = cached[identifier] { try add(snapshot, as: identifier) }
      }
      let wanted = Set(identifiers).subtracting(known.keys)
      if wanted.isEmpty { return }
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
      try add(snapshots, among: wanted)
    }
    if let store = store as? DefaultStore {
      try add(try store.snapshots(of: identifiers, as: layout), among: Set(identifiers))
    } else {
      try read(store)
    }
    return known
  }

  /// Keeps all models of an entity, which had to be read to find some, until the next fetch.
  private func keepAll<Snapshot: DataStoreSnapshot>(
    _ snapshots: [Snapshot], ofEntity name: String
  ) {
    var models: [any PersistentModel] = []
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      // An unreadable model is an error only when it is requested.
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

  /// Returns the stored targets of a to-many relationship.
  func storedIdentifiers(of state: ModelState, at index: Int) throws -> [PersistentIdentifier] {
    guard !state.identifier.isTemporary else { return [] }
    if let store = container.store(of: state.identifier) as? DefaultStore {
      let name = state.layout.properties[index].name
      return try store.related(to: state.identifier, by: name)
    }
    let values = try storedValues(of: [state.identifier], as: state.layout.type)
    guard case .toMany(let references)? = values[state.identifier]?[index] else { return [] }
    return references.map(\.identifier)
  }

  // MARK: - Prefetching

  /// Reads the targets of relationships, those of each relationship together.
  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T]) throws {
    var held: [any PersistentModel] = []
    for keyPath in keyPaths {
      var layout = EntityLayout.of(T.self)
      guard let path = layout.relationshipPath(keyPath) else {
        throw SwiftDataError(
          .unsupportedKeyPath, "\(keyPath) is not a relationship of \(layout.name)")
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

  private func prefetch(
    _ index: Int, of owners: [ModelState], _ layout: EntityLayout
  ) throws -> [any PersistentModel] {
    guard let destination = layout.properties[index].relationship?.destinationLayout else {
      return []
    }
    let stores = container.stores(ofEntity: destination.name)
    let store = stores.count == 1 ? stores[0] as? DefaultStore : nil
    var held: [any PersistentModel] = []
    let unreadOwners = owners.filter { owner in
      if case .toManyFault = owner.values[index] { return !owner.identifier.isTemporary }
      return false
    }
    if let store, !unreadOwners.isEmpty {
      let (lists, snapshots) = try store.related(
        toAll: unreadOwners.map(\.identifier), of: layout, by: layout.properties[index].name)
      held = try snapshots.map { try register($0) }
      for owner in unreadOwners { owner.fill(lists[owner.identifier] ?? [], at: index) }
    }
    let identifiers = try reading { owners.flatMap { related(to: $0, at: index) } }
      .uniqued { $0 }
    guard let store else { return existingModels(for: identifiers) }
    let missing = unread(identifiers)
    if !missing.isEmpty {
      // The targets of one relationship are in one table, of whichever classes they are.
      held += try store.snapshots(of: missing, as: destination).map { try register($0) }
    }
    return withExtendedLifetime(held) { identifiers.compactMap { knownModel(for: $0) } }
  }
}

/// Models kept by something that their context keeps, so that they must not keep the context.
final class HeldModels {
  private let models: [any PersistentModel]
  private let states: [ModelState]

  convenience init(_ models: [any PersistentModel]) {
    self.init(models, models.compactMap(\.state))
  }

  /// Keeps models that may have taken over the values of others.
  init(_ models: [any PersistentModel], _ states: [ModelState]) {
    self.models = models
    self.states = states
    for state in states { state.hold() }
  }

  deinit {
    for state in states { state.letGo() }
  }
}
