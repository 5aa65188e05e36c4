import PersistentHistory
import StoreFormat

/// What sealing a store in an archive would add, worked out without changing anything.
package struct SealingPlan: Hashable, Sendable {
  /// The archive.
  package let archivePath: String
  /// The store.
  package let path: String
  /// The identifier of the store.
  package let store: String
  /// Whether the archive is yet to be made.
  package let isNew: Bool
  /// The last transaction that is sealed; nil where there is none of this store.
  package let sealed: TransactionPosition?
  /// The first transaction that is to be sealed; nil where there is none.
  package let first: TransactionPosition?
  /// The last transaction that is to be sealed; nil where there is none.
  package let last: TransactionPosition?
  /// How many transactions are to be sealed.
  package let transactionCount: Int64
  /// The transaction right before the first, where it is known.
  package let after: Int64?
  /// Whether history is missing between the last sealed transaction and the first one to be sealed.
  package let leavesGap: Bool

  /// Works out a plan.
  ///
  /// - Parameters:
  ///   - archivePath: The folder of the archive; it need not be there.
  ///   - snapshot: The store.
  ///   - cut: Only transactions before it; nil for all but the newest.
  ///   - allowsGap: Whether history may be missing between what is sealed and what the store has.
  /// - Throws: ``ArchiveError``, also where the store is another copy than the one in the archive, and
  ///   ``/StoreFormat/StoreError``.
  package init(
    archivePath: String, snapshot: StoreSnapshot, before cut: HistoryCut?, allowsGap: Bool
  ) throws {
    let isNew = !Archive.isArchive(archivePath)
    let archive = Archive(unchecked: archivePath)
    var catalog =
      isNew ? ArchiveCatalog(emptyAt: archive.catalogPath) : try archive.catalog()
    if !isNew, let store = snapshot.metadata.storeIdentifier, SegmentName.isStoreFolder(store) {
      for segment in try OrphanedSegments(archive: archive, store: store)
        .adoptable(catalog, snapshot, allowsGap: allowsGap)
      { catalog.append(segment.entry) }
    }
    try self.init(
      archive: archive, catalog: catalog, isNew: isNew, snapshot: snapshot, before: cut,
      allowsGap: allowsGap)
  }

  init(
    archive: Archive, catalog: ArchiveCatalog, isNew: Bool = false, snapshot: StoreSnapshot,
    before cut: HistoryCut?, allowsGap: Bool
  ) throws {
    _ = try snapshot.historyTables()
    path = snapshot.location.path
    archivePath = archive.path
    self.isNew = isNew
    guard let store = snapshot.metadata.storeIdentifier, SegmentName.isStoreFolder(store) else {
      throw ArchiveError.unnamedStore(path: snapshot.location.path)
    }
    self.store = store
    let oldest = try snapshot.oldestTransaction()
    if let oldest, oldest.number < 1 {
      throw StoreError.damaged(
        path: snapshot.location.path, place: "ATRANSACTION",
        detail: "the number of transaction \(oldest.number) is none that a framework gives")
    }
    let newest = try Self.newestManifest(of: store, archive, catalog, snapshot)
    sealed = newest?.last
    let start = sealed?.number ?? 0
    var isGap = false
    if let sealed, let oldest, oldest.number > sealed.number {
      if let next = newest?.next, oldest.number <= next.number {
        // The sealed transactions are gone, so that only this one can tell another copy.
        guard next.mayBe(oldest) else {
          throw ArchiveError.diverged(
            path: path, archive: archive.path, transaction: oldest.number)
        }
      } else if oldest.number - 1 > sealed.number {
        guard allowsGap else {
          throw ArchiveError.gap(
            path: path, archive: archive.path, after: sealed.number, oldest: oldest.number)
        }
        isGap = true
      }
    }
    let until = try Self.until(cut, snapshot)
    let next = try snapshot.firstTransaction(after: start)
    guard let next, let until, next.number <= until.number else {
      first = nil
      last = nil
      transactionCount = 0
      after = nil
      leavesGap = false
      return
    }
    first = next
    last = until
    transactionCount = try snapshot.transactionCount(after: start, upTo: until.number)
    after = isGap ? nil : sealed?.number
    leavesGap = isGap
  }

  /// The last transaction that may be sealed.
  private static func until(
    _ cut: HistoryCut?, _ snapshot: StoreSnapshot
  ) throws -> TransactionPosition? {
    guard let cut else { return try snapshot.newestTransaction(offset: 1) }
    guard let firstKept = cut.firstKept else { return try snapshot.newestTransaction() }
    return try snapshot.lastTransaction(before: firstKept)
  }

  /// The manifest with the last sealed transaction, of which the store must be no other and no older
  /// copy.
  private static func newestManifest(
    of store: String, _ archive: Archive, _ catalog: ArchiveCatalog, _ snapshot: StoreSnapshot
  ) throws -> SegmentManifest? {
    guard let entry = catalog.store(store)?.entries.max(by: { $0.last < $1.last }) else {
      return nil
    }
    let manifest = try archive.manifest(of: entry)
    try check(manifest.last, archive, snapshot)
    return manifest
  }

  /// Checks that a sealed transaction is the same in the store, or that the store had it.
  static func check(
    _ sealed: TransactionPosition, _ archive: Archive, _ snapshot: StoreSnapshot
  ) throws {
    let path = snapshot.location.path
    if let found = try snapshot.timestamp(ofTransaction: sealed.number) {
      guard found.timestamp == sealed.timestamp else {
        throw ArchiveError.diverged(
          path: path, archive: archive.path,
          transaction: try firstDifference(archive, snapshot) ?? sealed.number)
      }
      return
    }
    let issued = try TokenResolver(snapshot: snapshot).highestIssued()
    guard issued >= sealed.number else {
      // A copy that went its own way may not have come as far.
      if let parted = try firstDifference(archive, snapshot) {
        throw ArchiveError.diverged(path: path, archive: archive.path, transaction: parted)
      }
      throw ArchiveError.olderCopy(
        path: path, archive: archive.path, sealed: sealed.number, newest: issued)
    }
    // History goes from its beginning: what is there below was there with it, or in another copy.
    if let oldest = try snapshot.oldestTransaction(), oldest.number < sealed.number {
      throw ArchiveError.diverged(path: path, archive: archive.path, transaction: sealed.number)
    }
  }

  /// The first transaction of the store that is another one in the archive; nil where all that both have
  /// are the same.
  ///
  /// Copies have the same transactions up to where they parted and none after that, so it is searched
  /// for as in a sorted list.
  private static func firstDifference(
    _ archive: Archive, _ snapshot: StoreSnapshot
  ) throws -> Int64? {
    guard let store = snapshot.metadata.storeIdentifier,
      let oldest = try snapshot.oldestTransaction()?.number,
      let newest = try snapshot.newestTransaction()?.number
    else { return nil }
    let reader = try ArchiveReader(path: archive.path, storeIdentifier: store)
    /// Whether a transaction is another one in the archive; nil where that does not have it.
    func differs(_ position: TransactionPosition) throws -> Bool? {
      try reader.position(ofTransaction: position.number).map { $0.timestamp != position.timestamp }
    }
    var (low, high) = (oldest, newest)
    var found: Int64?
    while low <= high {
      let middle = low + (high - low) / 2
      guard let position = try snapshot.firstTransaction(after: middle - 1),
        position.number <= high
      else {
        high = middle - 1
        continue
      }
      // After its end, and in a gap, the archive says nothing.
      if try differs(position) == false {
        low = position.number + 1
      } else {
        if try differs(position) == true { found = position.number }
        high = middle - 1
      }
    }
    return found
  }
}
