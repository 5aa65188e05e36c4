import Crypto
import PropertyLists
import StoreFormat

/// Digests of entities for a new store's metadata.
///
/// The frameworks compare version hashes of 32 bytes to find out whether a store fits an app's model.
/// How they compute them is not published, so these are our own. They differ if the model differs. An
/// app that finds other hashes than its own migrates the store before it uses it, which changes nothing.
enum ModelDigest {
  /// Returns 32 bytes for each entity, by name.
  static func hashes(of model: ManagedModel) -> [String: [UInt8]] {
    model.entities.mapValues { entity in
      var digest = Digest<SHA256>()
      digest.add(entity.name)
      digest.add(entity.superentityName ?? "")
      digest.add(entity.isAbstract ? 1 : 0)
      for property in entity.properties.sortedByName() where !property.isTransient {
        add(property, to: &digest)
      }
      return digest.bytes
    }
  }

  static func digest<Hash: HashFunction>(
    of hashes: [String: [UInt8]], by function: Hash.Type
  ) -> [UInt8] {
    var digest = Digest<Hash>()
    for (name, hash) in hashes.sorted(by: { ordinally($0.key, $1.key) }) {
      digest.add(name)
      digest.add(hash)
    }
    return digest.bytes
  }

  private static func add(_ property: ManagedProperty, to digest: inout Digest<SHA256>) {
    digest.add(property.name)
    switch property {
    case .attribute(let attribute): add(attribute, to: &digest)
    case .relationship(let relationship):
      digest.add(relationship.destinationName ?? "")
      digest.add(relationship.inverseName ?? "")
      digest.add((relationship.isToMany ? 2 : 0) | (relationship.isOrdered ? 1 : 0))
      if let modifier = relationship.versionHashModifier { digest.add(modifier) }
    case .other: digest.add(3)
    }
  }

  private static func add(_ attribute: ManagedAttribute, to digest: inout Digest<SHA256>) {
    digest.add(UInt64(bitPattern: attribute.type.number))
    digest.add(attribute.isOptional ? 1 : 0)
    if let modifier = attribute.versionHashModifier { digest.add(modifier) }
    for element in attribute.elements {
      digest.add(element.name)
      add(element, to: &digest)
    }
  }

  private struct Digest<Hash: HashFunction> {
    private var hash = Hash()

    mutating func add(_ text: String) {
      add(UInt64(text.utf8.count))
      add(Array(text.utf8))
    }

    mutating func add(_ number: UInt64) {
      add(withUnsafeBytes(of: number.littleEndian) { Array($0) })
    }

    mutating func add(_ bytes: [UInt8]) { hash.update(data: bytes) }

    var bytes: [UInt8] { Array(hash.finalize()) }
  }
}

extension StoreMetadata {
  /// Returns the property list of a new store, with the keys that the frameworks write.
  static func propertyList(model: ManagedModel) throws -> [UInt8] {
    var properties = versionProperties(of: model).properties
    properties["NSStoreType"] = .string("SQLite")
    properties["_NSAutoVacuumLevel"] = .string("2")
    // That of macOS 15 and iOS 18.
    properties["NSPersistenceFrameworkVersion"] = .integer(1414)
    return try BinaryPropertyListWriter.bytes(of: .dictionary(properties))
  }

  /// Returns the property list of a migrated store: the keys that identify the model are replaced.
  static func propertyList(
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
  static func versionProperties(
    of model: ManagedModel
  ) -> (properties: [String: PropertyListValue], digest: String) {
    let hashes = ModelDigest.hashes(of: model)
    let digest = base64(ModelDigest.digest(of: hashes, by: SHA512.self))
    return (
      [
        "NSStoreModelVersionHashesVersion": .integer(3),
        "NSStoreModelVersionHashes": .dictionary(hashes.mapValues(PropertyListValue.data)),
        "NSStoreModelVersionIdentifiers": .array(
          model.versionIdentifiers.map(PropertyListValue.string)),
        "NSStoreModelVersionHashesDigest": .string(digest),
        "NSStoreModelVersionChecksumKey": .string(
          base64(ModelDigest.digest(of: hashes, by: SHA256.self))),
      ], digest
    )
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    String(decoding: PropertyListBase64.encode(bytes), as: UTF8.self)
  }
}
