import DurableFiles
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A copy of a store and its write-ahead log that only this process can read.
///
/// It is made where the store's own folder cannot hold the `-shm` that reading a filled log needs.
/// The folder is removed by ``remove()``, which is called as soon as SQLite has the files open. One
/// that a process leaves which is killed while it copies, the next copy removes.
struct PrivateCopy {
  /// How often the copy is tried again when a writer was at work meanwhile.
  private static let attempts = 5
  /// What the folders are named by.
  private static let name = "histctl-copy"

  /// The copied store.
  package let path: String
  private let folder: DraftFolder
  private let registration: TemporaryFiles.Registration

  /// Makes the folder, into which SQLite is to copy the store.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)`` when there can be none.
  init(forBackupOf location: StoreLocation) throws(StoreError) {
    let file = Self.parent + "/" + Self.name
    let place = DraftFolder.path(for: file)
    let path = place + "/store"
    self.path = path
    registration = TemporaryFiles.register(["", "-wal", "-journal"].map { path + $0 } + [place])
    do throws(Errno) {
      folder = try DraftFolder(path: place, for: file) { _, _, _ in }
    } catch {
      registration.end()
      throw .unreadable(
        path: location.path, reason: "no private copy could be made in \(Self.parent): \(error)")
    }
  }

  /// Copies the store at a location.
  ///
  /// - Throws: ``StoreError/busy(path:seconds:)`` when a writer never left enough time for a
  ///   consistent copy, ``StoreError/unreadable(path:reason:)`` when copying fails.
  init(of location: StoreLocation) throws(StoreError) {
    try self.init(forBackupOf: location)
    do {
      for _ in 0..<PrivateCopy.attempts {
        let before = try PrivateCopy.stamp(of: location)
        try PrivateCopy.copy(location.resolvedPath, to: path)
        if try location.size(of: location.logPath) != nil {
          try PrivateCopy.copy(location.logPath, to: path + "-wal")
        } else {
          unlink(path + "-wal")
        }
        if try PrivateCopy.stamp(of: location) == before { return }
      }
    } catch {
      remove()
      throw .unreadable(path: location.path, reason: "no private copy could be made: \(error)")
    }
    remove()
    throw .busy(path: location.path, seconds: 0)
  }

  /// Deletes the copy; SQLite goes on reading from the files that it has open.
  package func remove() {
    folder.discard()
    registration.end()
  }

  private static var parent: String {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return named.isEmpty ? "/tmp" : named
  }

  /// What moves when a writer was at work: the change counter, and the salts of the log.
  private static func stamp(of location: StoreLocation) throws -> [[UInt8]] {
    try [location.resolvedPath, location.logPath].map { path in
      // A store may have been closed cleanly and copied without its log.
      guard let status = try FileStatus(path: path) else { return [] }
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      defer { try? file.close() }
      return try file.readPrefix(FileHeader.length) + Array("\(status.size)".utf8)
    }
  }

  private static func copy(_ source: String, to target: String) throws {
    let input = try FileDescriptor.open(FilePath(source), .readOnly, options: .closeOnExec)
    defer { try? input.close() }
    let output = try FileDescriptor.open(
      FilePath(target), .writeOnly, options: [.create, .truncate, .closeOnExec],
      permissions: [.ownerReadWrite])
    defer { try? output.close() }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try input.read(into: buffer), count > 0 {
      try output.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
