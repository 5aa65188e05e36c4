import DurableFiles
import StoreFormat

/// Segments that were sealed and not listed in the catalog, because of a crash between the two.
///
/// A segment gets its name only after it was compared with the store and its manifest was written. So
/// where both exist and fit, only the line is missing. The store may have lost that history since, so
/// such segments are only removed where listed ones have it, or after it was forgotten.
struct OrphanedSegments {
  let archive: Archive
  let store: String

  /// Returns the segments that continue the catalog, in order.
  ///
  /// - Parameter allowsGap: Whether history may be missing between the two, as after a run that was
  ///   allowed to leave a gap.
  func adoptable(
    _ catalog: ArchiveCatalog, _ snapshot: StoreSnapshot, allowsGap: Bool
  ) throws -> [SealedSegments.Segment] {
    var catalog = catalog
    var adoptable: [SealedSegments.Segment] = []
    for (manifest, digest) in try found(catalog) {
      let last = catalog.store(store)?.last
      guard
        last.map({
          manifest.after == $0 || manifest.first.number - 1 == $0
            || allowsGap && manifest.after == nil && manifest.first.number > $0
        }) ?? (manifest.after == nil)
      else { continue }
      try SealingPlan.check(manifest.last, archive, snapshot)
      let entry = CatalogEntry(.segment, manifest, digest, in: catalog)
      catalog.append(entry)
      adoptable.append(.init(entry: entry, manifest: manifest, isAdopted: true))
    }
    return adoptable
  }

  /// Removes what a crash has left: drafts, manifests without a segment, and segments that were merged
  /// or forgotten.
  func removeRemains(except catalog: ArchiveCatalog) throws(ArchiveError) {
    guard let folder = try archive.storeFolder(store) else { return }
    AbandonedDrafts.remove(in: folder) { _ in true }
    let known = knownRanges(catalog)
    let leftovers = catalog.leftovers(ofStore: store)
    let names = Set(try ArchiveFile.names(in: folder))
    for name in names {
      let isSegment = name.hasSuffix(SegmentName.segmentSuffix)
      guard
        let range = Self.range(
          of: name, isSegment ? SegmentName.segmentSuffix : SegmentName.manifestSuffix),
        !known.contains(range)
      else { continue }
      let hasSegment =
        isSegment || names.contains(SegmentName.text(range) + SegmentName.segmentSuffix)
      if !hasSegment || isReplaced(range, leftovers) { try remove(range) }
    }
  }

  /// Removes the files of a segment. A manifest may be left without a segment, but not a segment without
  /// a manifest.
  func remove(_ range: ClosedRange<Int64>) throws(ArchiveError) {
    TemporaryFiles.remove(try archive.place(Archive.segmentName(range, ofStore: store)))
    TemporaryFiles.remove(try archive.place(Archive.manifestName(range, ofStore: store)))
  }

  /// Whether a segment is a leftover and the segments that have its transactions exist. They are missing
  /// if the end of the catalog was lost.
  private func isReplaced(_ range: ClosedRange<Int64>, _ leftovers: LeftoverSegments) -> Bool {
    if leftovers.isForgotten(range) { return true }
    let coverage = leftovers.coverage(of: range)
    return !coverage.isEmpty && coverage.allSatisfy(archive.hasSegment)
  }

  private func knownRanges(_ catalog: ArchiveCatalog) -> Set<ClosedRange<Int64>> {
    Set((catalog.store(store)?.entries ?? []).map(\.range))
  }

  private static func range(of name: String, _ suffix: String) -> ClosedRange<Int64>? {
    name.hasSuffix(suffix) ? SegmentName.range(of: name.dropLast(suffix.count)) : nil
  }

  /// Returns the manifests of complete segments that the catalog does not list, with the digests of
  /// their files, by first transaction.
  private func found(
    _ catalog: ArchiveCatalog
  ) throws(ArchiveError) -> [(manifest: SegmentManifest, digest: ArchiveDigest)] {
    guard let folder = try archive.storeFolder(store) else { return [] }
    let known = knownRanges(catalog)
    var found: [(manifest: SegmentManifest, digest: ArchiveDigest)] = []
    for name in try ArchiveFile.names(in: folder) {
      guard let range = Self.range(of: name, SegmentName.segmentSuffix), !known.contains(range),
        let segment = try sealed(range)
      else { continue }
      found.append(segment)
    }
    return found.sorted { $0.manifest.first.number < $1.manifest.first.number }
  }

  /// Reads the manifest of a range, or returns `nil` if the segment is missing or differs from what was
  /// sealed.
  private func sealed(
    _ range: ClosedRange<Int64>
  ) throws(ArchiveError) -> (manifest: SegmentManifest, digest: ArchiveDigest)? {
    do throws(ArchiveError) {
      let (manifest, digest) = try SegmentManifest.read(
        archive.place(Archive.manifestName(range, ofStore: store)))
      guard manifest.store == store, manifest.range == range else { return nil }
      let segment = try archive.place(Archive.segmentName(range, ofStore: store))
      try SegmentReader(segment, manifest: manifest).checkDigest()
      return (manifest, digest)
    } catch {
      switch error {
      // It was not finished. `verify` reports it, and sealing the same history replaces it.
      case .missing, .damaged, .unknownFormat: return nil
      default: throw error
      }
    }
  }
}
