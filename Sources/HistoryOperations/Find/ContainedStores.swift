import DurableFiles
import StoreFormat
import SystemPackage

/// Copies stores out of backups and archives, with all files that belong to them.
package enum ContainedStores {
  /// Copies a store and its files to a private folder.
  ///
  /// - Throws: ``StoreError``.
  package static func unpack(_ contained: ContainedPath, to copy: PrivateCopy) throws {
    do {
      let exists =
        MissingFolders.isFolder(contained.container)
        ? try copyFromBackup(contained, to: copy) : try extract(contained, to: copy)
      guard exists else { throw StoreError.missing(path: contained.path) }
    } catch let error as OperationError {
      throw StoreError.unreadable(path: contained.path, reason: error.message)
    } catch let error as Errno {
      throw StoreError.unreadable(path: contained.path, reason: error.description)
    } catch let error as MissingFolders.Problem {
      throw StoreError.unreadable(path: contained.path, reason: "\(error.path): \(error.reason)")
    }
  }

  private static func copyFromBackup(
    _ contained: ContainedPath, to copy: PrivateCopy
  ) throws -> Bool {
    guard case .readable(let backup) = try DeviceBackup.kind(ofFolder: contained.container) else {
      throw StoreError.unreadable(
        path: contained.path, reason: "\(contained.container) is an encrypted backup")
    }
    let parts = StoreParts(ofStoreNamed: contained.name, copiedTo: copy.path)
    var exists = false
    try backup.forEachFile { file in
      guard let target = parts.target(of: file.domain + "/" + file.relativePath) else { return }
      try makeFolder(of: target)
      try PrivateCopy.copy(FilePath(file.path), to: target)
      if target == copy.path { exists = true }
    }
    return exists
  }

  private static func extract(_ contained: ContainedPath, to copy: PrivateCopy) throws -> Bool {
    let members = try ArchiveMembers(
      FilePath(FileStatus.resolve(contained.container) ?? contained.container),
      limits: FindOperation.Limits())
    let parts = StoreParts(ofStoreNamed: contained.name, copiedTo: copy.path)
    var exists = false
    // A later member replaces an earlier one of the same name, as when the archive is unpacked.
    while let member = try members.next() {
      guard member.isFile, let target = parts.target(of: member.name) else { continue }
      try members.checkLength(member.size ?? 0, of: member)
      try makeFolder(of: target)
      try members.extract(member, to: target)
      if target == copy.path { exists = true }
    }
    return exists
  }

  private static func makeFolder(of file: String) throws {
    try MissingFolders.make(FilePath(file).folder.string, permissions: .ownerReadWriteExecute)
  }
}
