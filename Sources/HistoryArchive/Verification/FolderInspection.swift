import DurableFiles
import Libc
import PersistentHistory
import StoreFormat

/// Verifies the names in an archive's folders, and the permissions of its files.
struct FolderInspection {
  private let archive: Archive
  private(set) var findings: FindingLog<ArchiveFindingKind>

  init(_ archive: Archive, limit: Int) {
    self.archive = archive
    findings = FindingLog(limit: limit)
  }

  /// Verifies all names.
  ///
  /// - Parameter listed: The segments that the catalog lists.
  mutating func run(_ listed: ListedSegments) {
    var stores: [String: Set<ClosedRange<Int64>>] = [:]
    for entry in listed.entries { stores[entry.store, default: []].insert(entry.range) }
    inspectPermissions(of: archive.path)
    inspectPermissions(of: archive.catalogPath)
    for name in names(in: archive.path) where name != ArchiveFormat.catalogName {
      let path = archive.storePath(name)
      if stores[name] != nil { continue }
      if SegmentName.isStoreFolder(name), Self.permissions(of: path)?.isFolder == true {
        // Sealing of a store was interrupted before its first segment was listed.
        inspect(store: name, known: [], listed.leftovers(ofStore: name))
        if names(in: path).isEmpty {
          findings.add(
            .strayFile, at: .file(path), "it is empty, and the catalog does not name such a store")
        }
      } else {
        findings.add(.strayFile, at: .file(path), Self.noPart)
      }
    }
    for (store, ranges) in stores.sorted(by: { $0.key < $1.key }) {
      inspect(store: store, known: ranges, listed.leftovers(ofStore: store))
    }
  }

  private mutating func inspect(
    store: String, known: Set<ClosedRange<Int64>>, _ leftovers: LeftoverSegments
  ) {
    let folder = archive.storePath(store)
    inspectPermissions(of: folder)
    for name in names(in: folder) {
      let path = folder + "/" + name
      let range = [SegmentName.segmentSuffix, SegmentName.manifestSuffix]
        .first { name.hasSuffix($0) }.flatMap { SegmentName.range(of: name.dropLast($0.count)) }
      if let range, known.contains(range) {
        inspectPermissions(of: path)
      } else if let range, leftovers.contains(range) {
        findings.add(
          .leftoverSegment, at: .file(path),
          leftovers.isForgotten(range)
            ? "its transactions were forgotten" : "listed segments have its transactions")
      } else if range != nil {
        findings.add(.unlistedSegment, at: .file(path), "the catalog does not name it")
      } else if AbandonedDrafts.isDraft(name), Self.permissions(of: path)?.isFolder == false {
        findings.add(.abandonedDraft, at: .file(path), "it has the name of a file being written")
      } else {
        findings.add(.strayFile, at: .file(path), Self.noPart)
      }
    }
  }

  private static let noPart = "it is not part of the format"

  /// Returns the names in a folder, sorted, without those that begin with a dot, which are the
  /// system's.
  private mutating func names(in folder: String) -> [String] {
    guard access(folder, R_OK | X_OK) == 0 else {
      if errno != ENOENT {
        findings.add(
          .unreadableFile, at: .file(folder), String(cString: strerror(errno)))
      }
      return []
    }
    return FolderNames.read(folder).filter { !$0.hasPrefix(".") }.sorted()
  }

  private mutating func inspectPermissions(of path: String) {
    guard let (mode, _) = Self.permissions(of: path), mode & 0o002 != 0 else { return }
    findings.add(
      .widePermissions, at: .file(path), "everybody may write it (mode \(Self.octal(mode)))")
  }

  /// Compares the permissions of a store's segments with those of the store.
  mutating func compare(_ entries: [CatalogEntry], with store: StoreLocation) {
    guard let (allowed, _) = Self.permissions(of: store.resolvedPath) else { return }
    let paths = entries.flatMap { [archive.segmentPath($0), archive.manifestPath($0)] }
    for path in [archive.catalogPath] + paths {
      guard let (mode, _) = Self.permissions(of: path), mode & ~allowed & 0o077 != 0 else {
        continue
      }
      findings.add(
        .widePermissions, at: .file(path),
        "its mode is \(Self.octal(mode)), and that of the store \(Self.octal(allowed))")
    }
  }

  private static func permissions(of path: String) -> (mode: mode_t, isFolder: Bool)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return (status.st_mode & 0o777, status.st_mode & S_IFMT == S_IFDIR)
  }

  private static func octal(_ mode: mode_t) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }
}
