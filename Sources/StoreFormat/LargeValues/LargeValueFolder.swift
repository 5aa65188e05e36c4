import DurableFiles
import Libc
import SystemPackage

/// The folder with the large values of a store, `.NAME_SUPPORT/_EXTERNAL_DATA`.
///
/// It is opened step by step without following links, and only regular files are opened in it, by names that
/// are UUIDs: nothing else is read or written, whatever a store's columns contain.
package struct LargeValueFolder: Hashable, Sendable {
  /// The longest value that is read or written, in bytes.
  package static let longestValue = 1 << 30
  private static let valuesName = "_EXTERNAL_DATA"

  let storeFolder: String
  /// The name of the folder beside the store.
  let supportName: String
  private let location: StoreLocation

  package init(_ location: StoreLocation) {
    self.location = location
    storeFolder = location.folder
    supportName =
      FilePath(ExternalData(besideStoreAt: location.resolvedPath).path).lastComponent?.string ?? ""
  }

  var storePath: String { location.path }

  var path: String { storeFolder + "/" + supportName + "/" + Self.valuesName }

  package func path(of name: LargeValueName) -> String { path + "/" + name.text }

  // MARK: - Opening

  /// Opens the folder, or returns `nil` if it does not exist.
  package func open() throws(FileProblem) -> FileDescriptor? {
    let parent = try openStoreFolder()
    defer { try? parent.close() }
    guard let support = try open(supportName, in: parent) else { return nil }
    defer { try? support.close() }
    return try open(Self.valuesName, in: support)
  }

  /// Opens the folder, and creates it if it is missing.
  ///
  /// - Parameter permissions: The permissions of the files.
  package func openOrMake(_ permissions: FilePermissions) throws(FileProblem) -> FileDescriptor {
    let parent = try openStoreFolder()
    defer { try? parent.close() }
    let support = try openOrMake(supportName, in: parent, permissions)
    defer { try? support.close() }
    return try openOrMake(Self.valuesName, in: support, permissions)
  }

  private func openStoreFolder() throws(FileProblem) -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        FilePath(storeFolder), .readOnly, options: [.directory, .closeOnExec])
    } catch {
      throw FileProblem(path: storeFolder, reason: "\(error)")
    }
  }

  private func open(
    _ name: String, in parent: FileDescriptor
  ) throws(FileProblem) -> FileDescriptor? {
    let descriptor = openat(
      parent.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if descriptor >= 0 { return FileDescriptor(rawValue: descriptor) }
    switch errno {
    case ENOENT: return nil
    case ENOTDIR, ELOOP:
      throw FileProblem(path: path, reason: "\(name) is no folder")
    case let number: throw FileProblem(path: path, errno: number)
    }
  }

  private func openOrMake(
    _ name: String, in parent: FileDescriptor, _ permissions: FilePermissions
  ) throws(FileProblem) -> FileDescriptor {
    if let there = try open(name, in: parent) { return there }
    // The folder is searchable by all who may read the files.
    let mode = permissions.rawValue | (permissions.rawValue & 0o444) >> 2
    if mkdirat(parent.rawValue, name, mode) != 0, errno != EEXIST {
      throw FileProblem(path: path, errno: errno)
    }
    try synchronize(parent)
    guard let made = try open(name, in: parent) else {
      throw FileProblem(path: path, reason: "\(name) was removed as soon as it was made")
    }
    return made
  }

  /// Syncs the names in a folder to disk.
  package func synchronize(_ folder: FileDescriptor) throws(FileProblem) {
    do throws(Errno) {
      try folder.synchronize()
    } catch .invalidArgument {
      // Some file systems cannot sync a folder, and need not.
    } catch {
      throw FileProblem(path: path, errno: error.rawValue)
    }
  }

  // MARK: - Files

  /// Returns the status of a file; refuses `own` files of the store, which must not be read later.
  package func look(
    at name: LargeValueName, in folder: FileDescriptor, besides own: StoreOwnFiles? = nil
  ) throws(FileProblem) -> FileStatus {
    let file = file(name, in: folder)
    let status = try file.look(longest: Self.longestValue)
    if let own { try file.check(status, besides: own) }
    return status
  }

  func read(
    _ name: LargeValueName, in folder: FileDescriptor
  ) throws(FileProblem) -> [UInt8] {
    try file(name, in: folder).read(longest: Self.longestValue, besides: StoreOwnFiles(location))
  }

  /// Opens the folder and reads a file.
  package func read(_ name: LargeValueName) throws(FileProblem) -> [UInt8] {
    guard let opened = try open() else {
      throw FileProblem(path: path, reason: "it is missing", isMissing: true)
    }
    defer { try? opened.close() }
    return try read(name, in: opened)
  }

  /// The maximum size of a file that ``bytes(of:)`` reads, in bytes.
  private static let maxShownBytes: Int64 = 16 << 20

  /// Returns the content of a file to show; `nil` if it cannot be read, or is longer than 16 MiB.
  package func bytes(of name: LargeValueName) -> [UInt8]? {
    guard let folder = try? open() else { return nil }
    defer { try? folder.close() }
    guard let status = try? look(at: name, in: folder), status.size <= Self.maxShownBytes else {
      return nil
    }
    return try? read(name, in: folder)
  }

  /// Whether a file exists that can be read as a value.
  package func exists(_ name: LargeValueName) -> Bool {
    guard let folder = try? open() else { return false }
    defer { try? folder.close() }
    return (try? look(at: name, in: folder)) != nil
  }

  private func file(_ name: LargeValueName, in folder: FileDescriptor) -> ForeignFile {
    ForeignFile(name.text, in: folder, path: path(of: name))
  }

  /// Writes and syncs a new file; its name is synced with the folder.
  package func write(
    _ bytes: [UInt8], as name: LargeValueName, in folder: FileDescriptor,
    _ permissions: FilePermissions
  ) throws(FileProblem) {
    let number = openat(
      folder.rawValue, name.text, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
      permissions.rawValue)
    guard number >= 0 else { throw FileProblem(path: path(of: name), errno: errno) }
    let file = FileDescriptor(rawValue: number)
    do {
      defer { try? file.close() }
      try bytes.withUnsafeBytes { _ = try file.writeAll($0) }
      try file.synchronize()
    } catch {
      remove(name, from: folder)
      throw FileProblem(path: path(of: name), reason: "\(error)")
    }
  }

  /// Removes a file, if it exists.
  package func remove(_ name: LargeValueName, from folder: FileDescriptor) {
    unlinkat(folder.rawValue, name.text, 0)
  }

  /// Removes files, as far as possible.
  package func remove(_ names: some Collection<LargeValueName>) {
    guard !names.isEmpty, let folder = try? open() else { return }
    defer { try? folder.close() }
    for name in names { remove(name, from: folder) }
  }

  /// The names of all files that can be values.
  package func names(in folder: FileDescriptor) -> [LargeValueName] {
    FolderNames.components(folder).compactMap { LargeValueName($0.string.utf8) }
  }
}

/// The folder beside a store in which it keeps large values: `.NAME_SUPPORT`, with the values in
/// `_EXTERNAL_DATA`; `NAME` is that of the store without its extension.
package struct ExternalData {
  /// The path of the folder, whether it is there or not.
  package let path: String

  /// The maximum depth of folders that are copied; those of the frameworks have one level.
  static let deepest = 8

  /// The folder of the store at a path.
  package init(besideStoreAt path: String) {
    let file = FilePath(path)
    let folder = file.removingLastComponent()
    let name = ".\(file.stem ?? file.lastComponent?.string ?? "")_SUPPORT"
    self.path = folder.appending(name).string
  }
}
