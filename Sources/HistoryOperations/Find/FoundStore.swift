import DurableFiles
import PersistentHistory
import PropertyLists
import StoreFormat
import SystemPackage

/// A store that a search has found.
package struct FoundStore: Sendable {
  /// The place of a store that is not a file of its own, or that had another name.
  package enum Origin: Hashable, Sendable {
    /// A member of an archive; the bytes are those of the archive's path where it is not UTF-8.
    case member(archive: String, name: String, bytes: [UInt8]?)
    /// A file whose path has these bytes and is not UTF-8, which no other command can open.
    case bytes([UInt8])
    /// A file of a device's backup.
    case backup(folder: String, domain: String, relativePath: String, file: String)
  }

  /// The known facts about the history.
  package struct History: Sendable {
    package let transactionCount: Int64
    package let oldest: TransactionPosition?
    package let newest: TransactionPosition?
  }

  /// The path by which other commands open the store; in an archive or a backup, the path of that, `!/` and the name.
  package let path: String
  package let origin: Origin?
  package let identifier: String?
  package let app: FoundApp?
  /// The name of the simulated device that the store is on.
  package let device: String?
  package let framework: StoreOrigin
  package let frameworkVersion: FrameworkVersion?
  package let modelVersions: [String]
  package let entityNames: [String]
  /// The history; `nil` in a store without history tables.
  package let history: History?
  /// The bytes of all pages, those in the log too.
  package let byteCount: Int64
  /// The bytes of the log.
  package let logByteCount: Int64
  package let isMirrored: Bool

  /// The path where it is not UTF-8.
  package var pathBytes: [UInt8]? {
    switch origin {
    case .bytes(let bytes): bytes
    case .member(_, let name, let bytes?):
      bytes + Array((ContainedPath.separator + name).utf8)
    default: nil
    }
  }

  /// The path in Base64 where it is not UTF-8.
  package var encodedPath: String? {
    pathBytes.map(Base64.text)
  }

  init(
    _ snapshot: StoreSnapshot, path: String, origin: Origin?, place: StorePlace, logByteCount: Int64
  ) throws {
    self.path = path
    self.origin = origin
    self.logByteCount = logByteCount
    identifier = snapshot.metadata.storeIdentifier
    framework = StoreOrigin(model: try snapshot.modelCache().model, metadata: snapshot.metadata)
    frameworkVersion = snapshot.metadata.frameworkVersion
    modelVersions = snapshot.metadata.modelVersionIdentifiers
    entityNames = snapshot.entities.modelEntries.map(\.name)
    byteCount = try snapshot.storeByteCount()
    isMirrored = !snapshot.layout.mirroringTables.isEmpty
    var savingApp: FoundApp?
    if snapshot.layout.history == nil {
      history = nil
    } else {
      history = History(
        transactionCount: try snapshot.transactionCount(),
        oldest: try snapshot.oldestTransaction(), newest: try snapshot.newestTransaction())
      savingApp = try snapshot.newestText(.bundle).map {
        FoundApp(identifier: $0.string, source: .history)
      }
    }
    // A group belongs to several apps; the one that saved last is more specific.
    app = place.app?.source == .group ? savingApp ?? place.app : place.app ?? savingApp
    device = place.device
  }
}

/// The app that a store belongs to.
package struct FoundApp: Hashable, Sendable {
  /// Where the identifier comes from.
  package enum Source: String, CaseIterable, Sendable {
    /// The app's container.
    case container
    /// The container that several apps share; the identifier is that of their group.
    case group
    /// The domain of a file in a backup.
    case backup
    /// The bundle of the newest transaction.
    case history
  }

  /// The bundle identifier, or the identifier of a group.
  package let identifier: String
  package let source: Source
}

/// The facts about stores that their folders reveal: the app of a container, the name of a simulated
/// device.
struct StorePlace: Sendable {
  var app: FoundApp?
  var device: String?

  /// The files of containers that name their app, of simulators and of macOS.
  private static let containerFiles = [
    ".com.apple.mobile_container_manager.metadata.plist",
    ".com.apple.containermanagerd.metadata.plist",
  ]
  /// The longest property list that is read, in bytes; real ones have some hundreds.
  private static let longestList = 1 << 20

  init() {}

  /// Reads the folders above a path.
  init(above path: String) {
    self.init()
    var folder = FilePath(FileStatus.resolvedPlace(path))
    var folders: [FilePath] = []
    while folder.removeLastComponent(), !folder.isEmpty { folders.append(folder) }
    for folder in folders.reversed() { self = entering(folder.string) }
  }

  /// Reads the domain of a file in a backup.
  init(ofBackupDomain domain: String) {
    self.init()
    let kinds: [(String, FoundApp.Source)] = [
      ("AppDomain-", .backup), ("AppDomainPlugin-", .backup), ("AppDomainGroup-", .group),
    ]
    for (prefix, source) in kinds where domain.hasPrefix(prefix) {
      app = FoundApp(identifier: String(domain.dropFirst(prefix.count)), source: source)
    }
  }

  /// Returns the facts about stores in a folder of this place.
  ///
  /// - Parameter names: The names in it; `nil` if they are unknown.
  func entering(_ folder: String, names: Set<String>? = nil) -> StorePlace {
    var place = self
    let parts = FilePath(folder).components.suffix(3).map(\.string)
    let isGroup =
      parts.dropLast().last == "Group Containers" || parts.dropLast().last == "AppGroup"
    let source: FoundApp.Source = isGroup ? .group : .container
    if parts.count == 3, parts[0] == "Library",
      parts[1] == "Containers" || parts[1] == "Group Containers"
    {
      place.app = FoundApp(identifier: parts[2], source: source)
    }
    func list(_ name: String) -> PropertyListValue? {
      guard names?.contains(name) ?? true else { return nil }
      return Self.propertyList(folder + "/" + name)
    }
    for file in Self.containerFiles {
      if let identifier = list(file)?.dictionary?["MCMMetadataIdentifier"]?.string,
        !identifier.isEmpty
      {
        place.app = FoundApp(identifier: identifier, source: source)
      }
    }
    if let name = list("device.plist")?.dictionary?["name"]?.string { place.device = name }
    return place
  }

  private static func propertyList(_ path: String) -> PropertyListValue? {
    guard let file = try? ReadableFile(FilePath(path), followsLink: false),
      let bytes = try? file.readPrefix(longestList)
    else { return nil }
    return try? PropertyListValue(propertyList: bytes)
  }
}

/// The usual places of apps' stores.
package enum AppFolders {
  /// Returns the folders below a home folder that exist: of macOS apps with and without a container, of
  /// groups, and of apps in simulators.
  package static func paths(inHome home: String) -> [String] {
    let library = home + "/Library"
    let devices = folders(in: library + "/Developer/CoreSimulator/Devices").map {
      $0 + "/data/Containers"
    }
    let places =
      [library + "/Application Support"]
      + folders(in: library + "/Containers").flatMap { container in
        ["Application Support", "Documents"].map {
          container + "/Data/" + ($0 == "Documents" ? $0 : "Library/" + $0)
        }
      } + folders(in: library + "/Group Containers")
      + devices.flatMap { [$0 + "/Data/Application", $0 + "/Shared/AppGroup"] }
    return places.filter { FileMove.entry(at: $0) == .folder }
  }

  private static func folders(in folder: String) -> [String] {
    FolderNames.read(folder).map { folder + "/" + $0 }
      .filter { FileMove.entry(at: $0) == .folder }
  }
}
