import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// Forgets the beginning of the history in an archive, and merges small segments.
///
/// It works like sealing: a new segment is written, synchronized, read back and compared before a line of
/// the catalog lists it, and files are removed only after the line that removes their segment. An
/// interruption at any point leaves a sound archive, and the next run continues. The folder is locked
/// until this object is released.
package final class ArchiveRewriter {
  /// The maximum text of a merged segment in bytes, before compression.
  package var segmentSize = ArchiveSealer.defaultSegmentSize

  private let folder: ArchiveFolder
  private let permissions: FilePermissions
  private var catalog: ArchiveCatalog

  /// Opens and locks an archive.
  ///
  /// - Parameter lockWait: Seconds to wait for another program that uses the archive.
  package init(archivePath: String, lockWait: Double = 0) throws(ArchiveError) {
    let archive = try Archive(path: archivePath)
    // The catalog has the narrowest permissions of all stores.
    permissions =
      (try? archive.catalogFile().status())
      .map { FilePermissions(rawValue: $0.st_mode & 0o666 | 0o600) } ?? .ownerReadWrite
    folder = try ArchiveFolder(path: archivePath, permissions: permissions, lockWait: lockWait)
    catalog = try folder.repairedCatalog()
  }

  /// The head of the catalog's chain.
  package var head: ArchiveAnchor { catalog.head }

  /// Forgets all transactions before one.
  ///
  /// If a segment has transactions on both sides, the later ones get a segment of their own. The newest
  /// transaction always stays, so that sealing continues after it.
  ///
  /// - Parameters:
  ///   - number: The first transaction that stays.
  ///   - identifier: The store.
  ///   - check: Called when everything is written, just before the line of the catalog by which history
  ///     is forgotten; if it throws, nothing is forgotten.
  /// - Returns: The numbers of the forgotten transactions, or `nil` if there are none.
  @discardableResult
  package func forget(
    before number: Int64, ofStore identifier: String, check: () throws -> Void = {}
  ) throws -> ClosedRange<Int64>? {
    let store = store(identifier)
    guard let first = store.first, let newest = store.last else { return nil }
    let cut = min(number, newest)
    let parts = store.parts(after: cut - 1)
    guard first < cut, let oldest = parts.first else { return nil }
    // In an archive of another program, others may overlap the first one.
    for part in parts.dropFirst() where part.entry.first < cut { try replace([part], as: .merge) }
    try replace([oldest], as: .forget, check: check)
    return first...cut - 1
  }

  /// Merges the small segments of a store.
  @discardableResult
  package func merge(_ identifier: String) throws -> MergePlan {
    let store = store(identifier)
    let plan = try MergePlan(store, in: folder.archive, sizeLimit: segmentSize)
    for group in plan.groups {
      let merged = ArchivedStore(identifier: identifier, entries: group)
      try replace(merged.parts(), as: .merge)
      let files = OrphanedSegments(archive: folder.archive, store: identifier)
      // Otherwise a first run would need twice the space.
      for entry in group { try files.remove(entry.range) }
    }
    return plan
  }

  /// Returns the size of a store's segments and manifests, in bytes.
  package func byteCount(ofStore identifier: String) throws(ArchiveError) -> Int64 {
    var byteCount: Int64 = 0
    for entry in store(identifier).entries {
      let manifest = try ArchiveFile(folder.archive.manifestFile(entry)).size
      byteCount += try manifest + ArchiveFile(folder.archive.segmentFile(entry)).size
    }
    return byteCount
  }

  /// Returns the segments of a store.
  package func store(_ identifier: String) -> ArchivedStore {
    ArchivedStore(
      identifier: identifier, entries: catalog.entries.filter { $0.store == identifier })
  }

  /// Adds a line for one segment with the transactions of parts of others.
  private func replace(
    _ parts: [ArchivedStore.Part], as kind: CatalogEntry.Kind, check: () throws -> Void = {}
  ) throws {
    guard let first = parts.first else { return }
    try folder.checkSpace(in: catalog)
    let store = first.entry.store
    // Reuse an existing segment with this range: its files must not change.
    let present = self.store(store).entries.first { parts.count == 1 && $0.range == first.range }
    if let present {
      try check()
      let entry = CatalogEntry(
        kind: kind, store: store, first: present.first, last: present.last, after: present.after,
        manifestDigest: present.manifestDigest, previousDigest: catalog.head.digest)
      return try folder.append(entry, to: &catalog)
    }
    let merging = SegmentMerging(archive: folder.archive, store: store, permissions: permissions)
    guard let (manifest, digest) = try merging.merge(parts) else { return }
    try check()
    try folder.append(CatalogEntry(kind, manifest, digest, in: catalog), to: &catalog)
  }

  /// Removes files that this run or an interrupted one has left.
  package func removeRemains(of store: String) throws(ArchiveError) {
    try OrphanedSegments(archive: folder.archive, store: store).removeRemains(except: catalog)
  }
}
