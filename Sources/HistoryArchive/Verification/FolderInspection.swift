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
    inspectMode((try? archive.folder().status())?.st_mode, archive.path)
    inspect(permissionsOf: ArchiveFormat.catalogName)
    for name in names(in: nil) where name != ArchiveFormat.catalogName {
      let path = archive.storePath(name)
      if stores[name] != nil { continue }
      let kind = mode(of: name).map { $0 & S_IFMT }
      if SegmentName.isStoreFolder(name), kind == S_IFDIR || kind == S_IFLNK {
        // Sealing of a store was interrupted before its first segment was listed. An empty folder is of no
        // consequence: the next run uses it.
        inspect(store: name, known: [], listed.leftovers(ofStore: name))
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
    if mode(of: store).map({ $0 & S_IFMT }) != S_IFLNK { inspect(permissionsOf: store) }
    for file in names(in: store) {
      let name = store + "/" + file
      let path = archive.path(of: name)
      let range = [SegmentName.segmentSuffix, SegmentName.manifestSuffix]
        .first { file.hasSuffix($0) }.flatMap { SegmentName.range(of: file.dropLast($0.count)) }
      if let range, known.contains(range) {
        inspect(permissionsOf: name)
      } else if let range, leftovers.contains(range) {
        findings.add(
          .leftoverSegment, at: .file(path),
          leftovers.isForgotten(range)
            ? "its transactions were forgotten" : "listed segments have its transactions")
      } else if range != nil {
        findings.add(.unlistedSegment, at: .file(path), "the catalog does not name it")
      } else if AbandonedDrafts.isDraft(file), mode(of: name).map({ $0 & S_IFMT }) == S_IFREG {
        findings.add(.abandonedDraft, at: .file(path), "it has the name of a file being written")
      } else {
        findings.add(.strayFile, at: .file(path), Self.noPart)
      }
    }
  }

  private static let noPart = "it is not part of the format"

  /// Returns the names in the folder of a store, or in that of the archive; sorted, without those that begin
  /// with a dot, which are the system's.
  private mutating func names(in store: String?) -> [String] {
    do throws(ArchiveError) {
      let folder: OpenFolder?
      if let store {
        folder = try archive.storeFolder(store)
      } else {
        folder = try archive.folder()
      }
      guard let folder else { return [] }
      return try ArchiveFile.names(in: folder).filter { !$0.hasPrefix(".") }.sorted()
    } catch {
      let path = store.map(archive.storePath) ?? archive.path
      switch error {
      case .linked: addLink(path)
      case .unreadable(_, let reason): findings.add(.unreadableFile, at: .file(path), reason)
      default: findings.add(.unreadableFile, at: .file(path), error.message)
      }
      return []
    }
  }

  private mutating func addLink(_ path: String) {
    findings.add(.unreadableFile, at: .file(path), "it is a symbolic link, which is not followed")
  }

  private mutating func inspect(permissionsOf name: String) {
    guard let mode = mode(of: name) else { return }
    if mode & S_IFMT == S_IFLNK { return addLink(archive.path(of: name)) }
    inspectMode(mode, archive.path(of: name))
  }

  private mutating func inspectMode(_ mode: mode_t?, _ path: String) {
    guard let mode, mode & 0o002 != 0 else { return }
    findings.add(
      .widePermissions, at: .file(path), "everybody may write it (mode \(Self.octal(mode)))")
  }

  /// Compares the permissions of a store's segments with those of the store.
  mutating func compare(_ entries: [CatalogEntry], with store: StoreLocation) {
    guard let allowed = (try? FilePlace(store.resolvedPath).status())?.st_mode else { return }
    let names = entries.flatMap {
      [
        Archive.segmentName($0.range, ofStore: $0.store),
        Archive.manifestName($0.range, ofStore: $0.store),
      ]
    }
    for name in [ArchiveFormat.catalogName] + names {
      guard let mode = mode(of: name), mode & S_IFMT != S_IFLNK, mode & ~allowed & 0o077 != 0 else {
        continue
      }
      findings.add(
        .widePermissions, at: .file(archive.path(of: name)),
        "its mode is \(Self.octal(mode)), and that of the store \(Self.octal(allowed))")
    }
  }

  /// The mode of a file or folder of the archive, or of a link; `nil` where nothing exists.
  private func mode(of name: String) -> mode_t? { (try? archive.place(name).status())?.st_mode }

  private static func octal(_ mode: mode_t) -> String {
    let digits = String(mode & 0o777, radix: 8)
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }
}
