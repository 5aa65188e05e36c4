import DurableFiles
import Libc
@_exported import PersistentHistory
import StoreFormat
import SystemPackage

/// A folder of sealed history: segments of one or several stores, and the catalog that chains them.
///
/// ```swift
/// let archive = try Archive(path: "history-archive")
/// for entry in try archive.catalog().entries {
///   print(entry.first, entry.last)
/// }
/// ```
public struct Archive: Sendable {
  package let path: String
  /// The folder, below which no link is followed; `nil` if it was not opened yet.
  private let opened: OpenFolder?

  /// Opens an archive.
  ///
  /// - Throws: ``ArchiveError/notAnArchive(path:reason:)`` if the folder is missing or has no catalog,
  ///   ``ArchiveError/lostCatalog(path:)`` if it has segments and no catalog,
  ///   ``ArchiveError/linked(path:)`` if the catalog is a link, and
  ///   ``ArchiveError/unreadable(path:reason:)`` if that cannot be determined.
  public init(path: String) throws(ArchiveError) {
    guard let folder = try Self.kind(of: path) else {
      throw .notAnArchive(path: path, reason: .missing)
    }
    guard folder == .directory else {
      throw .notAnArchive(path: path, reason: .notAFolder)
    }
    self.path = path
    opened = try Self.folder(path)
    let catalog = try catalogFile()
    guard let found = try ArchiveFile.kind(of: catalog) else {
      throw try hasSegments()
        ? .lostCatalog(path: catalogPath) : .notAnArchive(path: path, reason: .withoutCatalog)
    }
    if found == .link { throw .linked(path: catalogPath) }
    guard found == .file else { throw .notAnArchive(path: path, reason: .withoutCatalog) }
  }

  init(unchecked path: String) {
    self.path = path
    opened = nil
  }

  /// Whether a folder has a catalog, or has lost it. The catalog is not read. Returns `false` if that cannot be
  /// determined; opening the archive reports why.
  package static func isArchive(_ path: String) -> Bool {
    do throws(ArchiveError) {
      _ = try Archive(path: path)
      return true
    } catch {
      switch error {
      case .lostCatalog: return true
      // A link in the place of a store's folder does not make an archive.
      case .linked(let link):
        return link.utf8.elementsEqual(Archive(unchecked: path).catalogPath.utf8)
      default: return false
      }
    }
  }

  private static func kind(of path: String) throws(ArchiveError) -> FileStatus.Kind? {
    guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
    do {
      return try FileStatus(path: path)?.kind
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }

  private static func folder(_ path: String) throws(ArchiveError) -> OpenFolder {
    do {
      return try OpenFolder(path: path)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }

  // MARK: - Files

  /// The open folder of the archive.
  func folder() throws(ArchiveError) -> OpenFolder {
    if let opened { return opened }
    return try Self.folder(path)
  }

  /// Opens the folder of a store, or returns `nil` if there is none.
  func storeFolder(_ store: String) throws(ArchiveError) -> OpenFolder? {
    let folder = try folder()
    do {
      return try folder.folder(store)
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw .reading(FilePlace(store, in: folder), error)
    }
  }

  func place(_ name: String) throws(ArchiveError) -> FilePlace { FilePlace(name, in: try folder()) }

  func catalogFile() throws(ArchiveError) -> FilePlace { try place(ArchiveFormat.catalogName) }

  func segmentFile(_ entry: CatalogEntry) throws(ArchiveError) -> FilePlace {
    try place(Self.segmentName(entry.range, ofStore: entry.store))
  }

  func manifestFile(_ entry: CatalogEntry) throws(ArchiveError) -> FilePlace {
    try place(Self.manifestName(entry.range, ofStore: entry.store))
  }

  static func segmentName(_ range: ClosedRange<Int64>, ofStore store: String) -> String {
    "\(store)/\(SegmentName.text(range))\(SegmentName.segmentSuffix)"
  }

  static func manifestName(_ range: ClosedRange<Int64>, ofStore store: String) -> String {
    "\(store)/\(SegmentName.text(range))\(SegmentName.manifestSuffix)"
  }

  // MARK: - Paths

  package var catalogPath: String { path(of: ArchiveFormat.catalogName) }

  func storePath(_ identifier: String) -> String { path(of: identifier) }

  func segmentPath(_ entry: CatalogEntry) -> String {
    path(of: Self.segmentName(entry.range, ofStore: entry.store))
  }

  func manifestPath(_ entry: CatalogEntry) -> String {
    path(of: Self.manifestName(entry.range, ofStore: entry.store))
  }

  func path(of name: String) -> String {
    path.hasSuffix("/") ? path + name : path + "/" + name
  }

  // MARK: - Contents

  /// Reads the catalog and checks its chain.
  public func catalog() throws(ArchiveError) -> ArchiveCatalog {
    try ArchiveCatalog(catalogFile())
  }

  package func stores() throws(ArchiveError) -> [ArchivedStore] { try catalog().stores }

  /// Returns the segments of one store.
  ///
  /// - Parameter identifier: The store, or `nil` for the only one.
  package func store(_ identifier: String? = nil) throws(ArchiveError) -> ArchivedStore {
    try store(identifier, in: catalog())
  }

  func store(
    _ identifier: String?, in catalog: ArchiveCatalog
  ) throws(ArchiveError) -> ArchivedStore {
    let known = catalog.storeIdentifiers
    if identifier == nil, known.count > 1 { throw .severalStores(path: path, stores: known) }
    guard let wanted = identifier ?? known.first, let store = catalog.store(wanted) else {
      throw .unknownStore(path: path, store: identifier ?? "", known: known)
    }
    return store
  }

  /// Whether the catalog lists a segment now. Lines are read one by one, because the caller has a catalog in
  /// memory already.
  ///
  /// - Parameter byteCount: The length of the catalog when it listed the segment; only what was added since
  ///   is read. A catalog never shrinks.
  func lists(_ entry: CatalogEntry, since byteCount: Int64 = 0) throws(ArchiveError) -> Bool {
    var lines = try CatalogLines(catalogFile(), from: byteCount)
    var isListed = byteCount > 0
    while let line = try lines.next() {
      let other = try line.entry.get()
      if other == entry {
        isListed = true
      } else if other.kind != .segment, other.store == entry.store {
        let isReplaced = other.first <= entry.first && entry.last <= other.last
        if isReplaced || other.kind == .forget && entry.first < other.first { isListed = false }
      }
    }
    return isListed
  }

  /// Reads a manifest and checks it against the catalog.
  ///
  /// - Throws: ``ArchiveError/changed(path:)`` if the segment was merged or forgotten after the catalog
  ///   was read.
  package func manifest(of entry: CatalogEntry) throws(ArchiveError) -> SegmentManifest {
    try present(entry) { () throws(ArchiveError) in try readManifest(of: entry) }
  }

  private func readManifest(of entry: CatalogEntry) throws(ArchiveError) -> SegmentManifest {
    let file = try manifestFile(entry)
    let (manifest, _) = try SegmentManifest.read(file, expecting: entry.manifestDigest)
    guard manifest.fits(entry) else {
      throw .damaged(
        path: file.path, place: "its range", detail: "it is not the one in the catalog")
    }
    return manifest
  }

  /// Opens a segment.
  ///
  /// - Throws: ``ArchiveError/changed(path:)`` if the segment was merged or forgotten after the catalog
  ///   was read, and ``ArchiveError`` if it is damaged.
  public func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader {
    try present(entry) { () throws(ArchiveError) in try openSegment(entry) }
  }

  private func openSegment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader {
    try SegmentReader(segmentFile(entry), manifest: readManifest(of: entry))
  }

  /// Whether a segment can be opened.
  func hasSegment(_ entry: CatalogEntry) -> Bool { (try? openSegment(entry)) != nil }

  /// Reads files of a segment, which another program may have merged or forgotten meanwhile.
  private func present<Content>(
    _ entry: CatalogEntry, _ read: () throws(ArchiveError) -> Content
  ) throws(ArchiveError) -> Content {
    do throws(ArchiveError) {
      return try read()
    } catch .missing(let missing) {
      throw try lists(entry) ? .missing(path: missing) : .changed(path: path)
    }
  }
}

extension Archive: Hashable {
  /// Whether two archives have the same path.
  public static func == (one: Archive, other: Archive) -> Bool { one.path == other.path }

  /// Hashes the path.
  public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
