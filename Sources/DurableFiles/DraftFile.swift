import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that is written under another name in the same folder and takes its place in one step.
///
/// Under its own name there is never a part of it: what stands there is what was there before, or
/// all of the new content, safe on the disk.
package final class DraftFile {
  /// Where the file will be.
  package private(set) var path: String
  /// Where it is written.
  package let temporaryPath: String

  private let descriptor: FileDescriptor
  private let registration: TemporaryFiles.Registration
  private let overwrites: Bool
  private var isOpen = true

  /// Begins a file, and removes drafts of it that a killed program has left.
  ///
  /// - Parameters:
  ///   - path: Where it will be.
  ///   - permissions: Who may read and write it; the process's mask takes away from that.
  ///   - overwrites: Whether a file that is there is replaced.
  ///   - followsLink: Whether of a link that is replaced, what it leads to is, and the link stays. That
  ///     is for paths that people name; in a folder of the program's own a link may be somebody else's.
  /// - Throws: `Errno.fileExists` where there is a file that is not to be replaced,
  ///   `Errno.notSupported` where there is something that is no file, and what the system says.
  package init(
    path: String, permissions: FilePermissions, overwrites: Bool, followsLink: Bool = false
  ) throws(Errno) {
    let path = overwrites && followsLink ? FileStatus.resolve(path) ?? path : path
    let name = FilePath(path).lastComponent?.string
    // Also where nothing is made: a kill may have left a second name of the file that is in the way.
    AbandonedDrafts.remove(in: FilePath(path).folder.string) { $0 == name }
    switch FileMove.entry(at: path) {
    case .none: break
    case _ where !overwrites: throw .fileExists
    case .file: break
    // This one leads nowhere.
    case .link where followsLink: throw .notSupported
    case .link: break
    // Renaming would put a file in the place of a device as well.
    case .folder, .other: throw .notSupported
    }
    self.path = path
    self.overwrites = overwrites
    do {
      (temporaryPath, descriptor, registration) = try Self.create(
        for: path, permissions: permissions)
    } catch {
      throw Errno(error)
    }
  }

  /// Makes a draft that nobody takes for an abandoned one.
  private static func create(
    for path: String, permissions: FilePermissions
  ) throws -> (String, FileDescriptor, TemporaryFiles.Registration) {
    while true {
      let temporaryPath =
        path + AbandonedDrafts.mark + String(UInt32.random(in: 0...UInt32.max), radix: 36)
      let registration = TemporaryFiles.register([temporaryPath])
      let descriptor: FileDescriptor
      do {
        descriptor = try FileDescriptor.open(
          FilePath(temporaryPath), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
          permissions: permissions)
      } catch {
        registration.end()
        throw error
      }
      guard FileLock.take(descriptor, at: temporaryPath) == .lost else {
        return (temporaryPath, descriptor, registration)
      }
      registration.end()
      // Somebody has looked in the instant before it was locked.
      try? descriptor.close()
      FileStatus.remove(temporaryPath)
    }
  }

  deinit { discard() }

  /// Writes bytes behind those that were written.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    do {
      try descriptor.writeAll(bytes)
    } catch {
      throw Errno(error)
    }
  }

  /// Gives the draft the owner and the group of something else, as far as the system allows that.
  ///
  /// To be used only where whoever could put that there may have what is written.
  package func takeOwner(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    FileStatus.give(descriptor, owner: status.st_uid, group: status.st_gid)
  }

  /// Makes what was written safe on the disk, and leaves it a draft.
  package func synchronize() throws(Errno) {
    guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
  }

  /// Puts the file in a place whose name was not known when it was begun; the folder is the same.
  ///
  /// - Throws: As ``commit()``.
  package func commit(as path: String) throws(Errno) {
    self.path = path
    try commit()
  }

  /// Puts the file in its place, safe on the disk.
  ///
  /// - Throws: `Errno.fileExists` where somebody has put a file there that is not to be replaced, and
  ///   what the system says; there is then no trace of the new file.
  package func commit() throws(Errno) {
    do {
      try synchronize()
      if overwrites {
        try FileMove.move(temporaryPath, replacing: path)
      } else {
        try FileMove.move(temporaryPath, toFree: path)
      }
    } catch {
      discard()
      throw Errno(error)
    }
    // Everything is on the disk; until now the draft was to stay locked.
    isOpen = false
    registration.end()
    try? descriptor.close()
    try Self.synchronizeFolder(of: path)
  }

  /// Removes what was written; nothing happens behind a commit.
  package func discard() {
    guard isOpen else { return }
    isOpen = false
    try? descriptor.close()
    FileStatus.remove(temporaryPath)
    registration.end()
  }

  /// Makes the names in a file's folder safe on the disk.
  package static func synchronizeFolder(of path: String) throws(Errno) {
    do {
      let descriptor = try FileDescriptor.open(
        FilePath(path).folder, .readOnly, options: [.directory, .closeOnExec])
      defer { try? descriptor.close() }
      // Some file systems cannot, and have nothing to make safe.
      guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
    } catch {
      throw Errno(error)
    }
  }
}

extension Errno {
  /// What the functions of the system package throw is always one of these.
  fileprivate init(_ error: any Error) { self = error as? Errno ?? .ioError }
}
