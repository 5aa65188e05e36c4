/// What fetches make of changes that were not saved.
extension ModelContext {
  /// How many models there will be once changes are saved.
  func countWithChanges<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> Int {
    guard !descriptor.looksFurther else { return try fetchWithChanges(descriptor).count }
    var all = descriptor.unlimited
    all.sortBy = []
    let changed = Set(
      (updated.models + deleted.models).filter { $0 is T }.map(\.persistentModelID))
    var count = try changed.isEmpty ? countStored(all) : countStored(all, without: changed)
    for model in updated.models + inserted.models {
      if let model = model as? T, try meets(model, descriptor.predicate) { count += 1 }
    }
    let rest = max(0, count - max(0, descriptor.fetchOffset ?? 0))
    return descriptor.fetchLimit.map { min(rest, max(0, $0)) } ?? rest
  }

  /// Runs a body while models have the values that they have in the store, where changes that were
  /// not saved do not count.
  func asStored<Result>(
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

  /// How many models a store has besides some.
  private func countStored<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, without changed: Set<PersistentIdentifier>
  ) throws -> Int {
    let identifiers = try storedIdentifierList(descriptor)
    var count = 0
    for start in stride(from: 0, to: identifiers.count, by: 1000) {
      let part = identifiers[start..<min(start + 1000, identifiers.count)]
      count += part.count { !changed.contains($0) }
    }
    return count
  }
}
