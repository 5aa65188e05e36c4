import StoreFormat
import StoreWriting

/// Makes snapshots of the rows of a fetch, each of the object's own class.
final class SnapshotMaker {
  /// Where the values of models come from, by the entity that is fetched and that of the model.
  typealias KnownSources = [String: (columns: FetchedColumns, sources: [String: Sources])]

  private let rows: FetchedRows
  private let properties: Set<EntityTables.Property>?
  private let store: DefaultStore
  private var sources: [String: Sources] = [:]
  private var last: Sources?

  /// - Parameter properties: The properties that are read, or `nil` for all.
  init(
    _ rows: FetchedRows, only properties: Set<EntityTables.Property>? = nil, of store: DefaultStore
  ) {
    self.rows = rows
    self.properties = properties
    self.store = store
    if properties == nil, let known = store.knownSources.withLock({ $0[rows.columns.entityName] }),
      known.columns === rows.columns
    {
      sources = known.sources
    }
  }

  /// Returns the snapshot of the present row.
  ///
  /// - Throws: ``SwiftDataError/unknownModel(_:)`` if the schema does not have its class.
  func snapshot() throws -> DefaultSnapshot {
    let sources = try sources(of: rows.entityName)
    let layout = sources.layout
    var isUsual = sources.isUsual
    // The values are decoded where the model keeps them.
    let values = [PropertyValue](unsafeUninitializedCapacity: sources.places.count) {
      buffer, count in
      for place in sources.places {
        switch place {
        case .same(let value): buffer.initializeElement(at: count, to: value)
        case .attribute(let place):
          let stored = rows.value(at: place)
          let value: PropertyValue = stored.isNull ? .null : .stored(stored)
          isUsual = isUsual && layout.isUsual(value, at: count)
          buffer.initializeElement(at: count, to: value)
        case .largeAttribute(let place):
          let (stored, file) = rows.largeValue(at: place)
          let value = file.map(PropertyValue.inFile) ?? (stored.isNull ? .null : .stored(stored))
          isUsual = isUsual && layout.isUsual(value, at: count)
          buffer.initializeElement(at: count, to: value)
        case .elements(let places):
          let elements = places.map { $0.map { rows.value(at: $0) } ?? .null }
          buffer.initializeElement(at: count, to: .elements(elements))
        case .target(let place):
          let target = rows.target(at: place).map(store.persistentIdentifier)
          buffer.initializeElement(at: count, to: .toOne(target.map(ModelReference.identifier)))
        }
        count += 1
      }
    }
    return DefaultSnapshot(
      PersistentIdentifier(sources.origin, .number(rows.primaryKey)), layout: layout,
      values: values, needsCheck: !isUsual)
  }

  /// Where the values of one class come from.
  final class Sources: @unchecked Sendable {
    let layout: EntityLayout
    let origin: PersistentIdentifier.Origin
    /// The place of each property's value.
    let places: [Place]
    /// Whether all values can be used without a check that are not in one column.
    let isUsual: Bool

    enum Place {
      case same(PropertyValue)
      case attribute(Int)
      case largeAttribute(Int)
      case elements([Int?])
      case target(Int)
    }

    init(_ layout: EntityLayout, _ origin: PersistentIdentifier.Origin, _ places: [Place]) {
      self.layout = layout
      self.origin = origin
      self.places = places
      isUsual = layout.storedPlaces.allSatisfy { index in
        switch places[index] {
        case .attribute, .largeAttribute, .same(.fault): true
        case .same(let value): layout.isUsual(value, at: index)
        case .elements, .target: false
        }
      }
    }
  }

  private func sources(of entityName: String) throws -> Sources {
    // Objects of one entity often follow each other.
    if let last, last.layout.name == entityName { return last }
    guard let layout = store.schema.layouts[entityName] else {
      throw SwiftDataError.unknownModel(entityName)
    }
    if let known = sources[entityName] {
      last = known
      return known
    }
    let made = makeSources(layout)
    sources[entityName] = made
    last = made
    if properties == nil {
      store.knownSources.withLock { [sources] in
        $0[rows.columns.entityName] = (rows.columns, sources)
      }
    }
    return made
  }

  private func makeSources(_ layout: EntityLayout) -> Sources {
    let attributes = Dictionary(keepingFirst: rows.columns.attributes.enumerated().map { ($1, $0) })
    let references = Dictionary(keepingFirst: rows.columns.references.enumerated().map { ($1, $0) })
    let places = layout.properties.enumerated().map { index, property -> Sources.Place in
      let entityName = layout.declaringLayout(of: index).name
      func own(_ path: String) -> EntityTables.Property {
        EntityTables.Property(entityName: entityName, path: path)
      }
      func isUnread(_ path: String) -> Bool {
        properties.map { !$0.contains(own(path)) } ?? false
      }
      let missing = Sources.Place.same(layout.emptyValue(at: index))
      if let relationship = property.relationship {
        if relationship.isToMany { return .same(.toManyFault(added: [], removed: [])) }
        if isUnread(property.name) { return .same(.fault) }
        return references[own(property.name)].map(Sources.Place.target) ?? missing
      }
      guard let codec = property.codec, !property.isTransient else { return missing }
      if let path = property.columnPaths.first, isUnread(path) { return .same(.fault) }
      if case .composite = codec.storage {
        return .elements(codec.paths(of: property.name).map { attributes[own($0)] })
      }
      return attributes[own(property.name)].map { place in
        rows.columns.largePlaces.contains(place) ? .largeAttribute(place) : .attribute(place)
      } ?? missing
    }
    return Sources(layout, store.origin(layout.name), places)
  }
}
