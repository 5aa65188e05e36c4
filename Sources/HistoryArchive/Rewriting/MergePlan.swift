import PersistentHistory

/// Chooses which segments of a store to merge.
///
/// Neighbours are merged up to a size, and a segment only once the next one has at least half its size:
/// so segments get larger with age, their number grows with the logarithm of the history, and a run every
/// night writes each transaction only a few times.
package struct MergePlan: Hashable, Sendable {
  /// The segments of each merge, oldest first.
  package private(set) var groups: [[CatalogEntry]] = []
  private let sizeLimit: Int64

  /// The number of segments that are merged.
  package var segmentCount: Int { groups.reduce(0) { $0 + $1.count } }

  private struct Group {
    var entries: [CatalogEntry]
    var byteCount: Int64
    let schema: ArchiveDigest
  }

  /// - Parameters:
  ///   - sizeLimit: The maximum text of a merged segment, in bytes.
  package init(
    _ store: ArchivedStore, in archive: Archive, sizeLimit: Int64
  ) throws(ArchiveError) {
    self.sizeLimit = sizeLimit
    var groups: [Group] = []
    for entry in store.entries {
      let manifest = try archive.manifest(of: entry)
      groups.append(
        Group(
          entries: [entry], byteCount: manifest.textByteCount, schema: manifest.schema.digest))
      while let last = groups.last, let previous = groups.dropLast().last,
        joins(previous, last)
      {
        groups.removeLast()
        groups[groups.count - 1].entries += last.entries
        groups[groups.count - 1].byteCount += last.byteCount
      }
    }
    self.groups = groups.map(\.entries).filter { $0.count > 1 }
  }

  private func joins(_ left: Group, _ right: Group) -> Bool {
    guard let last = left.entries.last?.last, let next = right.entries.first,
      // Segments after a gap and overlapping ones stay as they are.
      next.first > last, next.first - 1 == last || next.after == last
    else { return false }
    // An older segment is read with the model of its time.
    return left.schema == right.schema && left.byteCount / 2 <= right.byteCount
      && left.byteCount <= sizeLimit && right.byteCount <= sizeLimit - left.byteCount
  }
}
