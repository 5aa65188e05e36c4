import DurableFiles
import Libc
import SystemPackage

/// A copy of a store and its write-ahead log that only this process can read.
///
/// It is needed where the store's folder cannot hold the `-shm` for reading a filled log. ``remove()`` deletes
/// its folder as soon as SQLite has the files open. The next copy deletes one that a killed process left.
package struct PrivateCopy {
  /// The number of attempts while a writer is active.
  private static let attempts = 5
  private static let name = "histctl-copy"

  package let path: String
  private let folder: DraftFolder
  private let registration: TemporaryFiles.Registration

  /// Creates the folder, for a copy of the store to be written to ``path``.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package init(forStoreAt original: String) throws(StoreError) {
    let file = Self.parent + "/" + Self.name
    let place = DraftFolder.path(for: file)
    let path = place + "/store"
    self.path = path
    registration = TemporaryFiles.register(
      (StoreParts.endings + ["-shm", "-values.db-shm"]).map { path + $0 } + [place])
    do throws(Errno) {
      folder = try DraftFolder(path: place, for: file) { _, _, _ in }
    } catch {
      registration.end()
      throw .unreadable(
        path: original, reason: "no private copy could be made in \(Self.parent): \(error)")
    }
  }

  /// Copies the store at a location.
  ///
  /// - Throws: ``StoreError/busy(path:seconds:)`` when writers prevent a consistent copy, and
  ///   ``StoreError/unreadable(path:reason:)`` when copying fails.
  init(of location: StoreLocation) throws(StoreError) {
    try self.init(of: FilePath(location.resolvedPath), as: location.path)
  }

  /// Copies a store, its log and its journal, whose path need not be UTF-8.
  ///
  /// - Parameter original: The path of the store for messages.
  /// - Throws: Like ``init(of:)``.
  package init(of file: FilePath, as original: String) throws(StoreError) {
    let (log, journal) = (file.appendingToName("-wal"), file.appendingToName("-journal"))
    let files = [file, log, journal]
    try self.init(forStoreAt: original)
    do {
      for _ in 0..<PrivateCopy.attempts {
        let before = try PrivateCopy.stamp(of: files)
        try PrivateCopy.copy(file, to: path)
        // SQLite rolls an unfinished save back in the copy. The store itself is never read beside one.
        for (companion, target) in [(log, logPath), (journal, path + "-journal")] {
          do {
            try PrivateCopy.copy(companion, to: target)
          } catch Errno.noSuchFileOrDirectory {
            unlink(target)
          }
        }
        if try PrivateCopy.stamp(of: files) == before { return }
      }
    } catch {
      remove()
      throw .unreadable(path: original, reason: "no private copy could be made: \(error)")
    }
    remove()
    throw .busy(path: original, seconds: 0)
  }

  /// Deletes the copy; SQLite continues to read the files that it has open.
  package func remove() {
    folder.discard()
    registration.end()
  }

  /// Copies a store and its log that are not beside each other.
  ///
  /// - Throws: ``StoreError/unreadable(path:reason:)``.
  package init(ofStoreAt original: String, logPath: String) throws(StoreError) {
    try self.init(forStoreAt: original)
    do {
      try Self.copy(FilePath(original), to: path)
      try Self.copy(FilePath(logPath), to: self.logPath)
    } catch {
      remove()
      throw .unreadable(path: original, reason: "no private copy could be made: \(error)")
    }
  }

  package var logPath: String { path + "-wal" }

  /// Reads one snapshot of the copy.
  ///
  /// - Parameter original: The path of the store for messages.
  /// - Throws: ``StoreError``, and errors of the closure.
  package func read<Result>(
    as original: String, _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let location = StoreLocation(path: original, at: path)
    do {
      let queue = try StoreConnection.openPrivate(self)
      return try StoreFile(location: location, queue: queue, busyTimeout: 0).read(body)
    } catch {
      throw StoreError.translating(error, location: location, busyTimeout: 0)
    }
  }

  private static var parent: String {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    return named.isEmpty ? "/tmp" : named
  }

  /// Bytes that a writer changes: the change counter, and the salts of the log.
  private static func stamp(of paths: [FilePath]) throws -> [[UInt8]] {
    try paths.map { path in
      do {
        let file = try ReadableFile(path)
        return try file.readPrefix(FileHeader.length) + Array("\(file.status.size)".utf8)
      } catch Errno.noSuchFileOrDirectory {
        // A cleanly closed store may have no log.
        return []
      }
    }
  }

  /// Copies a file; the copy is for this user alone.
  package static func copy(_ source: FilePath, to target: String) throws {
    let input = try ReadableFile(source)
    let output = try FileDescriptor.open(
      FilePath(target), .writeOnly, options: [.create, .truncate, .closeOnExec],
      permissions: [.ownerReadWrite])
    defer { try? output.close() }
    try input.copy(to: output)
  }
}

extension FilePath {
  /// Returns the path of a companion: this one with an ending, whatever bytes the name has.
  fileprivate func appendingToName(_ ending: String) -> FilePath {
    let name = withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
    return FilePath(platformString: name + ending.utf8.map { CChar(bitPattern: $0) } + [0])
  }
}
