import Foundation

extension ModelContext {
  /// Returns the models that match a descriptor.
  ///
  /// - Throws: ``SwiftDataError``, also for a value that cannot be read; the errors of a custom
  ///   store.
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

  /// Returns the models that match a descriptor as a collection that reads them in batches.
  ///
  /// The collection cannot throw: a model that cannot be read appears blank, sets ``lastError``,
  /// and a change of its blank values cannot be saved.
  /// ``enumerate(_:batchSize:allowEscapingMutations:block:)`` throws.
  ///
  /// - Parameters:
  ///   - descriptor: The criteria, which must not include unsaved changes.
  ///   - batchSize: The number of models to read at a time.
  /// - Throws: ``SwiftDataError/includePendingChangesWithBatchSize`` and the errors of
  ///   ``fetch(_:)``.
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> where T: PersistentModel {
    guard !descriptor.includePendingChanges else {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize,
        "models in batches do not include unsaved changes; set includePendingChanges to false, or "
          + "omit the batch size")
    }
    let properties = try descriptor.storedProperties(EntityLayout.of(T.self))
    try catchUp()
    let identifiers = try storedIdentifiers(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) { [self] range in
      let batch = identifiers[range]
      return withExtendedLifetime(existingModels(for: batch, only: properties)) {
        // A model that others deleted in the meantime keeps its place, and is blank.
        batch.map {
          existingModel(for: $0) as? T ?? T(backingData: ModelBackingData<T>(for: T.self))
        }
      }
    }
  }

  /// Returns the number of models that match a descriptor.
  ///
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int
  where T: PersistentModel {
    try catchUp()
    if descriptor.includePendingChanges && hasChanges { return try countWithChanges(descriptor) }
    return try countStored(descriptor)
  }

  /// Returns the identifiers of the models that match a descriptor.
  ///
  /// - Throws: ``SwiftDataError/sortingPendingChangesWithIdentifiers`` and the errors of
  ///   ``fetch(_:)``.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try catchUp()
    guard descriptor.includePendingChanges && hasChanges else {
      let identifiers = try storedIdentifiers(descriptor)
      return identifiers[0..<identifiers.count]
    }
    guard descriptor.sortBy.isEmpty else {
      throw SwiftDataError(
        .sortingPendingChangesWithIdentifiers,
        "identifiers cannot be sorted while there are unsaved changes; save first, or set "
          + "includePendingChanges to false")
    }
    return try fetch(descriptor).map(\.persistentModelID)
  }

  /// Returns the identifiers of the models that match a descriptor as a collection.
  ///
  /// - Parameters:
  ///   - descriptor: The criteria.
  ///   - batchSize: Ignored; all identifiers are read at once.
  /// - Throws: The errors of ``fetchIdentifiers(_:)``.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
    let identifiers = try fetchIdentifiers(descriptor)
    return FetchResultsCollection(count: identifiers.count, batchSize: batchSize) {
      Array(identifiers[$0])
    }
  }

  /// Calls a block with each model that matches a descriptor, reading one batch at a time, so that
  /// memory does not grow with their number.
  ///
  /// - Parameters:
  ///   - fetch: The criteria; unsaved changes are not included.
  ///   - batchSize: The number of models to read at a time.
  ///   - allowEscapingMutations: Whether the block may change models, which keeps these in memory
  ///     until they are saved.
  ///   - block: Receives the models.
  /// - Throws: ``SwiftDataError/mutationDuringEnumeration`` for unsaved changes that are not
  ///   allowed, the error of the block, and the errors of ``fetch(_:)``.
  public func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws where T: PersistentModel {
    func checkChanges() throws {
      guard allowEscapingMutations || !hasChanges else {
        throw SwiftDataError(
          .mutationDuringEnumeration,
          "there are unsaved changes; save them first, or set allowEscapingMutations, which keeps "
            + "changed models in memory")
      }
    }
    try checkChanges()
    let properties = try fetch.storedProperties(EntityLayout.of(T.self))
    try catchUp()
    let identifiers = try storedIdentifiers(fetch)
    for start in stride(from: 0, to: identifiers.count, by: max(1, batchSize)) {
      let batch = identifiers[start..<min(start + max(1, batchSize), identifiers.count)]
      for model in try readModels(for: batch, only: properties, checksFiles: true) {
        if let model = model as? T { try block(model) }
      }
      try checkChanges()
    }
  }

  // MARK: - Stored models

  private func countStored<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    let stores = try stores(of: T.self)
    do {
      if stores.count == 1 { return try stores[0].fetchCount(request(descriptor)) }
      let all = request(descriptor.unlimited)
      return descriptor.limited(count: try stores.reduce(0) { try $0 + $1.fetchCount(all) })
    } catch is DataStoreError {
      return try fetchStored(descriptor).count
    }
  }

  private func stores<T: PersistentModel>(of type: T.Type) throws -> [any DataStore] {
    let layout = EntityLayout.of(type)
    try container.check(layout)
    return container.stores(ofEntity: layout.name)
  }

  private func fetchStored<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    do {
      let stores = try stores(of: T.self)
      if stores.count == 1 { return try models(descriptor, in: stores[0]) }
      let wide = descriptor.widened(by: 0).sortable
      let all = try stores.flatMap { try models(wide, in: $0) }
      return try asStored(unless: descriptor.includePendingChanges) {
        descriptor.limited(try reading { all.sorted(by: descriptor.sortBy) })
      }
    } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
      let all = try fetchStored(descriptor.unfiltered)
      return try asStored(unless: descriptor.includePendingChanges) {
        descriptor.limited(try all.filter { try meets($0, descriptor.predicate) })
      }
    } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
      let all = try fetchStored(descriptor.unsorted)
      return try asStored(unless: descriptor.includePendingChanges) {
        descriptor.limited(try reading { all.sorted(by: descriptor.sortBy) })
      }
    }
  }

  private func models<T: PersistentModel, S: DataStore>(
    _ descriptor: FetchDescriptor<T>, in store: S
  ) throws -> [T] {
    // Code for snapshots of any type takes twice the time.
    if let store = store as? DefaultStore {
      return try models(of: store.snapshots(descriptor))
    }
    let layout = EntityLayout.of(T.self)
    let result = try store.fetch(request(descriptor))
    for snapshot in result.relatedSnapshots.values { _ = try register(snapshot) }
    return try result.fetchedSnapshots.compactMap { snapshot in
      let identifier = snapshot.persistentIdentifier
      guard identifier.entityName == layout.name else { return try register(snapshot) as? T }
      let values = try SnapshotReader.values(of: snapshot, layout: layout)
      return register(identifier, values: values, as: T.self, layout: layout)
    }
  }

  private func models<T: PersistentModel>(
    of snapshots: consuming [DefaultSnapshot]
  ) throws -> [T] {
    let layout = EntityLayout.of(T.self)
    var models: [T] = []
    models.reserveCapacity(snapshots.count)
    for index in snapshots.indices {
      // The parts are read one by one, because copying a whole snapshot takes longer.
      if !snapshots[index].layout.largePlaces.isEmpty {
        try SnapshotReader.checkFiles(of: snapshots[index])
      }
      if snapshots[index].layout === layout {
        // Taken out of the snapshot: to count another reference to it, memory must be read that is not at
        // hand.
        var values: [PropertyValue] = []
        if snapshots[index].needsCheck {
          values = try SnapshotReader.values(of: snapshots[index], layout: layout)
        } else {
          swap(&values, &snapshots[index].values)
        }
        models.append(
          register(
            snapshots[index].persistentIdentifier, values: values, as: T.self, layout: layout))
      } else if let model = try register(snapshots[index]) as? T {
        models.append(model)
      }
    }
    return models
  }

  private func storedIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> IdentifierList {
    do {
      let stores = try stores(of: T.self)
      if stores.count == 1 {
        if let store = stores[0] as? DefaultStore {
          return try store.identifierList(request(descriptor))
        }
        return IdentifierList(try stores[0].fetchIdentifiers(request(descriptor)))
      }
    } catch is DataStoreError {
      // The models are filtered and sorted in memory.
    }
    return IdentifierList(try fetchStored(descriptor).map(\.persistentModelID))
  }

  // MARK: - Unsaved changes

  /// Returns the models as they will be after a save.
  private func fetchWithChanges<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [T] {
    // A change of a related model, which only memory knows, can decide too.
    let looksFurther = descriptor.looksFurther
    let changed = updated.models + deleted.models
    if !looksFurther, !changed.contains(where: { $0 is T }),
      !inserted.models.contains(where: { $0 is T })
    {
      return try fetchStored(descriptor)
    }
    // Only models that were changed here can drop out of the store's result.
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
      // The sort is stable: new models come last, in the order of their insertion.
      models = models.enumerated().sorted { left, right in
        let (first, second) = (left.element.persistentModelID, right.element.persistentModelID)
        if first.isTemporary || second.isTemporary {
          return first.isTemporary == second.isTemporary
            ? left.offset < right.offset : second.isTemporary
        }
        // Keys are unique within a hierarchy of classes.
        if let left = first.number, let right = second.number { return left < right }
        return first < second
      }.map(\.element)
    } else {
      try reading { models = models.sorted(by: descriptor.sortBy) }
    }
    return descriptor.limited(models)
  }

  private func meets<T: PersistentModel>(_ model: T, _ predicate: Predicate<T>?) throws -> Bool {
    guard let predicate else { return true }
    return try reading {
      do {
        return try predicate.evaluate(model)
      } catch let error as PredicateError where error == .forceUnwrapFailure {
        // As in SQL, `$0.due! < now` is not true without a value.
        return false
      } catch {
        throw SwiftDataError(
          .unsupportedPredicate, "the predicate cannot be evaluated: \(error)")
      }
    }
  }

  /// Returns how many models there will be after a save.
  private func countWithChanges<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> Int {
    guard !descriptor.looksFurther else { return try fetchWithChanges(descriptor).count }
    var all = descriptor.unlimited
    all.sortBy = []
    let changed = Set(
      (updated.models + deleted.models).filter { $0 is T }.map(\.persistentModelID))
    var count = 0
    if changed.isEmpty {
      count = try countStored(all)
    } else {
      let identifiers = try storedIdentifiers(all)
      for start in stride(from: 0, to: identifiers.count, by: 1000) {
        let part = identifiers[start..<min(start + 1000, identifiers.count)]
        count += part.count { !changed.contains($0) }
      }
    }
    for model in updated.models + inserted.models {
      if let model = model as? T, try meets(model, descriptor.predicate) { count += 1 }
    }
    return descriptor.limited(count: count)
  }

  /// Runs a body with the stored values of models, unless unsaved changes count.
  private func asStored<Result>(
    unless includesChanges: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    guard !includesChanges, hasChanges else { return try body() }
    let changed = (updated.states + deleted.states).compactMap { state in
      state.original.map { (state: state, values: state.values, original: $0) }
    }
    for (state, _, original) in changed { state.values = original }
    defer {
      for (state, values, _) in changed { state.values = values }
    }
    return try body()
  }
}
