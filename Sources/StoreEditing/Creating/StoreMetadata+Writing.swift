import PropertyLists
import StoreFormat

extension StoreMetadata {
  /// The property list of a new store, with the keys that the frameworks write.
  static func propertyList(
    model: ManagedModel, frameworkVersion: FrameworkVersion
  ) throws -> [UInt8] {
    var properties = versionProperties(of: model).properties
    properties["NSStoreType"] = .string("SQLite")
    properties["_NSAutoVacuumLevel"] = .string("2")
    properties["NSPersistenceFrameworkVersion"] = .integer(frameworkVersion.number)
    if frameworkVersion >= firstWithMaximum {
      properties["NSPersistenceMaximumFrameworkVersion"] = .integer(frameworkVersion.number)
    }
    return try BinaryPropertyListWriter.bytes(of: .dictionary(properties))
  }

  /// The keys by which the version of a model is told, and the digest among them.
  static func versionProperties(
    of model: ManagedModel
  ) -> (properties: [String: PropertyListValue], digest: String) {
    let hashes = ModelDigest.hashes(of: model)
    let digest = base64(ModelDigest.digest(of: hashes, count: 64, seed: 1))
    return (
      [
        "NSStoreModelVersionHashesVersion": .integer(3),
        "NSStoreModelVersionHashes": .dictionary(hashes.mapValues(PropertyListValue.data)),
        "NSStoreModelVersionIdentifiers": .array(
          model.versionIdentifiers.map(PropertyListValue.string)),
        "NSStoreModelVersionHashesDigest": .string(digest),
        "NSStoreModelVersionChecksumKey": .string(
          base64(ModelDigest.digest(of: hashes, count: 32, seed: 2))),
      ], digest
    )
  }

  /// The first framework that remembers the highest version that ever wrote the store.
  private static let firstWithMaximum = FrameworkVersion(number: 1522)

  private static func base64(_ bytes: [UInt8]) -> String {
    String(decoding: PropertyListBase64.encode(bytes), as: UTF8.self)
  }
}
