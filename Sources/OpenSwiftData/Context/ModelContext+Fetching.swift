import Foundation

extension ModelContext {
  /// The models that a descriptor asks for.
  ///
  /// - Throws: ``SwiftDataError``, and what a store of one's own throws.
  public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
    try catchUp()
    let models: [T]
    if descriptor.includePendingChanges && hasChanges {
      models = try fetchWithChanges(descriptor)
    } else {
      models = try fetchStored(descriptor)
    }
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(descriptor.relationshipKeyPathsForPrefetching, of: models)
    }
    return models
  }

  /// The models that a descriptor asks for, read in batches as they are looked at.
  ///
  /// - Parameters:
  ///   - descriptor: Which models; changes that were not saved cannot be included.
  ///   - batchSize: How many models are read at once.
  /// A collection cannot throw: what cannot be read when it is looked at is blank, and saving a change
  /// that was made to it then is an error. ``enumerate(_:batchSize:allowEscapingMutations:block:)``
  /// throws.
  ///
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` and what ``fetch(_:)`` throws.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    guard !descriptor.includePendingChanges else {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize,
        "models in batches do not include changes that were not saved; set includePendingChanges "
          + "to false, or leave out the batch size")
    }
    let properties = try descriptor.storedProperties(EntityLayout.of(T.self))
    let identifiers = try storedIdentifierList(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) { [self] range in
      let batch = identifiers[range]
      return withExtendedLifetime(existingModels(for: batch, only: properties)) {
        // What others have deleted meanwhile keeps its place, and is blank.
        batch.map {
          existingModel(for: $0) as? T ?? T(backingData: ModelBackingData<T>(for: T.self))
        }
      }
    }
  }

  /// How many models a descriptor asks for.
  ///
  /// - Throws: What ``fetch(_:)`` throws.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    try catchUp()
    if descriptor.includePendingChanges && hasChanges { return try countWithChanges(descriptor) }
    return try countStored(descriptor)
  }

  /// The identifiers of the models that a descriptor asks for.
  ///
  /// - Throws: ``SwiftDataError/sortingPendingChangesWithIdentifiers`` and what ``fetch(_:)`` throws.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard descriptor.includePendingChanges && hasChanges else {
      return try storedIdentifiers(descriptor)
    }
    guard descriptor.sortBy.isEmpty else {
      throw SwiftDataError(
        .sortingPendingChangesWithIdentifiers,
        "identifiers cannot be sorted while there are changes that were not saved; save first, or "
          + "set includePendingChanges to false")
    }
    return try fetch(descriptor).map(\.persistentModelID)
  }

  /// The identifiers of the models that a descriptor asks for, as a collection.
  ///
  /// - Parameters:
  ///   - descriptor: Which models.
  ///   - batchSize: Has no effect: all identifiers are read at once.
  /// - Throws: What ``fetchIdentifiers(_:)`` throws.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    let identifiers = try fetchIdentifiers(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) {
      Array(identifiers[$0])
    }
  }

  /// Goes through the models that a descriptor asks for, a batch at a time, so that memory does not
  /// grow with their number.
  ///
  /// - Parameters:
  ///   - fetch: Which models, as they are in the store.
  ///   - batchSize: How many models are read at once.
  ///   - allowEscapingMutations: Whether the block may change models, which keeps them in memory until
  ///     they are saved.
  ///   - block: Is given one model after the other.
  /// - Throws: ``SwiftDataError/mutationDuringEnumeration`` where there are changes, before or while
  ///   models are gone through, and that was not allowed; what the block throws, and what
  ///   ``fetch(_:)`` throws.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws where T: PersistentModel {
    func checkChanges() throws {
      guard allowEscapingMutations || !hasChanges else {
        throw SwiftDataError(
          .mutationDuringEnumeration,
          "there are changes that were not saved; save them first, or set "
            + "allowEscapingMutations, which keeps changed models in memory")
      }
    }
    try checkChanges()
    let properties = try fetch.storedProperties(EntityLayout.of(T.self))
    let identifiers = try storedIdentifierList(fetch)
    for start in stride(from: 0, to: identifiers.count, by: max(1, batchSize)) {
      let batch = identifiers[start..<min(start + max(1, batchSize), identifiers.count)]
      for model in try readModels(for: Array(batch), only: properties) {
        if let model = model as? T { try block(model) }
      }
      try checkChanges()
    }
  }

  // MARK: - What the store has

  func countStored<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    func count<S: DataStore>(_ store: S) throws -> Int {
      do {
        return try store.fetchCount(request(descriptor))
      } catch is DataStoreError {
        return try fetchStored(descriptor).count
      }
    }
    return try count(store(of: T.self))
  }

  private func store<T: PersistentModel>(of type: T.Type) throws -> any DataStore {
    let name = Schema.entityName(for: type)
    guard let store = container.store(ofEntity: name) else {
      throw SwiftDataError.unknownModel(name)
    }
    return store
  }

  func fetchStored<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    func models<S: DataStore>(_ descriptor: FetchDescriptor<T>, _ store: S) throws -> [T] {
      let layout = EntityLayout.of(T.self)
      let result = try store.fetch(request(descriptor))
      for (identifier, snapshot) in result.relatedSnapshots {
        guard let related = container.schema.layouts[identifier.entityName] else { continue }
        _ = register(
          identifier, values: try SnapshotReader.values(of: snapshot, layout: related),
          as: related.type)
      }
      makeRoom(for: result.fetchedSnapshots.count)
      return try result.fetchedSnapshots.compactMap { snapshot in
        try SnapshotReader.checkFiles(of: snapshot)
        let identifier = snapshot.persistentIdentifier
        if identifier.entityName == layout.name {
          return register(
            identifier, values: try SnapshotReader.values(of: snapshot, layout: layout),
            as: T.self, layout: layout)
        }
        guard let own = container.schema.layouts[identifier.entityName] else {
          throw SwiftDataError.unknownModel(identifier.entityName)
        }
        return register(
          identifier, values: try SnapshotReader.values(of: snapshot, layout: own), as: own.type)
          as? T
      }
    }
    func fetch<S: DataStore>(_ descriptor: FetchDescriptor<T>, _ store: S) throws -> [T] {
      do {
        return try models(descriptor, store)
      } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
        let all = try fetch(descriptor.unfiltered, store)
        return try asStored(unless: descriptor.includePendingChanges) {
          descriptor.limited(try all.filter { try meets($0, descriptor.predicate) })
        }
      } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
        let all = try fetch(descriptor.unsorted, store)
        return asStored(unless: descriptor.includePendingChanges) {
          descriptor.limited(all.sorted(using: descriptor.sortBy))
        }
      }
    }
    return try fetch(descriptor, store(of: T.self))
  }

  private func storedIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    try catchUp()
    func identifiers<S: DataStore>(_ store: S) throws -> [PersistentIdentifier] {
      do {
        return try store.fetchIdentifiers(request(descriptor))
      } catch is DataStoreError {
        return try fetchStored(descriptor).map(\.persistentModelID)
      }
    }
    return try identifiers(store(of: T.self))
  }

  /// The identifiers in little room, for models that are read in batches.
  func storedIdentifierList<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> IdentifierList {
    do {
      if let store = try store(of: T.self) as? DefaultStore {
        return try store.identifierList(request(descriptor))
      }
    } catch is DataStoreError {
      // Who cannot choose or sort is asked for everything below.
    }
    return IdentifierList(try storedIdentifiers(descriptor))
  }

  // MARK: - What was changed since

  /// The models as they will be once changes are saved.
  func fetchWithChanges<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [T] {
    // A change of a related model can decide as well, and only memory knows of it.
    let looksFurther = descriptor.looksFurther
    let changed = updated.models + deleted.models
    if !looksFurther, !changed.contains(where: { $0 is T }),
      !inserted.models.contains(where: { $0 is T })
    {
      return try fetchStored(descriptor)
    }
    // Of what the store gives, only models that were changed here can fall away.
    let changeCount = changed.count { $0 is T }
    let stored = try fetchStored(
      looksFurther ? descriptor.unfiltered : descriptor.widened(by: changeCount).sortable)
    var models = try stored.filter { model in
      guard let state = model.state, state.phase == .registered, state.original == nil else {
        return false
      }
      return try !looksFurther || meets(model, descriptor.predicate)
    }
    for model in updated.models + inserted.models {
      if let model = model as? T, try meets(model, descriptor.predicate) { models.append(model) }
    }
    if descriptor.sortBy.isEmpty {
      // The sort is stable, so that new models come last and in the order of their insertion.
      models = models.enumerated().sorted { left, right in
        let (first, second) = (left.element.persistentModelID, right.element.persistentModelID)
        if first.isTemporary || second.isTemporary {
          return first.isTemporary == second.isTemporary
            ? left.offset < right.offset : second.isTemporary
        }
        // Keys count through a hierarchy, whatever class a model is of.
        if let left = first.number, let right = second.number { return left < right }
        return first < second
      }.map(\.element)
    } else {
      try reading { models.sort(using: descriptor.sortBy) }
    }
    return descriptor.limited(models)
  }

  func meets<T: PersistentModel>(_ model: T, _ predicate: Predicate<T>?) throws -> Bool {
    guard let predicate else { return true }
    return try reading {
      do {
        return try predicate.evaluate(model)
      } catch {
        throw SwiftDataError(
          .unsupportedPredicate, "the predicate cannot be evaluated: \(error)")
      }
    }
  }
}
