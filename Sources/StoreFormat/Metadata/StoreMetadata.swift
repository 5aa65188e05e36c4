import GRDB
import PropertyLists

/// The metadata of a store, from `Z_METADATA`.
package struct StoreMetadata: Hashable, Sendable {
  /// The store's identifier, an upper-case UUID; the one that tokens name.
  ///
  /// A copy of the file keeps it, so it names a store and its copies, not one lineage.
  package let storeIdentifier: String?
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
  package static let frameworkKeys: Set<String> = [
    "NSStoreType", "NSStoreUUID", "NSPersistenceFrameworkVersion",
    "NSPersistenceMaximumFrameworkVersion", "NSStoreModelVersionHashes",
    "NSStoreModelVersionHashesVersion", "NSStoreModelVersionHashesDigest",
    "NSStoreModelVersionIdentifiers", "NSStoreModelVersionChecksumKey", "_NSAutoVacuumLevel",
    "migrationManagerClass", "_NSStoreAncillaryModelVersionHashesMetadataKey",
  ]

  /// Reads the row of `Z_METADATA`; missing and unreadable values become `nil` or empty.
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
        let list = cursor.value(at: 1)
        // It may be large, and is decoded from a copy.
        cursor.reset()
        if case .blob(let bytes) = list,
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
  /// Returns only the store's identifier, as stored; empty if there is none.
  package static func identifier(_ statement: StatementRunner) throws -> String {
    let rows = try statement.rows("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard case .text(let identifier)? = rows.first?.first else { return "" }
    return identifier
  }
}

/// The version of Core Data that last wrote a store, and the systems that it came with.
package struct FrameworkVersion: Hashable, Comparable, Sendable {
  /// `NSPersistenceFrameworkVersion`.
  package let number: Int64

  init(number: Int64) { self.number = number }

  /// The first version seen with each system, ascending.
  ///
  /// Read off stores whose system is known; a version in between belongs to an update of the
  /// system before it.
  private static let systems: [(first: Int64, name: String)] = [
    (519, "iOS 8"), (851, "macOS 10.13 / iOS 11"), (866, "macOS 10.14 / iOS 12"),
    (973, "macOS 10.15 / iOS 13"), (977, "macOS 10.15.4 / iOS 13.4"), (1044, "macOS 11 / iOS 14"),
    (1138, "macOS 12 / iOS 15"), (1239, "macOS 13 / iOS 16"), (1251, "macOS 13.5 / iOS 16.6"),
    (1321, "macOS 14 / iOS 17"), (1344, "macOS 14.4 / iOS 17.4"), (1347, "macOS 14.6 / iOS 17.6"),
    (1405, "macOS 15 / iOS 18"), (1447, "macOS 15.4 / iOS 18.4"), (1448, "macOS 15.7 / iOS 18.7"),
    (1509, "macOS 26 / iOS 26"), (1522, "macOS 26.1 / iOS 26.1"), (1621, "macOS 27 / iOS 27"),
  ]

  /// The systems that this version came with, as far as known, or `nil` for one older than all known.
  package var system: String? {
    FrameworkVersion.systems.last { $0.first <= number }?.name
  }

  package static func < (left: FrameworkVersion, right: FrameworkVersion) -> Bool {
    left.number < right.number
  }
}

/// The framework that probably wrote a store.
///
/// SwiftData writes Core Data stores, and nothing in the file says so for certain; this judges by the model.
package enum StoreOrigin: Hashable, Sendable {
  /// SwiftData: the model has attributes that only Swift types can have.
  case swiftData
  /// Perhaps SwiftData: the model has a version of three numbers, as every SwiftData schema does.
  case perhapsSwiftData
  /// Core Data, as far as can be seen.
  case coreData

  /// The name of the origin.
  package var name: String {
    switch self {
    case .swiftData: "SwiftData"
    case .perhapsSwiftData: "Core Data or SwiftData"
    case .coreData: "Core Data"
    }
  }

  package init(model: ManagedModel?, metadata: StoreMetadata) {
    let attributes = model?.entities.values.lazy.flatMap(\.attributes)
    if attributes?.contains(where: StoreOrigin.isSwiftOnly) ?? false {
      self = .swiftData
    } else if metadata.modelVersionIdentifiers.contains(where: StoreOrigin.isThreeNumbers) {
      self = .perhapsSwiftData
    } else {
      self = .coreData
    }
  }

  /// A composite attribute, or a class name that is a Swift type's, such as `Array<String>`.
  private static func isSwiftOnly(_ attribute: ManagedAttribute) -> Bool {
    attribute.type == .composite || attribute.valueClassName?.contains("<") ?? false
  }

  private static func isThreeNumbers(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
  }
}

/// Makes the identifiers of new stores.
package enum StoreIdentifier {
  /// A random UUID (version 4) in upper case.
  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// A UUID (version 4) in upper case, made of a generator's numbers.
  package static func random(using generator: inout some RandomNumberGenerator) -> String {
    var bytes: [UInt8] = (0..<2).flatMap { _ in
      withUnsafeBytes(of: generator.next()) { Array($0) }
    }
    markRandom(&bytes)
    return UUIDText.text(of: bytes)
  }

  /// Marks 16 bytes as those of a UUID of version 4, whose other bits are random.
  package static func markRandom(_ bytes: inout [UInt8]) {
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
  }
}
