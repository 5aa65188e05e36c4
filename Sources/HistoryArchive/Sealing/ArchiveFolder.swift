import DurableFiles
import PersistentHistory
import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The folder of an archive that is being written: made where it is missing, and locked for as long
/// as this lives, so that one program at a time writes there.
final class ArchiveFolder {
  /// The archive.
  let archive: Archive
  /// The most bytes that the catalog may have.
  var catalogLimit = ArchiveFormat.catalogLimit
  private let lock: ArchiveLock

  /// Makes and locks the folder.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - permissions: Who may read and write files in it.
  ///   - lockWait: How long to wait for another program, in seconds.
  init(path: String, permissions: FilePermissions, lockWait: Double) throws(ArchiveError) {
    try Self.make(path, permissions: Self.folderPermissions(permissions))
    archive = Archive(unchecked: path)
    lock = try ArchiveLock(writing: path, wait: lockWait)
    try makeCatalog(permissions)
  }

  // MARK: - The folder

  /// Makes a folder, and those that it stands in, where they are missing.
  static func make(_ path: String, permissions: FilePermissions) throws(ArchiveError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .unwritable(path: path, reason: "no folder is named")
    }
    do {
      try MissingFolders.make(path, permissions: permissions)
    } catch {
      throw .unwritable(path: error.path, reason: error.reason)
    }
  }

  /// Makes the names in the folder of a file safe on the disk.
  static func synchronize(folderOf path: String) throws(ArchiveError) {
    do {
      try DraftFile.synchronizeFolder(of: path)
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Who may look into a folder: those who may read the files in it.
  static func folderPermissions(_ permissions: FilePermissions) -> FilePermissions {
    MissingFolders.permissions(forFiles: permissions)
  }

  // MARK: - The catalog

  /// Makes an empty catalog where there is none, and where nothing else stands.
  private func makeCatalog(_ permissions: FilePermissions) throws(ArchiveError) {
    guard !Archive.isArchive(archive.path) else { return }
    let others = FolderNames.read(archive.path).filter { !$0.hasPrefix(".") }
    guard others.isEmpty else { throw .notAnArchive(path: archive.path, reason: .notEmpty) }
    do {
      let file = try FileDescriptor.open(
        FilePath(archive.catalogPath), .writeOnly,
        options: [.create, .closeOnExec, .noFollow], permissions: permissions)
      try file.close()
    } catch {
      throw .unwritable(path: archive.catalogPath, reason: ArchiveFile.reason(error))
    }
    try Self.synchronize(folderOf: archive.catalogPath)
  }

  /// Reads the catalog, and removes the beginning of a line that a crash has left at its end.
  func repairedCatalog() throws(ArchiveError) -> ArchiveCatalog {
    var catalog = try archive.catalog()
    guard catalog.tornByteCount > 0 else { return catalog }
    let size = catalog.byteCount
    try withCatalog { file in
      guard ftruncate(file.rawValue, off_t(size)) == 0, fsync(file.rawValue) == 0 else {
        throw Errno(rawValue: errno)
      }
    }
    catalog.removeTornLine()
    return catalog
  }

  /// Sees that the catalog has room for another line, before a segment is made that would need one.
  func expectRoom(in catalog: ArchiveCatalog) throws(ArchiveError) {
    try expectRoom(for: ArchiveFormat.catalogLineLimit, in: catalog)
  }

  /// What could not be read again must not be written either.
  private func expectRoom(
    for count: Int, in catalog: ArchiveCatalog
  ) throws(ArchiveError) {
    guard Int64(catalog.byteCount + count) <= catalogLimit else {
      throw .fullCatalog(path: archive.catalogPath, limit: catalogLimit)
    }
  }

  /// Adds a line to the catalog, safe on the disk.
  ///
  /// - Parameters:
  ///   - entry: The segment; its line must follow those that are there.
  ///   - catalog: What is there.
  ///   - permissions: Who may read and write the store that it is of.
  func append(
    _ entry: CatalogEntry, to catalog: inout ArchiveCatalog, permissions: FilePermissions
  ) throws(ArchiveError) {
    let size = catalog.byteCount
    let line = entry.line
    try expectRoom(for: line.count, in: catalog)
    try withCatalog { file in
      var status = stat()
      // What one may not read of the store, one may not read of its segments either.
      if fstat(file.rawValue, &status) == 0,
        status.st_mode & ~mode_t(permissions.rawValue) & 0o777 != 0
      {
        _ = fchmod(file.rawValue, status.st_mode & mode_t(permissions.rawValue) & 0o777)
      }
      do {
        _ = try file.seek(offset: Int64(size), from: .start)
        try line.withUnsafeBytes { _ = try file.writeAll($0) }
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
      } catch {
        // A part of a line would be noticed, but there need be none.
        _ = ftruncate(file.rawValue, off_t(size))
        throw error
      }
    }
    catalog.append(entry)
  }

  private func withCatalog(_ body: (FileDescriptor) throws -> Void) throws(ArchiveError) {
    do {
      let file = try FileDescriptor.open(
        FilePath(archive.catalogPath), .readWrite, options: [.closeOnExec, .noFollow])
      defer { try? file.close() }
      try body(file)
    } catch {
      throw .unwritable(path: archive.catalogPath, reason: ArchiveFile.reason(error))
    }
  }
}
