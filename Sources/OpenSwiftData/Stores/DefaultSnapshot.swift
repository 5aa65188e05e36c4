import Foundation
import StoreFormat

/// The values of a model in a ``DefaultStore`` at one moment.
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
  /// The identifier of the model.
  public let persistentIdentifier: PersistentIdentifier
  let layout: EntityLayout
  var values: [PropertyValue]
  /// The changed properties; if it is empty, all count as changed.
  let changed: Set<Int>
  /// Whether a model could be unable to return one of the values.
  let needsCheck: Bool

  var changedPlaces: [Int] { changed.isEmpty ? Array(values.indices) : changed.sorted() }

  init(
    _ identifier: PersistentIdentifier, layout: EntityLayout, values: [PropertyValue],
    changed: Set<Int> = [], needsCheck: Bool = true
  ) {
    persistentIdentifier = identifier
    self.layout = layout
    self.values = values
    self.changed = changed
    self.needsCheck = needsCheck
  }

  /// Creates a snapshot of a model.
  ///
  /// - Parameters:
  ///   - backingData: The values of the model.
  ///   - relatedBackingDatas: Not used.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    let state = ModelState.of(backingData)
    self.init(state)
  }

  init(_ state: ModelState) {
    self.init(
      state.identifier, layout: state.layout, values: state.values, changed: state.changed)
  }

  /// Returns a copy with another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the copy.
  ///   - remappedIdentifiers: New identifiers of related models, by old ones.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier, layout: layout,
      values: remappedIdentifiers.map { map in values.map { $0.remapped(map) } } ?? values,
      changed: changed)
  }

  // MARK: - Coding

  /// Decodes the parts that ``encode(to:)`` writes.
  ///
  /// If several classes have the entity's name, as in versions of a schema, the class is that of
  /// the open store that the identifier names.
  ///
  /// - Throws: `DecodingError`, also if no schema has the entity.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(
      PersistentIdentifier.self, forKey: .persistentIdentifier)
    let names = container.allKeys.compactMap { key -> String? in
      if case .modeledProperty(let name) = key { name } else { nil }
    }
    let layout = EntityLayout.named(
      identifier.entityName, inStore: identifier.storeIdentifier, having: names)
    guard let layout else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "no schema has a model \(identifier.entityName)")
    }
    var values = layout.blankValues
    for (index, property) in layout.properties.enumerated() {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key), try !container.decodeNil(forKey: key) else {
        values[index] = layout.emptyValue(at: index)
        continue
      }
      if let relationship = property.relationship {
        values[index] =
          relationship.isToMany
          ? .toMany(
            try container.decode([PersistentIdentifier].self, forKey: key)
              .map(ModelReference.identifier))
          : .toOne(.identifier(try container.decode(PersistentIdentifier.self, forKey: key)))
      } else if property.codec?.transformed != nil {
        values[index] = .stored(.blob(Array(try container.decode(Data.self, forKey: key))))
      } else if let codec = property.codec {
        values[index] = .value(try container.decode(codec.type, forKey: key))
      }
    }
    self.init(identifier, layout: layout, values: values)
  }

  /// Encodes the identifier and the value of every property under the property's name.
  ///
  /// - Throws: The errors of the encoder, also for a value in a file that cannot be read.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (index, property) in layout.properties.enumerated() {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      if let transformed = property.codec?.transformed {
        // The values themselves need not be encodable.
        switch values[index] {
        case .value(let value): try container.encode(transformed.data(of: value), forKey: key)
        case .stored(.blob(let bytes)): try container.encode(Data(bytes), forKey: key)
        default: break
        }
        continue
      }
      switch values[index] {
      case .fault, .null, .toManyFault: break
      case .toOne(let reference):
        if let reference { try container.encode(reference.identifier, forKey: key) }
      case .toMany(let references):
        try container.encode(references.map(\.identifier), forKey: key)
      case .value, .stored, .elements:
        try container.encode(any: property.plainValue(values[index]), forKey: key)
      case .inFile(let file):
        try container.encode(any: property.codec?.value(of: .blob(try file.read())), forKey: key)
      }
    }
  }
}

extension KeyedEncodingContainer {
  fileprivate mutating func encode(any value: Any?, forKey key: Key) throws {
    if let value = value as? any Encodable { try encode(value, forKey: key) }
  }
}

extension DefaultSnapshot {
  /// Returns the stored values of the attributes at the given indices, by name.
  func storedAttributes(at indices: some Collection<Int>) throws -> [String: StoredValue] {
    var stored: [String: StoredValue] = [:]
    stored.reserveCapacity(indices.count)
    for index in indices {
      let name = layout.properties[index].name
      if layout.properties[index].isTransient { continue }
      // A whole property is copied only where it is needed: that takes longer than a plain value.
      switch values[index] {
      case .stored(let value): stored[name] = value
      case .inFile(let file): stored[name] = .blob(try file.read())
      case .value(let value):
        let property = layout.properties[index]
        guard let codec = property.codec else { continue }
        let values = try codec.stored(value, name: "\(layout.name).\(name)")
        for (path, value) in zip(property.columnPaths, values) { stored[path] = value }
      case .elements(let values):
        for (path, value) in zip(layout.properties[index].columnPaths, values) {
          stored[path] = value
        }
      case .null:
        for path in layout.properties[index].columnPaths { stored[path] = .null }
      case .fault, .toOne, .toMany, .toManyFault: break
      }
    }
    return stored
  }
}

extension DataStoreSnapshot {
  /// The snapshot if it is one of a ``DefaultStore``, without a dynamic cast, which takes longer than
  /// everything else about reading most values.
  var asDefault: DefaultSnapshot? {
    Self.self == DefaultSnapshot.self ? unsafeBitCast(self, to: DefaultSnapshot.self) : nil
  }
}
