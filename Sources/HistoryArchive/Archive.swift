import PersistentHistory
import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Sealed history in a folder: segments of one store or of several, and the catalog that chains them.
///
/// ```swift
/// let archive = try Archive(path: "history-archive")
/// for store in try archive.stores() {
///   print(store.identifier, store.first ?? 0, store.last ?? 0)
/// }
/// ```
public struct Archive: Hashable, Sendable {
  /// The folder.
  package let path: String

  /// Takes a folder for an archive.
  ///
  /// - Throws: ``ArchiveError/notAnArchive(path:reason:)`` where there is none.
  public init(path: String) throws(ArchiveError) {
    if let reason = Self.reasonAgainst(path) { throw .notAnArchive(path: path, reason: reason) }
    self.path = path
  }

  init(unchecked path: String) { self.path = path }

  /// Whether there is an archive at a path; what is in it is not looked at.
  package static func isArchive(_ path: String) -> Bool { reasonAgainst(path) == nil }

  private static func reasonAgainst(_ path: String) -> NotAnArchiveReason? {
    guard let kind = Self.kind(of: path) else { return .missing }
    guard kind == S_IFDIR else { return .notAFolder }
    let catalog = Self.kind(of: Archive(unchecked: path).catalogPath)
    return catalog == S_IFREG ? nil : .withoutCatalog
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    guard !path.isEmpty, !path.utf8.contains(0), stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  /// Where the catalog is.
  package var catalogPath: String { place(ArchiveFormat.catalogName) }

  /// The folder of a store's segments.
  package func storePath(_ identifier: String) -> String { place(identifier) }

  /// Where a segment is.
  package func segmentPath(_ entry: CatalogEntry) -> String {
    place("\(entry.store)/\(SegmentName.text(entry.range))\(SegmentName.segmentSuffix)")
  }

  /// Where a segment's manifest is.
  package func manifestPath(_ entry: CatalogEntry) -> String {
    place("\(entry.store)/\(SegmentName.text(entry.range))\(SegmentName.manifestSuffix)")
  }

  private func place(_ name: String) -> String {
    path.hasSuffix("/") ? path + name : path + "/" + name
  }

  /// The catalog, its chain checked.
  ///
  /// - Throws: ``ArchiveError``.
  public func catalog() throws(ArchiveError) -> ArchiveCatalog {
    try ArchiveCatalog(path: catalogPath)
  }

  /// What there is of each store, by identifier.
  ///
  /// - Throws: ``ArchiveError``.
  package func stores() throws(ArchiveError) -> [ArchivedStore] { try catalog().stores }

  /// What there is of one store.
  ///
  /// - Parameter identifier: The store; nil for the only one.
  /// - Throws: ``ArchiveError``.
  package func store(_ identifier: String? = nil) throws(ArchiveError) -> ArchivedStore {
    let catalog = try catalog()
    let stores = catalog.stores
    let known = stores.map(\.identifier)
    guard let identifier else {
      switch stores.count {
      case 0: throw .unknownStore(path: path, store: "", known: [])
      case 1: return stores[0]
      default: throw .severalStores(path: path, stores: known)
      }
    }
    guard let store = catalog.store(identifier) else {
      throw .unknownStore(path: path, store: identifier, known: known)
    }
    return store
  }

  /// The manifest of a segment, checked against the catalog.
  ///
  /// - Throws: ``ArchiveError``.
  package func manifest(of entry: CatalogEntry) throws(ArchiveError) -> SegmentManifest {
    let path = manifestPath(entry)
    let bytes = try ArchiveFile.contents(of: path, limit: ArchiveFormat.manifestLimit)
    guard ArchiveDigest(of: bytes) == entry.manifestDigest else {
      throw .damaged(
        path: path, place: "its bytes", detail: "its SHA-256 is not the one in the catalog")
    }
    let manifest = try SegmentManifest(bytes, path: path)
    guard manifest.fits(entry) else {
      throw .damaged(
        path: path, place: "its range", detail: "it is not the one that the catalog says")
    }
    return manifest
  }

  /// A segment, ready to be read.
  ///
  /// - Throws: ``ArchiveError``.
  public func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader {
    try SegmentReader(path: segmentPath(entry), manifest: try manifest(of: entry))
  }
}
