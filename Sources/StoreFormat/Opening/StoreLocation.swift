import DurableFiles
import Libc
import SystemPackage

/// The paths of a store: the file itself, its write-ahead log and its companions.
package struct StoreLocation: Hashable, Sendable {
  /// The path as it was given; messages use it.
  package let path: String
  /// The path that SQLite will use: links resolved, so that `-wal` is looked for beside the target. It is
  /// that of a copy where one is read in place of the store.
  package let resolvedPath: String
  /// The path of the store itself, with links resolved.
  let originalPath: String
  /// The backup or the archive that the store is in.
  private let container: String?

  /// Whether a copy is read in place of the store.
  package var isWorkingCopy: Bool { resolvedPath != originalPath }

  package var logPath: String { resolvedPath + "-wal" }
  /// The index of the write-ahead log, shared by all programs that have the store open.
  package var sharedMemoryPath: String { resolvedPath + "-shm" }
  /// The rollback journal of a store that does not use a write-ahead log.
  package var journalPath: String { resolvedPath + "-journal" }

  package var folder: String { FilePath(resolvedPath).folder.string }

  /// Resolves a path, and checks that it leads to a file that is not empty.
  ///
  /// - Throws: ``StoreError/missing(path:)``, ``StoreError/beingReplaced(path:former:)``,
  ///   ``StoreError/notAStore(path:reason:)`` or
  ///   ``StoreError/unreadable(path:reason:)``; in a backup, ``StoreError/separateLog(path:whole:)``; in one or in
  ///   an archive, ``StoreError/contained(path:container:)``; where it is to be copied, also
  ///   ``StoreError/notCopied(path:copy:reason:)`` and ``StoreError/changedWhileCopying(path:)``.
  package init(path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .missing(path: path) }
    let status: FileStatus?
    do {
      status = try FileStatus(path: path)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
    guard let status, let resolved = FileStatus.resolve(path) else {
      guard let contained = ContainedPath(path) else { throw Self.errorWithout(path) }
      let unpacked = try WorkingCopies.unpacked(contained)
      guard (try? FileStatus(path: unpacked))??.size ?? 0 >= FileHeader.length else {
        throw Self.notAStore(path, .notSQLite)
      }
      self.path = path
      container = contained.container
      originalPath = contained.resolved
      resolvedPath =
        try WorkingCopies.copy(of: unpacked, named: contained.resolved, path: path) ?? unpacked
      return
    }
    if status.kind != .file {
      throw .notAStore(path: path, reason: .notAFile(kind: status.kind.name))
    }
    // SQLite treats a file of a single byte as an empty database.
    guard status.size >= FileHeader.length else {
      throw Self.notAStore(path, status.size > 0 ? .notSQLite : .empty)
    }
    if let whole = DeviceBackup.pathWithLog(ofFileAt: resolved) {
      throw .separateLog(path: path, whole: whole)
    }
    for suffix in Self.filesOfSQLite {
      // SQLite would wait for a program that writes into a pipe. It follows no link there, so that a link cannot
      // make it write elsewhere.
      if let kind = FileStatus(entry: FilePath(resolved + suffix))?.kind, kind != .file {
        throw .obstructed(path: path, file: resolved + suffix, kind: kind.name)
      }
    }
    self.path = path
    container = nil
    originalPath = resolved
    resolvedPath = try WorkingCopies.copy(of: resolved, path: path) ?? resolved
  }

  /// Returns whether both are the same store, by whatever names.
  package func isSameFile(as other: StoreLocation) -> Bool {
    if FilePath(originalPath) == FilePath(other.originalPath) { return true }
    guard let own = try? FileStatus(path: originalPath),
      let its = try? FileStatus(path: other.originalPath)
    else { return false }
    return own.identity == its.identity
  }

  /// A file that exists, and the path that messages use for it.
  init(path: String, at resolvedPath: String) {
    self.path = path
    self.resolvedPath = resolvedPath
    originalPath = resolvedPath
    container = nil
  }

  /// Why there is no store at a path.
  private static func errorWithout(_ path: String) -> StoreError {
    for folder in AbandonedDrafts.folders(of: path) {
      let former = formerFolder(ofStoreAt: path, in: folder)
      let store = former + "/" + (FilePath(path).lastComponent?.string ?? "store")
      if FileMove.entry(at: store) != .none { return .beingReplaced(path: path, former: store) }
    }
    return .missing(path: path)
  }

  /// Returns the folder that holds a store and its companions while they are being replaced.
  ///
  /// - Parameters:
  ///   - path: The place of the store.
  ///   - folder: The folder in which the new store is written.
  package static func formerFolder(ofStoreAt path: String, in folder: String) -> String {
    folder + "/" + (FilePath(path).lastComponent?.string ?? "store") + "-former"
  }

  /// Reads the header of the main file.
  func readHeader() throws(StoreError) -> FileHeader {
    do {
      let file = try ReadableFile(FilePath(resolvedPath))
      guard let header = FileHeader(try file.readPrefix(FileHeader.length)) else {
        throw Self.notAStore(path, .notSQLite)
      }
      return header
    } catch let error as StoreError {
      throw error
    } catch {
      throw .unreadable(path: path, reason: "\(error)")
    }
  }

  /// The size of a file beside the store, `nil` where there is none.
  package func size(of path: String) throws(StoreError) -> Int64? {
    do {
      return try FileStatus(path: path)?.size
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }
}

extension StoreLocation {
  /// The suffixes of the files that SQLite opens beside a database.
  private static let filesOfSQLite = ["-wal", "-shm", "-journal"]

  /// The suffixes of files that belong to a store.
  package static let companions = [
    "-values.db-wal", "-values.db-shm", "-values.db-journal", "-values.db", "-wal", "-shm",
    "-journal", "-bookmarks.json", "-bookmarks.json.lock", "-unfinished-save",
  ]

  /// Returns whether a name is that of a companion or a draft of a store, not of a store.
  package static func isCompanion(_ name: String) -> Bool {
    companions.contains(where: name.hasSuffix) || AbandonedDrafts.isDraft(name)
      || name.contains("-bookmarks.json.") && name.hasSuffix(".lock")
  }

  /// Returns whether saves of the store go to a write-ahead log.
  ///
  /// - Throws: ``StoreError``.
  package func usesLog() throws(StoreError) -> Bool { try readHeader().usesLog }

  /// Returns whether a path is that of the store, of a companion, or inside its folder of large values, whether
  /// or not a file exists there.
  ///
  /// Writing there would overwrite the store's data.
  package func owns(_ path: String) -> Bool {
    if let container = container.map({ FileStatus.resolve($0) ?? $0 }),
      FilePath(FileStatus.resolvedPlace(path)).starts(with: FilePath(container))
    {
      return true
    }
    return owns(path, besideStoreAt: resolvedPath)
      || isWorkingCopy && owns(path, besideStoreAt: originalPath)
  }

  private func owns(_ path: String, besideStoreAt store: String) -> Bool {
    let place = FilePath(FileStatus.resolvedPlace(path))
    let own = [""] + Self.companions
    if own.contains(where: { FilePath(store + $0) == place }) { return true }
    let values = FilePath(ExternalData(besideStoreAt: store).path)
    if place != values, place.starts(with: values) { return true }
    // Another name of the same file.
    guard let there = try? FileStatus(path: place.string) else { return false }
    return own.contains { companion in
      (try? FileStatus(path: store + companion))?.identity == there.identity
    }
  }

  /// Returns why a file is not a store; for a file that belongs to a store, that it does.
  static func notAStore(_ path: String, _ reason: NotAStoreReason) -> StoreError {
    .notAStore(
      path: path, reason: owner(ofCompanion: path).map { .companion(of: $0) } ?? reason)
  }

  /// The store that a file belongs to by its name or by the list of a backup, or `nil` where there is none.
  private static func owner(ofCompanion path: String) -> String? {
    for companion in companions where path.hasSuffix(companion) {
      let owner = String(path.dropLast(companion.count))
      if case .file? = (try? FileStatus(path: owner))?.kind { return owner }
      if let contained = ContainedPath(owner), (try? WorkingCopies.unpacked(contained)) != nil {
        return owner
      }
    }
    return FileStatus.resolve(path).flatMap {
      DeviceBackup.owner(ofFileAt: $0, suffixes: companions)
    }
  }
}

extension StoreLocation {
  /// The permissions for files derived from the store, which must not be more widely readable; only the
  /// owner's where they are unknown.
  package func filePermissions() -> FilePermissions {
    var status = stat()
    guard stat(resolvedPath, &status) == 0 else { return .ownerReadWrite }
    return FilePermissions(rawValue: status.st_mode & 0o666 | 0o600)
  }

  /// Gives a companion file that root has created the store's owner and group, so that the app can open it.
  package func giveOwner(to path: String) {
    var status = stat()
    guard geteuid() == 0, stat(resolvedPath, &status) == 0 else { return }
    _ = chown(path, status.st_uid, status.st_gid)
  }
}

extension StoreLocation {
  /// Syncs the log, and so all saves that a snapshot shows.
  ///
  /// Apps may save without syncing: a loss of power then loses their last saves, and the transaction numbers
  /// are issued again. Call this before files made from a snapshot are moved into place.
  ///
  /// - Throws: The system's error where the disk fails.
  package func synchronizeLog() throws(Errno) {
    // A missing log needs no sync, and one of another user cannot be synced.
    guard let file = try? ReadableFile(FilePath(logPath), followsLink: false) else { return }
    // An empty one holds no save, and syncing a file that was just made takes a while.
    if file.status.size == 0 { return }
    do throws(Errno) {
      try file.synchronize()
    } catch .invalidArgument, .readOnlyFileSystem, .notSupported {
      // A pipe, or a file system on which nothing can be written.
    }
  }
}

/// The first hundred bytes of a SQLite database file, as far as opening needs them.
///
/// The fields are those of <https://www.sqlite.org/fileformat2.html#the_database_header>.
package struct FileHeader: Hashable, Sendable {
  package static let mark = Array("SQLite format 3\0".utf8)
  /// The number of bytes that ``init(_:)`` needs.
  static let length = 100

  /// Whether the file uses a write-ahead log; with a rollback journal, readers block writers.
  let usesLog: Bool
  /// Counts the changes of the main file; the log keeps its own count.
  let changeCounter: UInt32
  /// The length of a page in bytes, or `nil` where the header holds a length that no page has.
  let pageSize: Int?

  /// Reads a header, or returns `nil` where the magic text is missing.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= FileHeader.length, bytes.starts(with: FileHeader.mark) else {
      return nil
    }
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    // The longest page does not fit into the two bytes.
    let length = size == 1 ? 65536 : size
    pageSize = length >= 512 && length.nonzeroBitCount == 1 ? length : nil
    usesLog = bytes[18] == 2 || bytes[19] == 2
    changeCounter = bytes[24..<28].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
