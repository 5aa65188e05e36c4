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
      fetchedSnapshots: try snapshots(objectFetch(request.descriptor)))
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
    let found = try asking {
      try fetcher.related(toAll: numbers.compactMap { $0 }, of: layout.name, by: name)
    }
    var lists: [PersistentIdentifier: [PersistentIdentifier]] = [:]
    for (owner, number) in zip(owners, numbers) {
      let objects = number.flatMap { found.lists[$0] } ?? []
      lists[owner] = objects.map(persistentIdentifier)
    }
    return (lists, try found.objects.objects.map(snapshotMaker(found.objects)))
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
    var snapshots: [DefaultSnapshot] = []
    try asking {
      try fetcher.forEachObject(fetch) { found in
        snapshots = []
        let snapshot = snapshotMaker(found, only: fetch.properties)
        return { snapshots.append(try snapshot($0)) }
      }
    }
    return snapshots
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

  /// Returns a function that makes snapshots of fetched objects, each of the object's own class.
  ///
  /// The function throws ``SwiftDataError/unknownModel(_:)`` if the schema does not have the class.
  ///
  /// - Parameter properties: The properties that were read, or `nil` for all.
  private func snapshotMaker(
    _ found: FetchedObjects, only properties: Set<EntityTables.Property>? = nil
  ) -> (FetchedObjects.Object) throws -> DefaultSnapshot {
    var plans: [String: SnapshotPlan] = [:]
    var last: SnapshotPlan?
    return { [self] object in
      // Objects of one entity often follow each other.
      if let last, last.layout.name == object.entityName { return last.snapshot(of: object) }
      guard let layout = schema.layouts[object.entityName] else {
        throw SwiftDataError.unknownModel(object.entityName)
      }
      let plan =
        plans[object.entityName]
        ?? SnapshotPlan(found, layout: layout, only: properties, of: self)
      plans[object.entityName] = plan
      last = plan
      return plan.snapshot(of: object)
    }
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

/// The places of a model's properties among the values of a fetched object.
private final class SnapshotPlan {
  private enum Place {
    case elements([Int?])
    case reference(Int)
  }

  let layout: EntityLayout
  private let store: DefaultStore
  private let origin: PersistentIdentifier.Origin
  /// The values of an object of which nothing was read.
  private let blank: [PropertyValue]
  private let attributes: [(property: Int, place: Int)]
  private let others: [(property: Int, place: Place)]

  init(
    _ found: FetchedObjects, layout: EntityLayout, only properties: Set<EntityTables.Property>?,
    of store: DefaultStore
  ) {
    self.layout = layout
    self.store = store
    origin = store.origin(layout.name)
    let attributePlaces = Dictionary(keepingFirst: found.attributes.enumerated().map { ($1, $0) })
    let references = Dictionary(keepingFirst: found.references.enumerated().map { ($1, $0) })
    var blank = layout.properties.indices.map { layout.emptyValue(at: $0) }
    var attributes: [(Int, Int)] = []
    var others: [(Int, Place)] = []
    for (index, property) in layout.properties.enumerated() {
      let entityName = layout.declaringLayout(of: index).name
      func own(_ path: String) -> EntityTables.Property {
        EntityTables.Property(entityName: entityName, path: path)
      }
      func isUnread(_ path: String) -> Bool {
        properties.map { !$0.contains(own(path)) } ?? false
      }
      if let relationship = property.relationship {
        if relationship.isToMany {
          blank[index] = .toManyFault(added: [], removed: [])
        } else if isUnread(property.name) {
          blank[index] = .fault
        } else if let place = references[own(property.name)] {
          others.append((index, .reference(place)))
        }
        continue
      }
      guard let codec = property.codec, !property.isTransient else { continue }
      if let path = property.columnPaths.first, isUnread(path) {
        blank[index] = .fault
      } else if case .composite = codec.storage {
        let places = codec.paths(of: property.name).map { attributePlaces[own($0)] }
        others.append((index, .elements(places)))
      } else if let place = attributePlaces[own(property.name)] {
        blank[index] = .null
        attributes.append((index, place))
      }
    }
    self.blank = blank
    self.attributes = attributes
    self.others = others
  }

  func snapshot(of object: FetchedObjects.Object) -> DefaultSnapshot {
    var values = blank
    for (property, place) in attributes where !object.values[place].isNull {
      values[property] = .stored(object.values[place])
    }
    if !object.files.isEmpty {
      for (property, place) in attributes {
        if let file = object.files[place] { values[property] = .inFile(file) }
      }
    }
    for (property, place) in others {
      switch place {
      case .elements(let places):
        values[property] = .elements(places.map { $0.map { object.values[$0] } ?? .null })
      case .reference(let place):
        values[property] = .toOne(
          object.references[place].map { .identifier(store.persistentIdentifier($0)) })
      }
    }
    return DefaultSnapshot(
      PersistentIdentifier(origin, .number(object.primaryKey)), layout: layout, values: values)
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
