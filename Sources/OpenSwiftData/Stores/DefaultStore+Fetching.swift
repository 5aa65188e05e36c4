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
    let layout = EntityLayout.of(T.self)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: snapshots(of: found, layout: layout))
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

  /// The snapshots of what was found.
  func snapshots(of found: FetchedObjects, layout: EntityLayout) -> [DefaultSnapshot] {
    let plan = SnapshotPlan(found, layout: layout)
    return found.objects.map { object in
      DefaultSnapshot(
        PersistentIdentifier(
          entityName: object.entityName, storeIdentifier: identifier,
          key: .number(object.primaryKey)),
        layout: layout,
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

  private let places: [Place]

  init(_ found: FetchedObjects, layout: EntityLayout) {
    let attributes = Dictionary(
      found.attributes.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let references = Dictionary(
      found.references.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    places = layout.properties.map { property in
      if let relationship = property.relationship {
        if relationship.isToMany { return .toMany }
        return references[property.name].map(Place.reference) ?? .nothing
      }
      guard let codec = property.codec, !property.isTransient else { return .nothing }
      if case .composite = codec.storage {
        return .elements(codec.paths(of: property.name).map { attributes[$0] })
      }
      return attributes[property.name].map(Place.attribute) ?? .nothing
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
