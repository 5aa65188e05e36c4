import PropertyLists
import StoreFormat

extension StoreMetadata {
  /// The property list of a store that was brought to another model: what names the model is new, and
  /// all else stays.
  static func propertyList(
    _ bytes: [UInt8], migratedTo model: ManagedModel
  ) throws -> (bytes: [UInt8], digest: String) {
    guard case .dictionary(var properties) = try BinaryPropertyList(bytes).root else {
      throw PropertyListError.damaged("no dictionary", expected: "a dictionary", offset: 0)
    }
    let version = versionProperties(of: model)
    for (key, value) in version.properties { properties[key] = value }
    // As the frameworks note it where they have changed a store in its place.
    properties["migrationManagerClass"] = .string("NSSQLiteInPlaceMigrationManager")
    return (try BinaryPropertyListWriter.bytes(of: .dictionary(properties)), version.digest)
  }
}
