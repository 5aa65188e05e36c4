import DurableFiles
import PersistentHistory

/// A segment in an archive that no line of the catalog lists and that is not left over from merging or forgetting.
///
/// A sealing that was interrupted just before the line leaves one, and the store still has its transactions. If
/// the end of the catalog was lost, unlisted segments may be the only place that has them.
package struct UnlistedSegment: Hashable, Sendable {
  package let path: String
  let range: ClosedRange<Int64>
}

extension Archive {
  /// Returns the unlisted segments of a store, by first transaction.
  ///
  /// There are none while another program seals, because it may be about to list one.
  ///
  /// - Parameters:
  ///   - catalog: The catalog, as it was read.
  ///   - identifier: The store; `nil` for all stores.
  func unlistedSegments(
    _ catalog: ArchiveCatalog, ofStore identifier: String?
  ) throws(ArchiveError) -> [UnlistedSegment] {
    guard try !unlisted(catalog, identifier).isEmpty else { return [] }
    let lock: ArchiveLock?
    do throws(ArchiveError) {
      lock = try ArchiveLock(reading: path)
    } catch {
      if case .busy = error { return [] }
      // A folder that cannot be locked can still be read.
      lock = nil
    }
    defer { lock?.end() }
    // A program may have listed them since the catalog was read.
    return try unlisted(self.catalog(), identifier)
  }

  /// Throws an error if the catalog does not list a segment of a store.
  ///
  /// - Parameter identifier: The store; `nil` for all stores.
  /// - Throws: ``ArchiveError/unlisted(path:)``.
  package func checkSegmentsAreListed(
    _ catalog: ArchiveCatalog, ofStore identifier: String? = nil
  ) throws(ArchiveError) {
    if let segment = try unlistedSegments(catalog, ofStore: identifier).first {
      throw .unlisted(path: segment.path)
    }
  }

  private func unlisted(
    _ catalog: ArchiveCatalog, _ identifier: String?
  ) throws(ArchiveError) -> [UnlistedSegment] {
    var found: [UnlistedSegment] = []
    for store in try storeFolders(catalog, identifier) {
      guard let folder = try storeFolder(store) else { continue }
      let listed = ArchivedStore(
        identifier: store, entries: catalog.entries.filter { $0.store == store }
      ).entries
      let leftovers = catalog.leftovers(ofStore: store)
      for name in try ArchiveFile.names(in: folder, containing: SegmentName.segmentSuffix)
      where name.hasSuffix(SegmentName.segmentSuffix) {
        guard let range = SegmentName.range(of: name.dropLast(SegmentName.segmentSuffix.count))
        else { continue }
        let index = listed.partitioningIndex {
          ($0.first, $0.last) >= (range.lowerBound, range.upperBound)
        }
        let isListed = index < listed.count && listed[index].range == range
        if !isListed, !leftovers.contains(range) {
          found.append(
            UnlistedSegment(path: path(of: Self.segmentName(range, ofStore: store)), range: range))
        }
      }
    }
    return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Returns the names of the folders that a store may have, or those of all stores.
  private func storeFolders(
    _ catalog: ArchiveCatalog, _ identifier: String?
  ) throws(ArchiveError) -> Set<String> {
    guard let identifier else {
      return Set(
        try ArchiveFile.names(in: folder()).filter(SegmentName.isStoreFolder)
          + catalog.storeIdentifiers)
    }
    let wanted = identifier.uppercased()
    return Set([identifier, wanted].filter(SegmentName.isStoreFolder))
      .union(catalog.storeIdentifiers.filter { $0.uppercased() == wanted })
  }

  /// Whether a folder without a catalog has a segment with its manifest. Exported files have no manifests.
  func hasSegments() throws(ArchiveError) -> Bool {
    for store in try ArchiveFile.names(in: folder()) where SegmentName.isStoreFolder(store) {
      guard let folder = try storeFolder(store) else { continue }
      let names = Set(try ArchiveFile.names(in: folder, containing: SegmentName.manifestSuffix))
      let hasSegment = names.contains { name in
        guard name.hasSuffix(SegmentName.segmentSuffix) else { return false }
        let range = name.dropLast(SegmentName.segmentSuffix.count)
        return SegmentName.range(of: range) != nil
          && names.contains(String(range) + SegmentName.manifestSuffix)
      }
      if hasSegment { return true }
    }
    return false
  }
}
