import PersistentHistory
import StoreFormat

/// The history that an archive has of a store, to be restored there.
///
/// No transaction of a segment is returned before the whole segment was checked as completely as a verification
/// checks it, so that a restore writes no row that would damage the store.
package struct RestorableArchive: RestorableHistory {
  private let archive: Archive
  private let checked: CheckedSegments
  private let store: ArchivedStore
  /// The segments of the store that the catalog does not list, by first transaction.
  package let unlisted: [UnlistedSegment]

  /// Opens the history of a store. An archive without segments has none of any store.
  ///
  /// - Parameter allowsDamagedRows: Whether to return rows such as no framework writes. A store may have had them
  ///   when it was sealed.
  /// - Throws: ``ArchiveError/unknownStore(path:store:known:)`` if the archive has only other stores.
  package init(
    _ archive: Archive, store identifier: String, allowsDamagedRows: Bool = false
  ) throws(ArchiveError) {
    self.archive = archive
    checked = CheckedSegments(archive, allowsDamagedRows: allowsDamagedRows)
    let catalog = try archive.catalog()
    unlisted = try archive.unlistedSegments(catalog, ofStore: identifier)
    do throws(ArchiveError) {
      store = try archive.store(identifier, in: catalog)
    } catch {
      guard case .unknownStore(_, _, let known) = error, known.isEmpty || !unlisted.isEmpty else {
        throw error
      }
      store = ArchivedStore(identifier: identifier, entries: [])
    }
  }

  package var storeIdentifier: String { store.identifier }

  package func transactions(through number: Int64) throws -> any TransactionSource {
    // The store has the transactions of the others itself.
    if let lost = unlisted.first, lost.range.lowerBound < number {
      throw ArchiveError.unlisted(path: lost.path)
    }
    let run = store.runs.last { $0.first <= number }
    return ArchivedTransactions(
      checked, run.map { store.parts(of: $0, until: number) } ?? [],
      HistoryQuery(until: number, order: .descending))
  }

  package func lowestNumber(notBefore moment: StoreTimestamp) throws -> Int64 {
    for entry in store.entries {
      if let latest = try archive.manifest(of: entry).latest, latest >= moment {
        return entry.first
      }
    }
    return .max
  }

  package func successor(of number: Int64) throws -> TransactionPosition? {
    for entry in store.entries where entry.last == number {
      if let next = try archive.manifest(of: entry).next { return next }
    }
    return nil
  }

  /// Returns the gap that ends the transactions before a number, or `nil` if the archive has nothing
  /// older than those.
  package func gap(before number: Int64) -> HistoryGap? {
    let runs = store.runs.filter { $0.first <= number }
    guard let run = runs.last, let older = runs.dropLast().last else { return nil }
    return HistoryGap(store: storeIdentifier, after: older.last, oldest: run.first)
  }
}

/// Opens segments, and checks the lines of each once: a plan reads all that a restore reads again.
private final class CheckedSegments: SegmentSource {
  private let archive: Archive
  private let allowsDamagedRows: Bool
  private var checked: Set<ArchiveDigest> = []

  init(_ archive: Archive, allowsDamagedRows: Bool) {
    self.archive = archive
    self.allowsDamagedRows = allowsDamagedRows
  }

  func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader {
    if !checked.contains(entry.manifestDigest) {
      try archive.checkLines(of: entry, allowsDamagedRows: allowsDamagedRows)
      checked.insert(entry.manifestDigest)
    }
    let segment = try archive.segment(entry)
    try segment.checkDigest()
    return segment
  }
}
