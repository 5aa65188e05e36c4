import DurableFiles
import Libc
import StoreFormat
import Synchronization
import SystemPackage

/// A file that may be a store, or a problem on the way to one.
struct FindCandidate: Sendable {
  enum Kind: Sendable {
    case file
    case archive
    case backup(DeviceBackup, DeviceBackup.File)
    case problem(any Error)
  }

  let file: FilePath
  let kind: Kind
  var place = StorePlace()
  /// Whether it is one of the paths to begin with.
  var isRoot = false

  /// The path for people and messages, by which other commands open the store.
  var path: String {
    if case .backup(let backup, let file) = kind { backup.path(of: file) } else { file.shown }
  }
}

/// Lists files in the order of the bytes of their paths.
///
/// A link is followed only if it is one of the paths to begin with.
struct StoreWalk {
  /// Receives each candidate.
  let visit: (FindCandidate) throws -> Void

  private struct Entry {
    let path: FilePath
    let isFolder: Bool
    let place: StorePlace
    let isRoot: Bool
    /// The bytes of the path, and what follows it in the paths of what is found there.
    let key: [UInt8]

    init(_ path: FilePath, isFolder: Bool, _ place: StorePlace, isRoot: Bool = false) {
      self.path = path
      self.isFolder = isFolder
      self.place = place
      self.isRoot = isRoot
      key = path.bytes + (isFolder ? "/" : ArchivedStores.isArchive(path) ? "!/" : "").utf8
    }
  }

  /// Walks through paths in order, and only once through a folder that several of them contain.
  func walk(_ paths: [String]) throws {
    var last: String?
    let roots = paths.map { (path: $0, key: $0.hasSuffix("/") ? $0 : $0 + "/") }
    for (path, key) in roots.sorted(by: { $0.key.utf8.precedes($1.key.utf8) }) {
      // By bytes: names that look the same can be different folders.
      if let last, key.utf8.starts(with: last.utf8) { continue }
      last = key
      try walk(path)
    }
  }

  private func walk(_ path: String) throws {
    let status: FileStatus?
    do {
      status = try FileStatus(path: path)
    } catch {
      return try fail(
        FilePath(path), StoreError.unreadable(path: path, reason: error.description))
    }
    let place = StorePlace(above: path)
    switch status?.kind {
    case nil: try fail(FilePath(path), StoreError.missing(path: path))
    case .file:
      // The last link is followed here, because files are opened without following one.
      let isLink = FileMove.entry(at: path) == .link
      try visitFile(
        FilePath(isLink ? FileStatus.resolve(path) ?? path : path), place, isRoot: true)
    case .directory:
      try walk(Entry(FilePath(path), isFolder: true, place, isRoot: true))
    case let kind?:
      try fail(
        FilePath(path), StoreError.notAStore(path: path, reason: .notAFile(kind: kind.name)))
    }
  }

  /// Walks without recursion: folders may be nested as deeply as paths are long.
  private func walk(_ root: Entry) throws {
    var rest = [root]
    while let entry = rest.popLast() {
      if entry.isFolder {
        // The last of the list is the next.
        rest += try enter(entry).sorted { $1.key.lexicographicallyPrecedes($0.key) }
      } else {
        try visitFile(entry.path, entry.place)
      }
    }
  }

  private func visitFile(_ path: FilePath, _ place: StorePlace, isRoot: Bool = false) throws {
    let kind: FindCandidate.Kind = ArchivedStores.isArchive(path) ? .archive : .file
    try visit(FindCandidate(file: path, kind: kind, place: place, isRoot: isRoot))
  }

  private func enter(_ folder: Entry) throws -> [Entry] {
    let components: [FilePath.Component]
    do {
      let descriptor = try FileDescriptor.open(
        folder.path, .readOnly,
        options: folder.isRoot
          ? [.directory, .closeOnExec] : [.directory, .noFollow, .closeOnExec])
      defer { try? descriptor.close() }
      components = FolderNames.components(descriptor)
    } catch {
      try fail(folder.path, StoreError.reading(folder.path.shown, error))
      return []
    }
    let names = Set(components.map(\.string))
    if names.contains("Manifest.db"), folder.path.isText, try visitBackup(folder.path.string) {
      return []
    }
    let place = folder.place.entering(folder.path.string, names: names)
    var entries: [Entry] = []
    for component in components where !AbandonedDrafts.isDraft(component.string) {
      let path = folder.path.appending(component)
      var status = stat()
      guard path.withPlatformString({ lstat($0, &status) }) == 0 else {
        try fail(path, StoreError.reading(path.shown, Errno(rawValue: errno)))
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: entries.append(Entry(path, isFolder: true, place))
      case S_IFREG where Int64(status.st_size) >= StoreBeginning.shortest:
        entries.append(Entry(path, isFolder: false, place))
      // Links, pipes and devices, and files that are too short.
      default: break
      }
    }
    return entries
  }

  /// Visits the files of a backup; returns `false` for any other folder.
  private func visitBackup(_ folder: String) throws -> Bool {
    let kind: DeviceBackup.Kind
    do {
      kind = try DeviceBackup.kind(ofFolder: folder)
    } catch {
      try fail(FilePath(folder), error)
      return false
    }
    switch kind {
    case .none: return false
    case .encrypted:
      try fail(
        FilePath(folder),
        OperationError(
          .encryptedBackup, "\(folder) is an encrypted backup",
          hint: "make a backup without encryption, or decrypt this one first"))
    case .readable(let backup):
      // A failure of the visitor is not one of the backup.
      var failure: (any Error)?
      do {
        try backup.forEachFile { file in
          do {
            try visit(
              FindCandidate(
                file: FilePath(file.path), kind: .backup(backup, file),
                place: StorePlace(ofBackupDomain: file.domain)))
          } catch {
            failure = error
            throw error
          }
        }
      } catch {
        if let failure { throw failure }
        try fail(FilePath(folder), error)
      }
    }
    return true
  }

  private func fail(_ path: FilePath, _ error: any Error) throws {
    try visit(FindCandidate(file: path, kind: .problem(error)))
  }
}

extension StoreError {
  /// The error for a file or a folder that cannot be opened.
  static func reading(_ path: String, _ error: any Error) -> StoreError {
    error as? Errno == .noSuchFileOrDirectory
      ? .missing(path: path)
      : .unreadable(path: path, reason: (error as? Errno)?.description ?? "\(error)")
  }
}

extension String.UTF8View {
  /// Whether the bytes come before others.
  func precedes(_ other: Self) -> Bool { lexicographicallyPrecedes(other) }
}

/// Lets large stores be read one at a time, while small ones are read on all processors: each may have a value that takes
/// most of the memory of a command.
final class LargeStores: Sendable {
  /// The size of the stores that are read together, in bytes.
  private static let sharedByteCount: Int64 = 16 << 20

  private let limit = LargeStores.sharedByteCount / Int64(StoreReading.helperCount + 1)
  private let turn = Mutex(())

  /// Reads a store, whose values are in these files.
  func reading<Result>(_ files: [String], _ body: () throws -> Result) throws -> Result {
    // A file that cannot be examined cannot be read either, which is reported then.
    let byteCount = files.reduce(0) { $0 + ((try? FileStatus(path: $1))?.size ?? 0) }
    return byteCount > limit ? try turn.withLock { _ in try body() } : try body()
  }

  /// Reads a copy of a store.
  func reading<Result>(_ copy: PrivateCopy, _ body: () throws -> Result) throws -> Result {
    try reading([copy.path, copy.logPath], body)
  }
}
