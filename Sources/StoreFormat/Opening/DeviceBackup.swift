import DurableFiles
import GRDB
import SystemPackage

/// A backup of an iOS device: a folder of files with digests as names, and `Manifest.db`, which says what each
/// file was on the device.
package struct DeviceBackup: Hashable, Sendable {
  /// A file of the device.
  package struct File: Hashable, Sendable {
    /// The path of the file in the backup.
    package let path: String
    /// The app or the part of the system that owned the file, such as `AppDomain-com.example.app`.
    package let domain: String
    /// The path on the device below the folder of the domain.
    package let relativePath: String
  }

  /// Whether a folder is a backup.
  package enum Kind: Hashable, Sendable {
    case none
    /// Its files and its manifest need the user's password.
    case encrypted
    case readable(DeviceBackup)
  }

  package let folder: String
  private var manifest: String { folder + "/Manifest.db" }

  init(folder: String) { self.folder = folder }

  /// Whether the folder has the list of a backup's files.
  var hasManifest: Bool { FileMove.entry(at: manifest) == .file }

  /// The path by which a file is read with all that belongs to it.
  package func path(of file: File) -> String {
    folder + ContainedPath.separator + file.domain + "/" + file.relativePath
  }

  /// Returns the path by which a file of a backup is read with its log, which has another name there; `nil` for a file
  /// that is not in a backup, or has no log in it.
  ///
  /// - Parameter path: The file, with links resolved.
  static func pathWithLog(ofFileAt path: String) -> String? {
    guard let (backup, store) = entry(ofFileAt: path), let log = try? backup.log(of: store),
      FilePath(log.path) != FilePath(path)
    else { return nil }
    return backup.path(of: store)
  }

  /// Returns the path by which a store is read to which a file of a backup belongs, such as its log; `nil` for any other
  /// file.
  ///
  /// - Parameters:
  ///   - path: The file, with links resolved.
  ///   - suffixes: What the name of such a file has after that of its store.
  static func owner(ofFileAt path: String, suffixes: [String]) -> String? {
    guard let (backup, file) = entry(ofFileAt: path) else { return nil }
    for suffix in suffixes
    where file.relativePath.utf8.reversed().starts(with: suffix.utf8.reversed()) {
      let name = String(file.relativePath.dropLast(suffix.count))
      if let store = try? backup.file(domain: file.domain, relativePath: name) {
        return backup.path(of: store)
      }
    }
    return nil
  }

  /// Returns the backup that a file is in, and its entry in the list; `nil` for a file that is in no backup.
  private static func entry(ofFileAt path: String) -> (backup: DeviceBackup, file: File)? {
    let file = FilePath(path)
    guard let name = file.lastComponent?.string, isName(name),
      file.folder.lastComponent?.string == String(name.prefix(2))
    else { return nil }
    let backup = DeviceBackup(folder: file.folder.folder.string)
    guard backup.hasManifest, case .readable? = try? kind(ofFolder: backup.folder),
      let entry = try? backup.file(named: name)
    else { return nil }
    return (backup, entry)
  }

  private func file(named name: String) throws -> File? {
    try read { database in
      let cursor = try StatementCursor(
        database, sql: "SELECT fileID, domain, relativePath FROM Files WHERE fileID = ?1")
      try cursor.bind([.text(name)])
      return try cursor.step() ? file(cursor) : nil
    }
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count == nameLength && text.utf8.allSatisfy { Hexadecimal.value($0) != nil }
  }

  /// The length of a file's name in the backup, a SHA-1 digest in hexadecimal digits.
  private static let nameLength = 40

  /// Looks at a folder.
  ///
  /// - Throws: ``StoreError`` where the manifest cannot be read.
  package static func kind(ofFolder folder: String) throws -> Kind {
    let backup = DeviceBackup(folder: folder)
    guard backup.hasManifest else { return .none }
    let location: StoreLocation
    do {
      location = try StoreLocation(path: backup.manifest)
      _ = try location.readHeader()
    } catch StoreError.notAStore {
      // The list of an encrypted backup is in clear text, its manifest is not.
      return FileMove.entry(at: folder + "/Manifest.plist") == .file ? .encrypted : .none
    }
    return try backup.read { database in
      let columns = try TableDeclaration.columns(of: "Files", in: database).map(\.name)
      return Set(columns).isSuperset(of: ["fileID", "domain", "relativePath", "flags"])
        ? .readable(backup) : .none
    }
  }

  /// Calls a closure with every file that is in the backup, in the order of domain and path.
  ///
  /// - Throws: ``StoreError``, and errors of the closure.
  package func forEachFile(_ body: (File) throws -> Void) throws {
    try read { database in
      let cursor = try StatementCursor(
        database,
        sql: """
          SELECT fileID, domain, relativePath FROM Files WHERE flags = 1
          ORDER BY domain || '/' || relativePath, fileID
          """)
      while try cursor.step() {
        if let file = file(cursor) { try body(file) }
      }
    }
  }

  /// Returns the log of a store that is not empty, or `nil` where there is none.
  package func log(of store: File) throws -> File? {
    guard let log = try file(domain: store.domain, relativePath: store.relativePath + "-wal")
    else { return nil }
    return try FileStatus(path: log.path)?.size ?? 0 > 0 ? log : nil
  }

  private func file(domain: String, relativePath: String) throws -> File? {
    try read { database in
      let cursor = try StatementCursor(
        database,
        sql:
          "SELECT fileID, domain, relativePath FROM Files WHERE domain = ?1 AND relativePath = ?2")
      try cursor.bind([.text(domain), .text(relativePath)])
      return try cursor.step() ? file(cursor) : nil
    }
  }

  private func file(_ cursor: StatementCursor) -> File? {
    guard case .text(let name) = cursor.value(at: 0), Self.isName(name),
      case .text(let domain) = cursor.value(at: 1),
      case .text(let relativePath) = cursor.value(at: 2)
    else { return nil }
    let path = "\(folder)/\(name.prefix(2))/\(name)"
    return FileMove.entry(at: path) == .file
      ? File(path: path, domain: domain, relativePath: relativePath) : nil
  }

  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let location = try StoreLocation(path: manifest)
    do {
      return try StoreConnection.open(
        location, mode: AccessMode.leavingNothing(beside: location), busyTimeout: 5
      ).read(body)
    } catch {
      throw StoreError.translating(error, location: location, busyTimeout: 5)
    }
  }
}
