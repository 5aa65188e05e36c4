import DurableFiles
import Libc
import Synchronization
import SystemPackage

/// Copies of stores that are read in place of the stores themselves, which stay untouched.
///
/// While copies are ``current`` that have a folder, every store that is opened by its path is copied into it first. A
/// copy has the path of its store below the folder, so that stores of one name stay apart. Stores in backups and
/// archives are copied to a private folder, until the command ends.
package final class WorkingCopies: Sendable {
  /// The copies of what is opened in the present task or on the present thread; see ``ReadingScope``.
  @TaskLocal fileprivate static var current: WorkingCopies?

  /// Copies a store and what belongs to it out of a backup or an archive.
  package typealias Unpacker = @Sendable (ContainedPath, PrivateCopy) throws -> Void

  /// A copy of a store from a backup or an archive; only the end of the command removes it.
  private struct Unpacked: @unchecked Sendable {
    let copy: PrivateCopy
  }

  private let folder: String?
  private let unpacker: Unpacker?
  /// The copies in the folder that were made or compared, by the path of their store.
  private let copies = Mutex<[FilePath: FilePath]>([:])
  private let unpacked = Mutex<[FilePath: Unpacked]>([:])
  /// The number of attempts while a writer is active.
  private static let attempts = 5

  /// Reads copies during a closure.
  ///
  /// - Parameters:
  ///   - folder: The folder for the copies, which must exist; `nil` to read the stores themselves.
  ///   - unpacker: Copies stores out of backups and archives; `nil` if such stores are refused.
  /// - Throws: Errors of the closure.
  package static func reading<Result>(
    in folder: String?, unpackingWith unpacker: Unpacker? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    let copies = WorkingCopies(folder.map { FileStatus.resolve($0) ?? $0 }, unpacker)
    defer { for unpacked in copies.unpacked.withLock({ $0 }).values { unpacked.copy.remove() } }
    return try $current.withValue(copies, operation: body)
  }

  private init(_ folder: String?, _ unpacker: Unpacker?) {
    self.folder = folder
    self.unpacker = unpacker
  }

  /// Returns the path of a private copy of a store in a backup or an archive, which is made the first time.
  ///
  /// - Throws: ``StoreError/contained(path:container:)`` for a command that does not only read, and errors of copying.
  static func unpacked(_ store: ContainedPath) throws(StoreError) -> String {
    let key = FilePath(store.resolved)
    let known = current?.unpacked.withLock { $0[key] }
    if let known { return known.copy.path }
    guard let current, let unpacker = current.unpacker else {
      throw .contained(path: store.path, container: store.container)
    }
    let copy = try PrivateCopy(forStoreAt: store.path)
    do {
      // Without the lock: the list of a backup is opened as a store is.
      try unpacker(store, copy)
    } catch {
      copy.remove()
      throw error as? StoreError ?? .unreadable(path: store.path, reason: "\(error)")
    }
    let own = Unpacked(copy: copy)
    let first = current.unpacked.withLock { unpacked -> Unpacked in
      if let other = unpacked[key] { return other }
      unpacked[key] = own
      return own
    }
    if first.copy.path != copy.path { copy.remove() }
    return first.copy.path
  }

  /// Returns the copy of a store, which is made the first time; `nil` where the store itself is to be read.
  ///
  /// - Parameters:
  ///   - file: The path of the store, with links resolved.
  ///   - name: The path that the copy has below the folder, if it is another.
  ///   - path: The path for messages.
  static func copy(
    of file: String, named name: String? = nil, path: String
  ) throws(StoreError) -> String? {
    guard let current, let folder = current.folder else { return nil }
    return try current.copies.withLock { copies throws(StoreError) -> String? in
      if let known = copies[FilePath(file)] { return known.string }
      // Recorded values beside a copy.
      let isCompanion = copies.values.contains {
        FilePath(file) == $0 || file.utf8.starts(with: ($0.string + "-").utf8)
      }
      if isCompanion { return nil }
      let copy = (folder == "/" ? "" : folder) + (name ?? file)
      try make(copy, of: file, path: path)
      copies[FilePath(file)] = FilePath(copy)
      return copy
    }
  }

  /// The files of a store that are copied, beside the folder of large values. The index of the log is not
  /// among them: SQLite makes one for the copy.
  private static let suffixes = [
    "-wal", "-journal", "-values.db", "-values.db-wal", "-values.db-journal", "-bookmarks.json", "",
  ]

  private static func make(
    _ copy: String, of original: String, path: String
  ) throws(StoreError) {
    let (source, target) = (FilePath(original).folder.string, FilePath(copy).folder.string)
    func fail(_ reason: NotCopiedReason) -> StoreError {
      .notCopied(path: path, copy: copy, reason: reason)
    }
    do {
      guard FilePath(copy) != FilePath(original), FilePath(copy) != FilePath(source + original)
      else { throw fail(.besideStore) }
      if FileMove.entry(at: copy) != .none {
        guard try isCopy(copy, copy, of: original) else { throw fail(.otherState) }
        return
      }
      try MissingFolders.make(target, permissions: .ownerReadWriteExecute)
      guard FileStatus.resolve(target).map(FilePath.init(_:)) != FilePath(source) else {
        throw fail(.besideStore)
      }
      try copyLargeValues(to: copy, of: original)
      for _ in 0..<attempts {
        if try copyFiles(to: copy, of: original) { return }
      }
    } catch let error as StoreError {
      throw error
    } catch let error as MissingFolders.Problem {
      throw fail(.failed("\(error.path): \(error.reason)"))
    } catch let error as FileProblem {
      throw fail(.failed("\(error.path): \(error.reason)"))
    } catch {
      throw fail(.failed("\(error)"))
    }
    throw .changedWhileCopying(path: path)
  }

  private static func copyLargeValues(to copy: String, of original: String) throws {
    let target = ExternalData(besideStoreAt: copy)
    // Remove files that a killed attempt has left.
    try MissingFolders.remove(target.path)
    let source = ExternalData(besideStoreAt: original)
    // Of a copy that is used again, only the store and its files are compared.
    if try source.copy(to: target.path, progress: { _ in }) > 0 {
      try FolderContents.synchronize(target.path)
    }
  }

  /// Copies the files, the store itself last, and returns whether all are still the same then.
  private static func copyFiles(to copy: String, of original: String) throws -> Bool {
    var store: DraftFile?
    for suffix in suffixes {
      guard let source = try FileReader(original + suffix) else {
        FileStatus.remove(copy + suffix)
        continue
      }
      let draft = try DraftFile(
        path: copy + suffix, permissions: .ownerReadWrite, overwrites: true)
      while case let piece = try source.next(), !piece.isEmpty { try draft.write(piece) }
      if suffix.isEmpty { store = draft } else { try draft.commit() }
    }
    guard let store, try isCopy(store.temporaryPath, copy, of: original) else { return false }
    try store.commit()
    return true
  }

  /// Compares all bytes of a store and its files with those of a copy. A missing file equals an empty one,
  /// which SQLite leaves beside a store that was read.
  private static func isCopy(
    _ store: String, _ copy: String, of original: String
  ) throws -> Bool {
    for suffix in suffixes {
      let first = try FileReader(original + suffix)
      let second = try FileReader(suffix.isEmpty ? store : copy + suffix)
      while true {
        let (one, other) = (try first?.next() ?? .empty, try second?.next() ?? .empty)
        guard one.count == other.count, one.elementsEqual(other) else { return false }
        if one.isEmpty { break }
      }
    }
    return true
  }
}

extension UnsafeRawBufferPointer {
  fileprivate static var empty: UnsafeRawBufferPointer { .init(start: nil, count: 0) }
}

/// The values of a command that reading on other threads needs, to be carried to them.
///
/// ```swift
/// let scope = ReadingScope()
/// queue.async { scope.run { … } }
/// ```
package struct ReadingScope: Sendable {
  private let copies = WorkingCopies.current
  private let cancellation = Cancellation.current
  private let watch = TemporaryFiles.watch

  /// Takes the values of the present thread.
  package init() {}

  /// Runs a closure with the values.
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try WorkingCopies.$current.withValue(copies) {
      try Cancellation.$current.withValue(cancellation) {
        try TemporaryFiles.$watch.withValue(watch, operation: body)
      }
    }
  }
}
