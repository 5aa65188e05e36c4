import DurableFiles
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// The folder of an archive that is being written: created if it is missing, and locked until this
/// object is released.
final class ArchiveFolder {
  let archive: Archive
  /// The maximum size of the catalog in bytes.
  var catalogLimit = ArchiveFormat.catalogLimit
  private let permissions: FilePermissions
  private let lock: ArchiveLock

  /// Creates and locks the folder.
  ///
  /// - Parameters:
  ///   - permissions: The permissions of files in it.
  ///   - lockWait: Seconds to wait for another program.
  init(path: String, permissions: FilePermissions, lockWait: Double) throws(ArchiveError) {
    self.permissions = permissions
    try Self.make(path, permissions: permissions)
    lock = try ArchiveLock(writing: path, wait: lockWait)
    do throws(ArchiveError) {
      archive = try Archive(path: path)
    } catch .notAnArchive {
      try Self.makeCatalog(Archive(unchecked: path), permissions)
      archive = try Archive(path: path)
    }
  }

  /// Creates a folder, and those above it, readable by the users who may read the files in it.
  private static func make(
    _ path: String, permissions: FilePermissions
  ) throws(ArchiveError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .unwritable(path: path, reason: "it is not the name of a folder")
    }
    do {
      try MissingFolders.make(
        path, permissions: MissingFolders.permissions(forFiles: permissions))
    } catch {
      throw .unwritable(path: error.path, reason: error.reason)
    }
  }

  func makeFolder(ofStore store: String) throws(ArchiveError) {
    let place = try archive.place(store)
    do {
      try place.makeFolder(permissions: MissingFolders.permissions(forFiles: permissions))
    } catch {
      throw .writing(place, error)
    }
  }

  // MARK: - The catalog

  /// Creates an empty catalog, unless the folder has other files.
  private static func makeCatalog(
    _ archive: Archive, _ permissions: FilePermissions
  ) throws(ArchiveError) {
    let folder = try archive.folder()
    guard try ArchiveFile.names(in: folder).allSatisfy({ $0.hasPrefix(".") }) else {
      throw .notAnArchive(path: archive.path, reason: .notEmpty)
    }
    let catalog = FilePlace(ArchiveFormat.catalogName, in: folder)
    do {
      LockedFiles.close(try catalog.open(O_WRONLY | O_CREAT, permissions: permissions))
      try folder.synchronize()
    } catch {
      throw .writing(catalog, error)
    }
  }

  /// Reads the catalog, and removes an incomplete line that a crash left at its end.
  func repairedCatalog() throws(ArchiveError) -> ArchiveCatalog {
    var catalog = try archive.catalog()
    guard catalog.tornByteCount > 0 else { return catalog }
    let size = catalog.byteCount
    try withCatalog { file in
      guard ftruncate(file.rawValue, off_t(size)) == 0 else { throw Errno(rawValue: errno) }
      try file.synchronize()
    }
    catalog.removeTornLine()
    return catalog
  }

  /// Throws an error if another line would make the catalog too large for readers.
  func checkSpace(
    for byteCount: Int = ArchiveFormat.catalogLineLimit, in catalog: ArchiveCatalog
  ) throws(ArchiveError) {
    guard Int64(catalog.byteCount + byteCount) <= catalogLimit else {
      throw .fullCatalog(path: archive.catalogPath, limit: catalogLimit)
    }
  }

  /// Appends a line to the catalog and waits until it is on the disk.
  ///
  /// - Parameter entry: The segment; its line must follow the last one of `catalog`.
  func append(
    _ entry: CatalogEntry, to catalog: inout ArchiveCatalog
  ) throws(ArchiveError) {
    let size = catalog.byteCount
    let line = entry.line
    let permissions = permissions
    try checkSpace(for: line.count, in: catalog)
    try withCatalog { file in
      var status = stat()
      guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      // Users who may not read the store must not read its catalog. Only the owner can change
      // permissions, and `verify` reports permissions that are too wide.
      let allowed = status.st_mode & mode_t(permissions.rawValue) & 0o777
      if allowed != status.st_mode & 0o777 { _ = fchmod(file.rawValue, allowed) }
      do {
        _ = try file.seek(offset: Int64(size), from: .start)
        try line.withUnsafeBytes { _ = try file.writeAll($0) }
        try file.synchronize()
        // A run that was killed after creating the catalog may not have synced its name.
        if size == 0 { try DraftFile.synchronizeFolder(of: archive.catalogPath) }
      } catch {
        // The next run would remove an incomplete line as well.
        _ = ftruncate(file.rawValue, off_t(size))
        throw error
      }
    }
    catalog.append(entry)
  }

  private func withCatalog(_ body: (FileDescriptor) throws -> Void) throws(ArchiveError) {
    let catalog = try archive.catalogFile()
    do {
      let file = try catalog.open(O_RDWR)
      // Everything that was written has been synchronized.
      defer { LockedFiles.close(file) }
      try body(file)
    } catch {
      throw .writing(catalog, error)
    }
  }
}
