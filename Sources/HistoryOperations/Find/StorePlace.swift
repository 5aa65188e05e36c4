import DurableFiles
import PropertyLists
import StoreFormat
import SystemPackage

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
