import StoreFormat

/// Segments that were sealed and did not come to stand in the catalog, because of a crash between the
/// two.
///
/// A segment gets its name only when it was compared with the store and its manifest is there. So
/// where both are, and fit, all that is missing is the line; the store may have lost that history
/// since, so they are never removed.
struct OrphanedSegments {
  let archive: Archive
  let store: String

  /// The manifests of segments that the catalog does not name, with their bytes, by first transaction.
  func found(_ catalog: ArchiveCatalog) throws(ArchiveError) -> [(SegmentManifest, [UInt8])] {
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
