import GRDB
import PropertyLists

/// What a store says of itself in `Z_METADATA`.
package struct StoreMetadata: Hashable, Sendable {
  /// The store's identifier, an upper-case UUID; the one that tokens name.
  ///
  /// A copy of the file keeps it, so it names a store and its copies, not one lineage.
  package let storeIdentifier: String?
  /// The framework that wrote the store last.
  package let frameworkVersion: FrameworkVersion?
  /// The identifiers of the model's version, such as `1.0.0` for a SwiftData schema.
  package let modelVersionIdentifiers: [String]
  /// Keys that the app, not a framework, put there.
  package let applicationKeys: [String]
  /// Whether the property list was there and could be read.
  package let isComplete: Bool

  /// The longest identifier that is taken for one, in bytes; a UUID has 36.
  private static let longestIdentifier = 128

  /// The keys of the frameworks; any other is the app's.
  private static let frameworkKeys: Set<String> = [
    "NSStoreType", "NSStoreUUID", "NSPersistenceFrameworkVersion",
    "NSPersistenceMaximumFrameworkVersion", "NSStoreModelVersionHashes",
    "NSStoreModelVersionHashesVersion", "NSStoreModelVersionHashesDigest",
    "NSStoreModelVersionIdentifiers", "NSStoreModelVersionChecksumKey", "_NSAutoVacuumLevel",
    "migrationManagerClass", "_NSStoreAncillaryModelVersionHashesMetadataKey",
  ]

  /// Reads the one row of `Z_METADATA`; what is missing or unreadable there is nil or empty here.
  init(database: Database, layout: StoreLayout) throws {
    var identifier: String?
    var properties: [String: PropertyListValue] = [:]
    var isComplete = false
    if layout.tableNames.contains("Z_METADATA") {
      let cursor = try StatementCursor(
        database, sql: "SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      if try cursor.step() {
        if case .text(let text) = cursor.value(at: 0), !text.isEmpty,
          text.utf8.count <= Self.longestIdentifier
        {
          identifier = text
        }
        if case .blob(let bytes) = cursor.value(at: 1),
          case .dictionary(let dictionary)? = try? BinaryPropertyList(bytes).root
        {
          properties = dictionary
          isComplete = true
        }
      }
    }
    storeIdentifier = identifier
    self.isComplete = isComplete
    frameworkVersion = properties["NSPersistenceFrameworkVersion"]?.integer
      .map(FrameworkVersion.init(number:))
    modelVersionIdentifiers =
      properties["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string) ?? []
    applicationKeys = properties.keys.filter { !Self.frameworkKeys.contains($0) }.sorted()
  }
}

extension StoreMetadata {
  /// The store's identifier as it stands there, without all else; empty where there is none.
  package static func identifier(_ statement: StatementRunner) throws -> String {
    let rows = try statement.rows("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard case .text(let identifier)? = rows.first?.first else { return "" }
    return identifier
  }
}
