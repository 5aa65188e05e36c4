import Foundation

/// The description of a ``DefaultStore``: a SQLite file, or a store that exists as long as its
/// container.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, DataStoreConfiguration {
  /// The type of the store.
  public typealias Store = DefaultStore

  /// The name of the configuration; by default, the name of the file.
  public let name: String
  /// The file of the store; `/dev/null` for a store in memory.
  public let url: URL
  /// Whether the store may be changed.
  public let allowsSave: Bool
  /// Whether the store exists only as long as its container.
  public let isStoredInMemoryOnly: Bool
  /// The models of the store, or `nil` for those of the container.
  public var schema: Schema?
  /// The group in whose folder the store is.
  public let groupContainer: GroupContainer
  /// The CloudKit database that the store was configured with; see ``CloudKitDatabase``.
  public let cloudKitDatabase: CloudKitDatabase
  /// Whether to record old and new values of updates in a file beside the store (not in SwiftData).
  ///
  /// The history returns them as ``HistoryUpdate/changedValues``. A store in memory records none.
  public let recordsValues: Bool

  /// The file of the store.
  public var id: URL { url }

  /// The name of a configuration without a name.
  public static let defaultName = "default"
  private static let longestFileName = 255

  /// Creates a configuration for a store in the default folder.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for a store of models, and those they are related to, in the default
  /// folder.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates a configuration for a store in the folder for application support, in a file with the
  /// name of the configuration.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration, or `nil` for `default`.
  ///   - schema: The models of the store, or `nil` for those of the container.
  ///   - isStoredInMemoryOnly: Whether the store exists only as long as its container.
  ///   - allowsSave: Whether the store may be changed.
  ///   - groupContainer: The group in whose folder the store is, for several programs that share
  ///     it.
  ///   - cloudKitDatabase: Kept, and not used.
  ///   - recordsValues: Whether to record old and new values of updates.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true, groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic, recordsValues: Bool = false
  ) {
    self.recordsValues = recordsValues
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    self.name = name ?? Self.defaultName
    self.schema = schema
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    if isStoredInMemoryOnly {
      url = URL(fileURLWithPath: "/dev/null")
    } else {
      let folder =
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
      url = groupContainer.folder(in: folder).appendingPathComponent(self.name + ".store")
    }
  }

  /// Creates a configuration for a store in a file.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration, or `nil` for the name of the file without extension.
  ///   - schema: The models of the store, or `nil` for those of the container.
  ///   - url: The file, which is created if it does not exist.
  ///   - allowsSave: Whether the store may be changed.
  ///   - cloudKitDatabase: Kept, and not used.
  ///   - recordsValues: Whether to record old and new values of updates.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic, recordsValues: Bool = false
  ) {
    self.recordsValues = recordsValues
    groupContainer = .automatic
    self.cloudKitDatabase = cloudKitDatabase
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    isStoredInMemoryOnly = false
  }

  /// Throws an error unless the name can be that of a file.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameContainsInvalidCharacters``,
  ///   ``SwiftDataError/configurationFileNameTooLong``.
  public func validate() throws {
    guard !isStoredInMemoryOnly else { return }
    let file = url.lastPathComponent
    guard !name.contains("/"), !name.utf8.contains(0) else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "the configuration \(name) cannot name a file; remove '/'")
    }
    guard file.utf8.count <= Self.longestFileName - "-journal".utf8.count else {
      throw SwiftDataError(
        .configurationFileNameTooLong, "\(file) is too long for a file; choose a shorter name")
    }
  }
}

extension ModelConfiguration {
  /// The group in whose folder a store is, if it is in the default folder.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?

    /// No group, because there are no entitlements here that could name one.
    public static let automatic = GroupContainer(identifier: nil)
    /// No group.
    public static let none = GroupContainer(identifier: nil)

    /// Returns a group: a folder of this name in the default folder, where all programs of a user
    /// that name the group find the store.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(identifier: groupName)
    }

    func folder(in parent: URL) -> URL {
      guard let identifier else { return parent }
      // The name must not lead to another folder.
      let name = [".", ".."].contains(identifier) ? "-" : identifier.replacing("/", with: "-")
      return parent.appendingPathComponent(name, isDirectory: true)
    }
  }

  /// The CloudKit database that Apple's frameworks mirror a store to.
  ///
  /// Nothing is mirrored outside Apple's systems; the value is kept so that an app's code need not
  /// change.
  public struct CloudKitDatabase: Hashable, Sendable {
    let identifier: String?

    /// No database, because there are no entitlements here that could name one.
    public static let automatic = CloudKitDatabase(identifier: nil)
    /// No database.
    public static let none = CloudKitDatabase(identifier: nil)

    /// Returns the private database of a container, to which nothing is mirrored.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(identifier: privateDBName)
    }
  }

  /// The group in whose folder the store is, or `nil`.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }
  /// The container that Apple's frameworks would mirror the store to, or `nil`.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }
}
