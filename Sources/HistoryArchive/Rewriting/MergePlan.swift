import PersistentHistory

/// Chooses which segments of a store to merge.
///
/// Neighbours are merged up to a size, and a segment only once the next one has at least half its size:
/// so segments get larger with age, their number grows with the logarithm of the history, and a run every
/// night writes each transaction only a few times.
package struct MergePlan: Hashable, Sendable {
  /// The segments of each merge, oldest first.
  package private(set) var groups: [[CatalogEntry]] = []

  /// The number of segments that are merged.
  package var segmentCount: Int { groups.reduce(0) { $0 + $1.count } }

  // Indices take a fraction of the memory of segments, of which there may be 100,000.
  private struct Group {
    var range: Range<Int>
    var byteCount: Int64
    let schema: ArchiveDigest
  }

  /// - Parameter sizeLimit: The maximum text of a merged segment, in bytes.
  package init(
    _ store: ArchivedStore, in archive: Archive, sizeLimit: Int64
  ) throws(ArchiveError) {
    var groups: [Group] = []
    func joins(_ left: Group, _ right: Group) -> Bool {
      let (last, next) = (store.entries[left.range.upperBound - 1].last, right.range.lowerBound)
      let entry = store.entries[next]
      // Segments after a gap and overlapping ones stay as they are.
      return (entry.first - 1 == last || entry.after == last)
        // An older segment is read with the model of its time.
        && left.schema == right.schema && left.byteCount / 2 <= right.byteCount
        && right.byteCount <= sizeLimit - left.byteCount
    }
    for (index, entry) in store.entries.enumerated() {
      let manifest = try archive.manifest(of: entry)
      groups.append(
        Group(
          range: index..<index + 1, byteCount: manifest.textByteCount,
          schema: manifest.schema.digest))
      while groups.count > 1, joins(groups[groups.count - 2], groups[groups.count - 1]) {
        let last = groups.removeLast()
        groups[groups.count - 1].range = groups[groups.count - 1].range.lowerBound..<index + 1
        groups[groups.count - 1].byteCount += last.byteCount
      }
    }
    self.groups = groups.filter { $0.range.count > 1 }.map { Array(store.entries[$0.range]) }
  }
}
