import DurableFiles
import Libc
import Synchronization
import SystemPackage

/// Copies of stores that are read in place of the stores themselves, which stay untouched.
///
/// While a folder is set, every store that is opened by its path is copied into it first. A copy has the
/// path of its store below the folder, so that stores of one name stay apart.
package enum WorkingCopies {
  private struct Place {
    let folder: String
    /// The copies that were made or compared, by the path of their store.
    var copies: [String: String] = [:]
  }

  private static let place = Mutex<Place?>(nil)
  /// The number of attempts while a writer is active.
  private static let attempts = 5

  /// Reads copies during a closure.
  ///
  /// - Parameter folder: The folder for the copies, which must exist; `nil` to read the stores themselves.
  /// - Throws: Errors of the closure.
  package static func reading<Result>(
    in folder: String?, _ body: () throws -> Result
  ) rethrows -> Result {
    guard let folder else { return try body() }
    place.withLock { $0 = Place(folder: FileStatus.resolve(folder) ?? folder) }
    defer { place.withLock { $0 = nil } }
    return try body()
  }

  /// Returns the copy of a store, which is made the first time; `nil` where the store itself is to be read.
  ///
  /// - Parameters:
  ///   - original: The path of the store, with links resolved.
  ///   - path: The path for messages.
  static func copy(of original: String, path: String) throws(StoreError) -> String? {
    try place.withLock { place throws(StoreError) -> String? in
      guard let (folder, copies) = place.map({ ($0.folder, $0.copies) }) else { return nil }
      if let known = copies[original] { return known }
      // Recorded values beside a copy.
      if copies.values.contains(where: { original == $0 || original.hasPrefix($0 + "-") }) {
        return nil
      }
      let copy = (folder == "/" ? "" : folder) + original
      try make(copy, of: original, path: path)
      place?.copies[original] = copy
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
      guard copy != original, copy != source + original else { throw fail(.besideStore) }
      if FileMove.entry(at: copy) != .none {
        guard try isCopy(copy, copy, of: original) else { throw fail(.otherState) }
        return
      }
      try MissingFolders.make(target, permissions: .ownerReadWriteExecute)
      guard FileStatus.resolve(target) != source else { throw fail(.besideStore) }
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

/// Reads a file in pieces of one length, without following a link or waiting for a pipe.
package final class FileReader {
  private let file: FileDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var offset: Int64 = 0

  /// Opens a file; returns `nil` where there is none.
  ///
  /// - Throws: The system's error, and ``FileProblem`` for anything else than a file.
  package init?(_ path: String) throws {
    switch FileMove.entry(at: path) {
    case .none: return nil
    case .file: break
    case .folder, .link, .other: throw FileProblem(path: path, reason: "it is not a file")
    }
    file = try FileDescriptor.open(
      FilePath(path), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
    buffer = .allocate(byteCount: 1 << 18, alignment: 16)
  }

  deinit {
    try? file.close()
    buffer.deallocate()
  }

  /// Returns the next bytes, which are valid until the next call; none at the end.
  package func next() throws -> UnsafeRawBufferPointer {
    let count = try file.fill(buffer, from: offset)
    offset += Int64(count)
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }
}
