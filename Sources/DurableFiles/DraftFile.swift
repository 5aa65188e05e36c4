import Libc
import SystemPackage

/// A file that is written under another name in the same folder and takes its place in one step.
///
/// The path never holds a partial file. It holds either the former file, or all of the new content, synced to
/// disk.
package final class DraftFile {
  package var path: String { place.path }
  package var temporaryPath: String { temporaryPlace.path }
  package let temporaryPlace: FilePlace

  private var place: FilePlace
  private let descriptor: FileDescriptor
  private let registration: TemporaryFiles.Registration
  private let overwrites: Bool
  private var isOpen = true
  private var isSynchronized = false

  /// Creates a draft, and removes drafts of the same file that killed programs left.
  ///
  /// - Parameters:
  ///   - path: The path of the finished file, or its name in `folder`.
  ///   - folder: The open folder of the file, which is then found whatever becomes of the folder's path.
  ///   - permissions: The permissions of the file, before the process's mask.
  ///   - overwrites: Whether an existing file is replaced.
  ///   - followsLink: Whether to keep an existing link and replace its target, as for paths that users name. In
  ///     one of the program's own folders, a link may be an attack.
  ///   - isOnlyWriter: Whether a lock of the caller keeps others from writing the file. Its drafts then have one
  ///     name, so that the folder, which may have thousands of files, need not be listed for abandoned ones.
  /// - Throws: `Errno.fileExists` if a file exists that must not be replaced, `Errno.notSupported` if something
  ///   other than a file exists, and the system's error.
  package init(
    path: String, in folder: OpenFolder? = nil, permissions: FilePermissions, overwrites: Bool,
    followsLink: Bool = false, isOnlyWriter: Bool = false
  ) throws(Errno) {
    let path = overwrites && followsLink ? FileStatus.resolve(path) ?? path : path
    let place = FilePlace(path, in: folder)
    // Clean up even if creation then fails: a killed program may have left a second name of the file.
    if isOnlyWriter {
      AbandonedDrafts.removeOnlyDraft(of: place)
    } else if let folder {
      AbandonedDrafts.remove(in: folder) { $0 == path }
    } else {
      AbandonedDrafts.remove(ofFile: path)
    }
    switch FileMove.entry(at: place) {
    case .none: break
    case _ where !overwrites: throw .fileExists
    case .file: break
    // A link without a target.
    case .link where followsLink: throw .notSupported
    case .link: break
    // Renaming would replace a device as well.
    case .folder, .other: throw .notSupported
    }
    self.place = place
    self.overwrites = overwrites
    (temporaryPlace, descriptor, registration) = try Self.create(
      for: place, permissions: permissions, isOnlyWriter: isOnlyWriter)
  }

  /// Creates and locks a draft, so that it is not taken for an abandoned one.
  private static func create(
    for place: FilePlace, permissions: FilePermissions, isOnlyWriter: Bool
  ) throws(Errno) -> (FilePlace, FileDescriptor, TemporaryFiles.Registration) {
    var isOnlyWriter = isOnlyWriter
    while true {
      let draft =
        isOnlyWriter
        ? AbandonedDrafts.placeOfOnlyDraft(of: place)
        : FilePlace(
          place.name + AbandonedDrafts.mark + String(UInt32.random(in: 0...UInt32.max), radix: 36),
          in: place.folder)
      let registration = TemporaryFiles.register([draft.path])
      let descriptor: FileDescriptor
      do {
        descriptor = try draft.open(O_WRONLY | O_CREAT | O_EXCL, permissions: permissions)
      } catch {
        registration.end()
        // The former draft could not be removed, as on a file system without locks.
        guard isOnlyWriter, error == .fileExists else { throw error }
        isOnlyWriter = false
        continue
      }
      guard FileLock.take(descriptor, at: draft) == .lost else {
        return (draft, descriptor, registration)
      }
      registration.end()
      // Another program found the draft in the moment before it was locked.
      try? descriptor.close()
      TemporaryFiles.remove(draft)
    }
  }

  deinit { discard() }

  /// Appends bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    isSynchronized = false
    do {
      try descriptor.writeAll(bytes)
    } catch {
      throw Errno(error)
    }
  }

  /// Gives the draft the owner and group of an existing file, as far as the system allows.
  ///
  /// Use it only where the owner of that file may read the content.
  package func takeOwner(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    FileStatus.give(descriptor, owner: status.st_uid, group: status.st_gid)
  }

  /// Syncs the draft to disk.
  package func synchronize() throws(Errno) {
    try descriptor.synchronize()
    isSynchronized = true
  }

  /// Commits the file under another name in the same folder.
  ///
  /// - Parameter path: The path, or the name in the open folder.
  /// - Throws: As ``commit()``.
  package func commit(as path: String) throws(Errno) {
    place = FilePlace(path, in: place.folder)
    try commit()
  }

  /// Syncs the file and moves it to its path.
  ///
  /// - Parameter synchronizesFolder: Whether to sync the folder, so that a loss of power cannot undo the move.
  /// - Throws: `Errno.fileExists` where another program created a file that must not be replaced, and the
  ///   system's error. The draft is then removed.
  package func commit(synchronizesFolder: Bool = true) throws(Errno) {
    do {
      if !isSynchronized { try synchronize() }
      if overwrites {
        try FileMove.move(temporaryPlace, replacing: place)
      } else {
        try FileMove.move(temporaryPlace, toFree: place)
      }
    } catch {
      discard()
      throw Errno(error)
    }
    // The draft had to stay locked until here.
    isOpen = false
    registration.end()
    LockedFiles.close(descriptor)
    guard synchronizesFolder else { return }
    if let folder = place.folder {
      try folder.synchronize()
    } else {
      try Self.synchronizeFolder(of: path)
    }
  }

  /// Removes the draft; does nothing after a commit.
  package func discard() {
    guard isOpen else { return }
    isOpen = false
    LockedFiles.close(descriptor)
    TemporaryFiles.remove(temporaryPlace)
    registration.end()
  }

  /// Syncs the folder of a file, and so the names in it.
  package static func synchronizeFolder(of path: String) throws(Errno) {
    do {
      let descriptor = try FileDescriptor.open(
        FilePath(path).folder, .readOnly, options: [.directory, .closeOnExec])
      defer { try? descriptor.close() }
      try descriptor.synchronize()
    } catch Errno.permissionDenied {
      // A folder that is writable and not readable is synced with all others.
      sync()
    } catch Errno.invalidArgument {
      // Some file systems cannot sync a folder, and need not.
    } catch {
      throw Errno(error)
    }
  }
}

extension FileDescriptor {
  /// Waits until the content of a file, or the names in a folder, would survive a loss of power.
  package func synchronize() throws(Errno) {
    #if canImport(Darwin)
    // fsync leaves the data in the cache of the drive. Some file systems have only that.
    if fcntl(rawValue, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(rawValue) == 0 else { throw Errno(rawValue: errno) }
  }
}

extension Errno {
  /// The functions of the system package throw only this type.
  fileprivate init(_ error: any Error) { self = error as? Errno ?? .ioError }
}
