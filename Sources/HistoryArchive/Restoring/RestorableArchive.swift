import PersistentHistory
import StoreFormat

/// What an archive has of a store, to be put back there.
///
/// Nothing of a segment is given before the whole of it has been found to be, byte for byte, what was
/// sealed.
package struct RestorableArchive: RestorableHistory {
  private let archive: Archive
  private let store: ArchivedStore

  /// Looks into an archive; one in which nothing was sealed yet has nothing of any store.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - identifier: The store.
  /// - Throws: ``ArchiveError``, where the archive has other stores only
  ///   ``ArchiveError/unknownStore(path:store:known:)``.
  package init(_ archive: Archive, store identifier: String) throws(ArchiveError) {
    self.archive = archive
    do throws(ArchiveError) {
      store = try archive.store(identifier)
    } catch .unknownStore(_, _, let known) where known.isEmpty {
      store = ArchivedStore(identifier: identifier, entries: [])
    }
  }

  /// The identifier of the store.
  package var storeIdentifier: String { store.identifier }

  /// Steps through the transactions up to and including a number, from the newest to the oldest, as far
  /// as the segments are without a gap.
  package func transactions(through number: Int64) -> any SealedTransactionReader {
    ArchivedTransactionReader(archive, parts: parts(through: number))
  }

  /// The first transaction of the oldest segment that has one which was saved at a moment or later; the
  /// highest number where none has.
  ///
  /// - Throws: ``ArchiveError``.
  package func lowestNumber(notBefore moment: StoreTimestamp) throws -> Int64 {
    for entry in store.entries {
      if let latest = try archive.manifest(of: entry).latest, latest >= moment {
        return entry.first
      }
    }
    return .max
  }

  /// The transaction that followed one when it was sealed as the last of its segment.
  ///
  /// - Throws: ``ArchiveError``.
  package func successor(of number: Int64) throws -> TransactionPosition? {
    for entry in store.entries where entry.last == number {
      if let next = try archive.manifest(of: entry).next { return next }
    }
    return nil
  }

  /// The gap below which the archive has older transactions than those that come without a gap before
  /// one; nil where there is nothing older.
  package func gap(before number: Int64) -> HistoryGap? {
    let runs = store.runs.filter { $0.first <= number }
    guard let run = runs.last, let older = runs.dropLast().last else { return nil }
    return HistoryGap(store: storeIdentifier, after: older.last, oldest: run.first)
  }

  /// The parts of segments up to a transaction that have no gap between them, oldest first.
  private func parts(through number: Int64) -> [ArchivedStore.Part] {
    guard let run = store.runs.last(where: { $0.first <= number }) else { return [] }
    return ArchivedStore(identifier: store.identifier, entries: run.entries).parts(until: number)
  }
}

/// Goes through parts of segments, from the newest transaction to the oldest.
private final class ArchivedTransactionReader: SealedTransactionReader {
  private let archive: Archive
  /// The parts that are left, the next one last.
  private var parts: [ArchivedStore.Part]
  private var cursor: SegmentCursor?

  init(_ archive: Archive, parts: [ArchivedStore.Part]) {
    self.archive = archive
    self.parts = parts
  }

  func nextTransaction() throws -> HistoryTransaction? {
    while true {
      if let transaction = try cursor?.nextTransaction() { return transaction }
      guard let part = parts.popLast() else {
        cursor = nil
        return nil
      }
      let segment = try archive.segment(part.entry)
      try segment.checkDigest()
      cursor = segment.transactions(in: part.range, order: .descending)
    }
  }

  func nextChange() throws -> HistoryChange? { try cursor?.nextChange() }
}
