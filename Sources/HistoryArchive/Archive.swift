import DurableFiles
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
public struct Archive: Hashable, Sendable {
  package let path: String

  /// Opens an archive.
  ///
  /// - Throws: ``ArchiveError/notAnArchive(path:reason:)`` if the folder is missing or has no catalog,
  ///   ``ArchiveError/unreadable(path:reason:)`` if that cannot be determined.
  public init(path: String) throws(ArchiveError) {
    self.path = path
    guard let folder = try Self.kind(of: path) else {
      throw .notAnArchive(path: path, reason: .missing)
    }
    guard folder == .other("directory") else {
      throw .notAnArchive(path: path, reason: .notAFolder)
    }
    guard try Self.kind(of: catalogPath) == .file else {
      throw .notAnArchive(path: path, reason: .withoutCatalog)
    }
  }

  init(unchecked path: String) { self.path = path }

  /// Whether a folder has a catalog. The catalog is not read. Returns `false` if that cannot be determined;
  /// opening the archive reports why.
  package static func isArchive(_ path: String) -> Bool { (try? Archive(path: path)) != nil }

  private static func kind(of path: String) throws(ArchiveError) -> FileStatus.Kind? {
    guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
    do {
      return try FileStatus(path: path)?.kind
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }

  // MARK: - Paths

  package var catalogPath: String { file(ArchiveFormat.catalogName) }

  package func storePath(_ identifier: String) -> String { file(identifier) }

  package func segmentPath(_ entry: CatalogEntry) -> String {
    segmentPath(entry.range, ofStore: entry.store)
  }

  package func manifestPath(_ entry: CatalogEntry) -> String {
    manifestPath(entry.range, ofStore: entry.store)
  }

  func segmentPath(_ range: ClosedRange<Int64>, ofStore store: String) -> String {
    file("\(store)/\(SegmentName.text(range))\(SegmentName.segmentSuffix)")
  }

  func manifestPath(_ range: ClosedRange<Int64>, ofStore store: String) -> String {
    file("\(store)/\(SegmentName.text(range))\(SegmentName.manifestSuffix)")
  }

  private func file(_ name: String) -> String {
    path.hasSuffix("/") ? path + name : path + "/" + name
  }

  // MARK: - Contents

  /// Reads the catalog and checks its chain.
  public func catalog() throws(ArchiveError) -> ArchiveCatalog {
    try ArchiveCatalog(path: catalogPath)
  }

  package func stores() throws(ArchiveError) -> [ArchivedStore] { try catalog().stores }

  /// Returns the segments of one store.
  ///
  /// - Parameter identifier: The store, or `nil` for the only one.
  package func store(_ identifier: String? = nil) throws(ArchiveError) -> ArchivedStore {
    let catalog = try catalog()
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
    var lines = try CatalogLines(path: catalogPath, from: byteCount)
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
    let path = manifestPath(entry)
    let (manifest, _) = try SegmentManifest.read(path, expecting: entry.manifestDigest)
    guard manifest.fits(entry) else {
      throw .damaged(
        path: path, place: "its range", detail: "it is not the one in the catalog")
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
    try SegmentReader(path: segmentPath(entry), manifest: readManifest(of: entry))
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
