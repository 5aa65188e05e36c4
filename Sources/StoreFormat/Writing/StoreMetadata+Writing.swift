extension StoreMetadata {
  /// The property list of a new store, with the keys that the frameworks write.
  static func propertyList(
    model: ManagedModel, frameworkVersion: FrameworkVersion
  ) throws -> [UInt8] {
    let hashes = ModelDigest.hashes(of: model)
    var properties: [String: PropertyListValue] = [
      "NSStoreType": .string("SQLite"),
      "_NSAutoVacuumLevel": .string("2"),
      "NSPersistenceFrameworkVersion": .integer(frameworkVersion.number),
      "NSStoreModelVersionHashesVersion": .integer(3),
      "NSStoreModelVersionHashes": .dictionary(hashes.mapValues(PropertyListValue.data)),
      "NSStoreModelVersionIdentifiers": .array(
        model.versionIdentifiers.map(PropertyListValue.string)),
      "NSStoreModelVersionHashesDigest": .string(
        base64(ModelDigest.digest(of: hashes, count: 64, seed: 1))),
      "NSStoreModelVersionChecksumKey": .string(
        base64(ModelDigest.digest(of: hashes, count: 32, seed: 2))),
    ]
    if frameworkVersion >= firstWithMaximum {
      properties["NSPersistenceMaximumFrameworkVersion"] = .integer(frameworkVersion.number)
    }
    return try BinaryPropertyListWriter.bytes(of: .dictionary(properties))
  }

  /// The first framework that remembers the highest version that ever wrote the store.
  private static let firstWithMaximum = FrameworkVersion(number: 1522)

  private static func base64(_ bytes: [UInt8]) -> String {
    String(decoding: PropertyListBase64.encode(bytes), as: UTF8.self)
  }
}
