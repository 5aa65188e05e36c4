import Foundation

/// Describes a store in the layout of SwiftData's own: a SQLite file, or one that is gone with its
/// container.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, DataStoreConfiguration {
  /// The store that is described.
  public typealias Store = DefaultStore

  /// The name of the configuration, which is that of the file where no other is given.
  public let name: String
  /// The file; of a store that is kept in memory `/dev/null`.
  public let url: URL
  /// Whether the store may be changed.
  public let allowsSave: Bool
  /// Whether the store is gone with its container.
  public let isStoredInMemoryOnly: Bool
  /// The models; nil for those of the container.
  public var schema: Schema?
  /// Where the store's folder was looked for.
  public let groupContainer: GroupContainer
  /// Where the store was to be mirrored; see ``CloudKitDatabase``.
  public let cloudKitDatabase: CloudKitDatabase
  /// Whether old and new values of what is updated are kept in a file beside the store, where the
  /// history tells them; see ``HistoryUpdate/changedValues``. SwiftData itself does not do that.
  ///
  /// Of a store in memory nothing is kept.
  public let recordsValues: Bool

  /// The file.
  public var id: URL { url }

  /// The name of a configuration that was not given one.
  public static let defaultName = "default"
  /// The longest name of a file, in bytes, on the usual file systems.
  private static let longestFileName = 255

  /// A store at the usual place.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store of some models and all that they lead to, at the usual place.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store at the usual place: a file of the configuration's name in the folder for application
  /// support.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for `default`.
  ///   - schema: The models; nil for those of the container.
  ///   - isStoredInMemoryOnly: Whether the store is gone with its container.
  ///   - allowsSave: Whether the store may be changed.
  ///   - groupContainer: Whose folder the store is in, where several programs share it.
  ///   - cloudKitDatabase: Where the store is to be mirrored; nothing is.
  ///   - recordsValues: Whether old and new values of what is updated are kept.
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

  /// A store in a file.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for that of the file without its extension.
  ///   - schema: The models; nil for those of the container.
  ///   - url: The file, which is created where it is not there.
  ///   - allowsSave: Whether the store may be changed.
  ///   - cloudKitDatabase: Where the store is to be mirrored; nothing is.
  ///   - recordsValues: Whether old and new values of what is updated are kept.
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

  /// Checks that the name can be that of a file.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameContainsInvalidCharacters``,
  ///   ``SwiftDataError/configurationFileNameTooLong``.
  public func validate() throws {
    guard !isStoredInMemoryOnly else { return }
    let file = url.lastPathComponent
    guard !name.contains("/"), !name.utf8.contains(0) else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "the configuration \(name) cannot name a file; leave out '/'")
    }
    guard file.utf8.count <= Self.longestFileName - "-journal".utf8.count else {
      throw SwiftDataError(
        .configurationFileNameTooLong, "\(file) is too long for a file; choose a shorter name")
    }
  }
}
