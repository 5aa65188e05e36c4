import DurableFiles
import StoreFormat
import SystemPackage

/// Copies stores out of backups and archives, with all files that belong to them.
package enum ContainedStores {
  /// Copies a store and its files to a private folder.
  ///
  /// - Throws: ``StoreError``.
  package static func unpack(_ contained: ContainedPath, to copy: PrivateCopy) throws {
    var parts = StoreParts()
    parts.add(storeNamed: contained.name, copiedTo: copy.path)
    var exists = false
    do {
      try copyFiles(
        of: FilePath(FileStatus.resolve(contained.container) ?? contained.container), parts,
        limits: FindOperation.Limits()
      ) { _, place, error in
        if let error { throw error }
        if place.target == copy.path { exists = true }
      }
      guard exists else { throw StoreError.missing(path: contained.path) }
    } catch let error as OperationError {
      throw StoreError.unreadable(path: contained.path, reason: error.message)
    } catch let error as Errno {
      throw StoreError.unreadable(path: contained.path, reason: error.description)
    } catch let error as MissingFolders.Problem {
      throw StoreError.unreadable(path: contained.path, reason: "\(error.path): \(error.reason)")
    }
  }

  /// Copies files out of a backup or an archive, in one pass.
  ///
  /// - Parameters:
  ///   - container: The backup or the archive.
  ///   - parts: The files, and where they are to be copied.
  ///   - limits: The maximum size of what is unpacked.
  ///   - receive: Receives the name of each file in the container, its place, and what prevented the copy. In an archive
  ///     a later member of a name replaces the copy of an earlier one, as when the archive is unpacked.
  /// - Throws: Errors of `receive`, and of the container as a whole.
  static func copyFiles(
    of container: FilePath, _ parts: StoreParts, limits: FindOperation.Limits,
    _ receive: (_ name: String, StoreParts.Place, (any Error)?) throws -> Void
  ) throws {
    func copy(_ name: String, _ write: (String) throws -> Void) throws {
      guard let place = parts.place(of: name) else { return }
      var problem: (any Error)?
      do {
        try MissingFolders.make(
          FilePath(place.target).folder.string, permissions: .ownerReadWriteExecute)
        try write(place.target)
      } catch {
        problem = error
      }
      try receive(name, place, problem)
    }
    guard MissingFolders.isFolder(container.string) else {
      let members = try ArchiveMembers(container, limits: limits)
      while let member = try members.next() {
        guard member.isFile else { continue }
        try copy(member.name) { target in
          try members.checkLength(member.size ?? 0, of: member)
          try members.extract(member, to: target)
        }
      }
      return
    }
    guard case .readable(let backup) = try DeviceBackup.kind(ofFolder: container.string) else {
      throw StoreError.unreadable(
        path: container.shown, reason: "\(container.shown) is an encrypted backup")
    }
    try backup.forEachFile { file in
      try copy(file.domain + "/" + file.relativePath) {
        try PrivateCopy.copy(FilePath(file.path), to: $0)
      }
    }
  }
}
