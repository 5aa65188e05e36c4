import DurableFiles
import HistoryCoding
import StoreFormat
import SystemPackage

/// Copies the stores that a search found in archives and backups into a new folder.
///
/// Each store keeps its place: the path of its container and then its name in it are folders of the new one. The folder
/// appears when everything in it is on the disk.
final class StoreExtraction {
  /// The name of the list of files in the folder.
  private static let listName = "extracted.jsonl"

  private struct Container {
    let file: FilePath
    /// The path for people.
    let path: String
    var stores: [String]
  }

  private struct Copy {
    /// The name of the store in the container.
    let store: String
    /// The name of the file in the container.
    let name: String
    let digest: FileDigest
  }

  private let folder: String
  private let limits: FindOperation.Limits
  private var containers: [Container] = []

  /// - Throws: ``OperationError`` if there is something in the folder.
  init(into folder: String, limits: FindOperation.Limits) throws {
    self.folder = folder
    self.limits = limits
    let isEmpty =
      FileMove.entry(at: folder) == .folder && (try? FolderNames.list(folder))?.isEmpty == true
    guard isEmpty || FileMove.entry(at: folder) == .none else {
      throw OperationError(
        .alreadyThere, "\(folder) already exists", hint: "extract to a new or an empty folder")
    }
  }

  /// Adds a store; one that is a file of its own stays where it is.
  func add(_ store: FoundStore) {
    guard let (file, path, name) = store.origin?.container else { return }
    if containers.last?.file == file {
      containers[containers.count - 1].stores.append(name)
    } else {
      containers.append(Container(file: file, path: path, stores: [name]))
    }
  }

  /// Extracts the stores that were added.
  ///
  /// - Parameter failed: Receives the path of each file that could not be copied; its store is left out.
  /// - Returns: What was extracted, or `nil` if there is nothing, and no folder.
  /// - Throws: ``OperationError``, and errors of `failed`.
  func run(
    failed: (_ path: String, any Error) throws -> Void
  ) throws -> FindOperation.Extraction? {
    guard !containers.isEmpty else { return nil }
    do {
      try MissingFolders.make(FilePath(folder).folder.string)
      let draft = try DraftFolder(path: DraftFolder.path(for: folder), for: folder) { _, _, _ in }
      defer { draft.discard() }
      let list = try DraftFile(
        path: draft.path + "/" + Self.listName, permissions: .ownerReadWrite, overwrites: false)
      var extraction = FindOperation.Extraction(folder: folder, list: folder + "/" + Self.listName)
      for container in containers {
        try extract(container, to: draft.path, list, &extraction, failed)
      }
      guard extraction.storeCount > 0 else { return nil }
      try list.commit()
      try FolderContents.synchronize(draft.path)
      try FileMove.move(draft.path, replacing: folder)
      draft.leave()
      try DraftFile.synchronizeFolder(of: folder)
      return extraction
    } catch let error as Errno {
      throw OperationError(
        .unwritable, "cannot extract to \(folder): \(error.description)",
        hint: "name a folder where files can be made and that has room for them")
    } catch let error as MissingFolders.Problem {
      throw OperationError(
        .unwritable, "cannot create the folder \(error.path): \(error.reason)",
        hint: "name a folder where files can be made")
    }
  }

  private func extract(
    _ container: Container, to root: String, _ list: DraftFile,
    _ extraction: inout FindOperation.Extraction, _ failed: (String, any Error) throws -> Void
  ) throws {
    var parts = StoreParts()
    var missing = Set(container.stores)
    var taken: Set<String> = []
    for name in container.stores {
      var place = Self.place(of: container.path + "/" + name)
      // Names with empty parts, such as a//b. No other place ends like this.
      while !taken.insert(place).inserted { place += "%" }
      parts.add(storeNamed: name, copiedTo: root + "/" + place)
    }
    var copies: [String: Copy] = [:]
    var problems: [(path: String, error: any Error)] = []
    var incomplete: Set<String> = []
    func path(of name: String) -> String { container.path + ContainedPath.separator + name }
    do {
      try ContainedStores.copyFiles(of: container.file, parts, limits: limits) {
        name, place, problem in
        do {
          if let problem { throw problem }
          guard let digest = try FileDigest(ofFileAt: place.target) else { return }
          copies[place.target] = Copy(store: place.store, name: name, digest: digest)
          missing.remove(name)
        } catch {
          TemporaryFiles.remove(place.target)
          incomplete.insert(place.store)
          problems.append((path(of: name), error))
        }
      }
    } catch {
      problems.append((container.path, error))
    }
    for name in missing.subtracting(incomplete) where problems.isEmpty {
      problems.append((path(of: name), StoreError.missing(path: path(of: name))))
    }
    for problem in problems.sorted(by: { $0.path.utf8.precedes($1.path.utf8) }) {
      try failed(problem.path, problem.error)
    }
    incomplete.formUnion(missing)
    extraction.storeCount += container.stores.count - incomplete.count
    var writer = JSONWriter()
    for (target, copy) in copies.sorted(by: { $0.key.utf8.precedes($1.key.utf8) }) {
      guard !incomplete.contains(copy.store) else {
        TemporaryFiles.remove(target)
        continue
      }
      extraction.fileCount += 1
      extraction.byteCount += copy.digest.byteCount
      writer.append(
        .record(
          "extracted",
          [
            "path": String(target.dropFirst(root.count + 1)), "from": path(of: copy.name),
            "bytes": copy.digest.byteCount, "sha256": copy.digest.digest,
          ]))
      writer.appendRaw("\n")
      try writer.withUnsafeBytes { bytes throws(Errno) in try list.write(bytes) }
      writer.removeAll()
    }
  }

  /// Returns the place below the folder for a path, which leads nowhere else.
  private static func place(of path: String) -> String {
    path.split(separator: "/").filter { $0 != "." }.map { name in
      name == ".." ? "%2E%2E" : name.unicodeScalars.map(shown).joined()
    }.joined(separator: "/")
  }

  /// Control characters would come to a terminal with the path, and `%` is what they are written with.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    guard scalar == "%" || scalar.properties.generalCategory == .control else {
      return String(scalar)
    }
    return scalar.utf8.map { "%" + Hexadecimal.text(of: [$0]).uppercased() }.joined()
  }
}

extension FoundStore.Origin {
  /// The archive or the backup that a store is in, its path for people, and the name in it.
  fileprivate var container: (file: FilePath, path: String, name: String)? {
    switch self {
    case .member(let archive, let name, let bytes):
      let path = bytes.map { FilePath(platformString: $0.map { CChar(bitPattern: $0) } + [0]) }
      return (path ?? FilePath(FileStatus.resolve(archive) ?? archive), archive, name)
    case .backup(let folder, let domain, let relativePath, _):
      return (FilePath(folder), folder, domain + "/" + relativePath)
    case .bytes: return nil
    }
  }
}

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
