import Foundation
import StoreFormat

extension DefaultStore {
  /// The models that a request asks for.
  ///
  /// - Throws: ``SwiftDataError``, and ``DataStoreError`` where SQLite cannot choose or sort.
  public func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    let fetch = try objectFetch(request.descriptor)
    let found = try objects(fetch)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try snapshots(of: found))
  }

  /// How many models a request asks for.
  ///
  /// - Throws: ``SwiftDataError``, and ``DataStoreError`` where SQLite cannot choose.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    var descriptor = request.descriptor
    descriptor.sortBy = []
    let fetch = try objectFetch(descriptor)
    return try asking { try fetcher.count(fetch) }
  }

  /// The identifiers of the models that a request asks for.
  ///
  /// - Throws: ``SwiftDataError``, and ``DataStoreError`` where SQLite cannot choose or sort.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    let fetch = try objectFetch(request.descriptor)
    return try asking { try fetcher.identifiers(fetch) }.map(persistentIdentifier)
  }

  /// The same in little room.
  func identifierList<T>(_ request: DataStoreFetchRequest<T>) throws -> IdentifierList
  where T: PersistentModel {
    let fetch = try objectFetch(request.descriptor)
    return try IdentifierList(storeIdentifier: identifier) { body in
      try asking { try fetcher.forEachIdentifier(fetch, body) }
    }
  }

  /// The models that a to-many relationship leads to.
  func related(
    to identifier: PersistentIdentifier, by name: String
  ) throws -> [PersistentIdentifier] {
    let owner = try object(identifier)
    return try translating { try fetcher.related(to: owner, by: name) }.map(persistentIdentifier)
  }

  func objects(_ fetch: ObjectFetch) throws -> FetchedObjects {
    try asking { try fetcher.objects(fetch) }
  }

  /// A question that no statement can be written for is one for memory.
  private func asking<Result>(_ body: () throws -> Result) throws -> Result {
    try translating {
      do {
        return try body()
      } catch StoreWriteError.unsupportedFetch {
        throw DataStoreError.preferInMemoryFilter
      } catch StoreWriteError.unknownEntity(let name, _) {
        throw SwiftDataError.unknownModel(name)
      }
    }
  }

  /// A descriptor in terms of the store.
  private func objectFetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> ObjectFetch {
    let layout = EntityLayout.of(T.self)
    var fetch = ObjectFetch(layout.name)
    if let predicate = descriptor.predicate {
      fetch.condition = try PredicateTranslation.condition(
        predicate, layout: layout, storeIdentifier: identifier)
    }
    fetch.order = try descriptor.sortBy.map { try SortTranslation.order($0, layout: layout) }
    fetch.limit = descriptor.fetchLimit.map { max(0, $0) }
    fetch.offset = max(0, descriptor.fetchOffset ?? 0)
    return fetch
  }

  /// The snapshots of what was found, each of the object's own class.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` where the schema does not have an object's class.
  func snapshots(of found: FetchedObjects) throws -> [DefaultSnapshot] {
    var plans: [String: SnapshotPlan] = [:]
    return try found.objects.map { object in
      let plan: SnapshotPlan
      if let known = plans[object.entityName] {
        plan = known
      } else {
        guard let layout = schema.layouts[object.entityName] else {
          throw SwiftDataError.unknownModel(object.entityName)
        }
        plan = SnapshotPlan(found, layout: layout)
        plans[object.entityName] = plan
      }
      return DefaultSnapshot(
        PersistentIdentifier(
          entityName: object.entityName, storeIdentifier: identifier,
          key: .number(object.primaryKey)),
        layout: plan.layout,
        values: plan.values(of: object, identifier: persistentIdentifier))
    }
  }
}

/// Where the values of a layout's properties stand among those of a fetched object.
private struct SnapshotPlan {
  private enum Place {
    case nothing
    case attribute(Int)
    case elements([Int?])
    case reference(Int)
    case toMany
  }

  let layout: EntityLayout
  private let places: [Place]

  init(_ found: FetchedObjects, layout: EntityLayout) {
    self.layout = layout
    let attributes = Dictionary(
      found.attributes.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let references = Dictionary(
      found.references.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    places = layout.properties.enumerated().map { index, property in
      let entityName = layout.declaringLayout(of: index).name
      func own(_ path: String) -> FetchedObjects.Property {
        FetchedObjects.Property(entityName: entityName, path: path)
      }
      if let relationship = property.relationship {
        if relationship.isToMany { return .toMany }
        return references[own(property.name)].map(Place.reference) ?? .nothing
      }
      guard let codec = property.codec, !property.isTransient else { return .nothing }
      if case .composite = codec.storage {
        return .elements(codec.paths(of: property.name).map { attributes[own($0)] })
      }
      return attributes[own(property.name)].map(Place.attribute) ?? .nothing
    }
  }

  func values(
    of object: FetchedObjects.Object, identifier: (StoreObject) -> PersistentIdentifier
  ) -> [PropertyValue] {
    places.map { place in
      switch place {
      case .nothing: .null
      case .attribute(let index):
        object.values[index].isNull ? .null : .stored(object.values[index])
      case .elements(let indices):
        .elements(indices.map { index in index.map { object.values[$0] } ?? .null })
      case .reference(let index):
        .toOne(object.references[index].map { .identifier(identifier($0)) })
      case .toMany: .toManyFault(added: [], removed: [])
      }
    }
  }
}
