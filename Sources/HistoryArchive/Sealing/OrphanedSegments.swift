import DurableFiles
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Segments that were sealed and did not come to stand in the catalog, because of a crash between the
/// two.
///
/// A segment gets its name only when it was compared with the store and its manifest is there. So
/// where both are, and fit, all that is missing is the line; the store may have lost that history
/// since, so they are never removed.
struct OrphanedSegments {
  let archive: Archive
  let store: String

  /// The segments whose lines are missing in the catalog, in the order in which they go on behind what
  /// it has.
  ///
  /// - Parameter allowsGap: Whether history may be missing between the two, as it is where the run that
  ///   sealed the segment was allowed to leave a gap.
  /// - Throws: ``ArchiveError``, also where they are of another copy of the store.
  func adoptable(
    _ catalog: ArchiveCatalog, _ snapshot: StoreSnapshot, allowsGap: Bool
  ) throws -> [SealedSegments.Segment] {
    var catalog = catalog
    var adoptable: [SealedSegments.Segment] = []
    for (manifest, bytes) in try found(catalog) {
      let last = catalog.store(store)?.last
      guard
        last.map({
          manifest.after == $0 || manifest.first.number - 1 == $0
            || allowsGap && manifest.after == nil && manifest.first.number > $0
        }) ?? (manifest.after == nil)
      else { continue }
      try SealingPlan.check(manifest.last, archive, snapshot)
      let entry = CatalogEntry(
        store: store, first: manifest.first.number, last: manifest.last.number,
        after: manifest.after, manifestDigest: ArchiveDigest(of: bytes),
        previousDigest: catalog.head.digest)
      catalog.append(entry)
      adoptable.append(.init(entry: entry, manifest: manifest, isAdopted: true))
    }
    return adoptable
  }

  /// Removes what a crash has left of segments that were not finished: drafts, and manifests without a
  /// segment.
  func removeRemains(exceptOf catalog: ArchiveCatalog) {
    let known = Set((catalog.store(store)?.entries ?? []).map { SegmentName.text($0.range) })
    let folder = archive.storePath(store)
    AbandonedDrafts.remove(in: folder) { _ in true }
    let names = Set(FolderNames.read(folder))
    for name in names where name.hasSuffix(SegmentName.manifestSuffix) {
      let text = name.dropLast(SegmentName.manifestSuffix.count)
      guard SegmentName.range(of: text) != nil, !known.contains(String(text)),
        !names.contains(text + SegmentName.segmentSuffix)
      else { continue }
      unlink(folder + "/" + name)
    }
  }

  /// The manifests of segments that the catalog does not name, with their bytes, by first transaction.
  private func found(
    _ catalog: ArchiveCatalog
  ) throws(ArchiveError) -> [(SegmentManifest, [UInt8])] {
    let known = Set((catalog.store(store)?.entries ?? []).map { SegmentName.text($0.range) })
    var found: [(SegmentManifest, [UInt8])] = []
    for name in FolderNames.read(archive.storePath(store)).sorted() {
      guard name.hasSuffix(SegmentName.segmentSuffix),
        case let text = name.dropLast(SegmentName.segmentSuffix.count),
        let range = SegmentName.range(of: text), !known.contains(String(text)),
        let (manifest, bytes) = try sealed(range)
      else { continue }
      found.append((manifest, bytes))
    }
    return found.sorted { $0.0.first.number < $1.0.first.number }
  }

  /// The manifest of a range whose segment is there as it was sealed; nil where it is not.
  private func sealed(
    _ range: ClosedRange<Int64>
  ) throws(ArchiveError) -> (SegmentManifest, [UInt8])? {
    let entry = CatalogEntry(
      store: store, first: range.lowerBound, last: range.upperBound, after: nil,
      manifestDigest: .none, previousDigest: .none)
    do throws(ArchiveError) {
      let path = archive.manifestPath(entry)
      let bytes = try ArchiveFile.contents(of: path, limit: ArchiveFormat.manifestLimit)
      let manifest = try SegmentManifest(bytes, path: path)
      guard manifest.store == store, manifest.range == range else { return nil }
      let reader = try SegmentReader(path: archive.segmentPath(entry), manifest: manifest)
      try reader.checkDigest()
      return (manifest, bytes)
    } catch {
      switch error {
      case .missing, .damaged, .unknownFormat: return nil
      default: throw error
      }
    }
  }
}
