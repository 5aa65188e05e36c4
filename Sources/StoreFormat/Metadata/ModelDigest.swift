import DurableFiles
import PropertyLists

/// Digests of entities for a new store's metadata.
///
/// The frameworks compare version hashes of 32 bytes to find out whether a store fits an app's model.
/// How they compute them is not published, so these are our own. They differ if the model differs. An
/// app that finds other hashes than its own migrates the store before it uses it, which changes nothing.
enum ModelDigest {
  /// Returns 32 bytes for each entity, by name.
  static func hashes(of model: ManagedModel) -> [String: [UInt8]] {
    model.entities.mapValues { entity in
      var content = Content()
      content.add(entity.name)
      content.add(entity.superentityName ?? "")
      content.add(entity.isAbstract ? 1 : 0)
      for property in entity.properties.sortedByName() where !property.isTransient {
        add(property, to: &content)
      }
      return SHA256Hasher.digest(of: content.bytes)
    }
  }

  /// Returns the bytes that the digests of a whole model are made of.
  static func content(of hashes: [String: [UInt8]]) -> [UInt8] {
    var content = Content()
    for (name, hash) in hashes.sorted(by: { ordinally($0.key, $1.key) }) {
      content.add(name)
      content.add(hash)
    }
    return content.bytes
  }

  private static func add(_ property: ManagedProperty, to content: inout Content) {
    content.add(property.name)
    switch property {
    case .attribute(let attribute): add(attribute, to: &content)
    case .relationship(let relationship):
      content.add(relationship.destinationName ?? "")
      content.add(relationship.inverseName ?? "")
      content.add((relationship.isToMany ? 2 : 0) | (relationship.isOrdered ? 1 : 0))
      if let modifier = relationship.versionHashModifier { content.add(modifier) }
    case .other: content.add(3)
    }
  }

  private static func add(_ attribute: ManagedAttribute, to content: inout Content) {
    content.add(UInt64(bitPattern: attribute.type.number))
    content.add(attribute.isOptional ? 1 : 0)
    if let modifier = attribute.versionHashModifier { content.add(modifier) }
    for element in attribute.elements {
      content.add(element.name)
      add(element, to: &content)
    }
  }

  private struct Content {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ text: String) {
      add(UInt64(text.utf8.count))
      add(Array(text.utf8))
    }

    mutating func add(_ number: UInt64) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func add(_ bytes: [UInt8]) { self.bytes += bytes }
  }
}

extension StoreMetadata {
  /// Returns the property list of a new store, with the keys that the frameworks write.
  package static func propertyList(model: ManagedModel) throws -> [UInt8] {
    var properties = versionProperties(of: model).properties
    properties["NSStoreType"] = .string("SQLite")
    properties["_NSAutoVacuumLevel"] = .string("2")
    // That of macOS 15 and iOS 18.
    properties["NSPersistenceFrameworkVersion"] = .integer(1414)
    return try BinaryPropertyListWriter.bytes(of: .dictionary(properties))
  }

  /// Returns the property list of a migrated store: the keys that identify the model are replaced.
  package static func propertyList(
    _ bytes: [UInt8], migratedTo model: ManagedModel
  ) throws -> (bytes: [UInt8], digest: String) {
    guard case .dictionary(var properties) = try BinaryPropertyList(bytes).root else {
      throw PropertyListError.damaged("no dictionary", expected: "a dictionary", offset: 0)
    }
    let version = versionProperties(of: model)
    for (key, value) in version.properties { properties[key] = value }
    // The value that the frameworks write if they migrate a store in place.
    properties["migrationManagerClass"] = .string("NSSQLiteInPlaceMigrationManager")
    return (try BinaryPropertyListWriter.bytes(of: .dictionary(properties)), version.digest)
  }

  /// Returns the keys that identify the version of a model, and the digest among them.
  package static func versionProperties(
    of model: ManagedModel
  ) -> (properties: [String: PropertyListValue], digest: String) {
    let hashes = ModelDigest.hashes(of: model)
    let content = ModelDigest.content(of: hashes)
    let digest = Base64.text(of: sha512(of: content))
    return (
      [
        "NSStoreModelVersionHashesVersion": .integer(3),
        "NSStoreModelVersionHashes": .dictionary(hashes.mapValues(PropertyListValue.data)),
        "NSStoreModelVersionIdentifiers": .array(
          model.versionIdentifiers.map(PropertyListValue.string)),
        "NSStoreModelVersionHashesDigest": .string(digest),
        "NSStoreModelVersionChecksumKey": .string(
          Base64.text(of: SHA256Hasher.digest(of: content))),
      ], digest
    )
  }
}
