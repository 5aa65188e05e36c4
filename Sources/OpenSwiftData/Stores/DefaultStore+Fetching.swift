import Foundation
import StoreFormat
import StoreWriting

extension DefaultStore {
  /// Returns the models that match a request.
  ///
  /// - Throws: ``SwiftDataError``; ``DataStoreError`` if SQLite cannot filter or sort.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try snapshots(request.descriptor))
  }

  func snapshots<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [DefaultSnapshot] {
    try snapshots(objectFetch(descriptor))
  }

  /// Returns the models with the given identifiers that are in the store.
  ///
  /// - Parameters:
  ///   - layout: A class that all of them have or inherit from.
  ///   - properties: The properties to read, or `nil` for all.
  func snapshots(
    of identifiers: [PersistentIdentifier], as layout: EntityLayout,
    only properties: Set<EntityTables.Property>? = nil
  ) throws -> [DefaultSnapshot] {
    let keys = identifiers.filter { $0.storeIdentifier == identifier }.compactMap(\.number)
    return try snapshots(ObjectFetch(layout.name, keys: keys, properties: properties))
  }

  func related(
    toAll owners: [PersistentIdentifier], of layout: EntityLayout, by name: String
  ) throws -> (
    lists: [PersistentIdentifier: [PersistentIdentifier]], snapshots: [DefaultSnapshot]
  ) {
    // Mapping inside the loop below crashes the optimizer of Swift 6.3.1.
    let numbers = owners.map(\.number)
    let (found, snapshots) = try asking {
      try fetcher.readTargets(
        ofAll: numbers.compactMap { $0 }, of: layout.name, by: name, targets(in:))
    }
    var lists: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for (owner, number) in zip(owners, numbers) {
      lists[owner] = number.flatMap { found[$0] } ?? []
    }
    return (lists, snapshots)
  }

  /// Returns the targets by the key of their owner, and the snapshot of each.
  private func targets(
    in rows: FetchedRows
  ) throws -> (lists: [Int64: [PersistentIdentifier]], snapshots: [DefaultSnapshot]) {
    let maker = SnapshotMaker(rows, of: self)
    var lists: [Int64: [PersistentIdentifier]] = [:]
    var snapshots: [DefaultSnapshot] = []
    var seen: Set<Int64> = []
    while try rows.next() {
      lists[rows.ownerKey, default: []].append(persistentIdentifier(rows.object))
      if seen.insert(rows.primaryKey).inserted { snapshots.append(try maker.snapshot()) }
    }
    return (lists, snapshots)
  }

  /// Returns the number of models that match a request.
  ///
  /// - Throws: ``SwiftDataError``; ``DataStoreError`` if SQLite cannot filter.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    var descriptor = request.descriptor
    descriptor.sortBy = []
    let fetch = try objectFetch(descriptor)
    return try asking { try fetcher.count(fetch) }
  }

  /// Returns the identifiers of the models that match a request.
  ///
  /// - Throws: ``SwiftDataError``; ``DataStoreError`` if SQLite cannot filter or sort.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    let fetch = try objectFetch(request.descriptor)
    return try asking { try fetcher.identifiers(fetch) }.map(persistentIdentifier)
  }

  func identifierList<T>(_ request: DataStoreFetchRequest<T>) throws -> IdentifierList
  where T: PersistentModel {
    let fetch = try objectFetch(request.descriptor)
    return try IdentifierList(storeIdentifier: identifier) { body in
      try asking { try fetcher.forEachIdentifier(fetch, body) }
    }
  }

  func related(
    to identifier: PersistentIdentifier, by name: String
  ) throws -> [PersistentIdentifier] {
    let owner = try object(identifier)
    return try translating { try fetcher.related(to: owner, by: name) }.map(persistentIdentifier)
  }

  private func snapshots(_ fetch: ObjectFetch) throws -> [DefaultSnapshot] {
    try asking {
      try fetcher.read(fetch) { rows in
        let maker = SnapshotMaker(rows, only: fetch.properties, of: self)
        var snapshots: [DefaultSnapshot] = []
        while try rows.next() { snapshots.append(try maker.snapshot()) }
        return snapshots
      }
    }
  }

  private func asking<Result>(_ body: () throws -> Result) throws -> Result {
    try translating {
      do {
        return try body()
      } catch StoreError.unsupportedFetch {
        throw DataStoreError.preferInMemoryFilter
      } catch StoreError.unknownEntity(let name, _) {
        throw SwiftDataError.unknownModel(name)
      }
    }
  }

  private func objectFetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> ObjectFetch {
    let layout = EntityLayout.of(T.self)
    var fetch = ObjectFetch(layout.name)
    if let predicate = descriptor.predicate {
      fetch.condition = try PredicateTranslator.condition(
        predicate, layout: layout, storeIdentifier: identifier, layouts: schema.layouts)
    }
    fetch.order = try descriptor.sortBy.map { try layout.order(by: $0) }
    fetch.limit = descriptor.limit
    fetch.offset = max(0, descriptor.fetchOffset ?? 0)
    fetch.properties = try descriptor.storedProperties(layout)
    return fetch
  }
}

extension ObjectFetch {
  init(_ entityName: String, keys: [Int64], properties: Set<EntityTables.Property>? = nil) {
    self.init(
      entityName,
      where: .contained(.primaryKey(ObjectPath(variable: 0)), keys.map(StoredValue.integer)),
      properties: properties)
  }
}

extension FetchDescriptor {
  /// Returns the properties to read in terms of the store, or `nil` for all.
  func storedProperties(_ layout: EntityLayout) throws -> Set<EntityTables.Property>? {
    guard !propertiesToFetch.isEmpty else { return nil }
    var wanted: Set<EntityTables.Property> = []
    for keyPath in propertiesToFetch where !layout.isIdentifier(keyPath) {
      guard let index = layout.indexIfAny(of: keyPath) else {
        throw SwiftDataError(
          .unsupportedKeyPath, "\(keyPath) is no stored property of \(layout.name)")
      }
      wanted.formUnion(layout.storedProperties(at: index))
    }
    // Prefetching finds the targets by the relationship itself.
    for keyPath in relationshipKeyPathsForPrefetching {
      guard let index = layout.relationshipPath(keyPath)?.first else { continue }
      wanted.formUnion(layout.storedProperties(at: index))
    }
    return wanted
  }
}

extension EntityLayout {
  fileprivate func storedProperties(at index: Int) -> [EntityTables.Property] {
    let property = properties[index]
    let paths = property.relationship == nil ? property.columnPaths : [property.name]
    return paths.map {
      EntityTables.Property(entityName: declaringLayout(of: index).name, path: $0)
    }
  }

  /// Returns the relationships that a key path follows, or `nil` if it contains anything else.
  func relationshipPath(_ keyPath: AnyKeyPath) -> [Int]? {
    if let index = indexIfAny(of: keyPath) {
      return properties[index].relationship == nil ? nil : [index]
    }
    return relationshipPath(keyPath, behind: nil, depth: 0)
  }

  private static let longestPath = 4

  private func relationshipPath(
    _ keyPath: AnyKeyPath, behind start: AnyKeyPath?, depth: Int
  ) -> [Int]? {
    guard depth < Self.longestPath else { return nil }
    for index in relationshipPlaces {
      let property = properties[index]
      // Key paths cannot be appended through an optional.
      let path =
        start.map { start in
          property.keyPaths.lazy.compactMap { start.appending(path: $0) }.first
        } ?? property.keyPath
      guard let path, let relationship = property.relationship else { continue }
      if path == keyPath { return [index] }
      guard !relationship.isToMany, !property.isOptional else { continue }
      if let rest = relationship.destinationLayout.relationshipPath(
        keyPath, behind: path, depth: depth + 1)
      {
        return [index] + rest
      }
    }
    return nil
  }
}

extension EntityLayout {
  /// - Throws: ``DataStoreError/preferInMemorySort`` if SQLite cannot sort, or sorts otherwise.
  fileprivate func order<T: PersistentModel>(
    by descriptor: SortDescriptor<T>
  ) throws -> ObjectFetch.Order {
    guard let keyPath = descriptor.keyPath else { throw DataStoreError.preferInMemorySort }
    let isLocalized = descriptor.isLocalized
    if !isLocalized, let comparator = descriptor.stringComparator, comparator != .lexical {
      throw DataStoreError.preferInMemorySort
    }
    let isAscending = descriptor.order == .forward
    let object = ObjectPath(variable: 0)
    if let index = indexIfAny(of: keyPath), case .plain? = properties[index].codec?.storage,
      !properties[index].isTransient, !properties[index].keepsLargeValues
    {
      return ObjectFetch.Order(
        .attribute(object, properties[index].name), isAscending: isAscending,
        collation: isLocalized ? TextOrder.collation : nil)
    }
    if isIdentifier(keyPath) {
      return ObjectFetch.Order(.primaryKey(object), isAscending: isAscending)
    }
    throw DataStoreError.preferInMemorySort
  }
}
