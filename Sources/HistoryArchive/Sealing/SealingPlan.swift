import PersistentHistory
import StoreFormat

/// What sealing a store in an archive would add. Nothing is changed.
package struct SealingPlan: Hashable, Sendable {
  package let archivePath: String
  let path: String
  package let store: String
  /// Where the history to seal ends: only transactions before it; `nil` for all but the newest.
  package let cut: HistoryCut?
  /// Whether the archive does not exist yet.
  package let isNew: Bool
  /// The last transaction that is sealed, or `nil` if there is none of this store.
  package let sealed: TransactionPosition?
  /// The first transaction to seal, or `nil` if there is none.
  package private(set) var first: TransactionPosition?
  /// The last transaction to seal, or `nil` if there is none.
  package private(set) var last: TransactionPosition?
  /// The number of transactions to seal.
  package private(set) var transactionCount: Int64 = 0
  /// The transaction right before the first, if it is known.
  private(set) var after: Int64?
  /// The history that was deleted before the first sealing; `nil` if there is none, or if something is sealed already.
  package let missingBeginning: HistoryGap?
  /// Whether history is missing between the last sealed transaction and the first one to seal.
  package private(set) var leavesGap = false

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - archivePath: The folder of the archive, which may be missing.
  ///   - cut: Only transactions before it; `nil` for all but the newest.
  ///   - allowsGap: Whether history may be missing between the archive and the store.
  /// - Throws: ``ArchiveError``, also if the store is not the copy that was sealed.
  package init(
    archivePath: String, snapshot: StoreSnapshot, before cut: HistoryCut?, allowsGap: Bool
  ) throws {
    let archive = Archive(unchecked: archivePath)
    var isNew = false
    var catalog = ArchiveCatalog(emptyAt: archive.catalogPath)
    do throws(ArchiveError) {
      catalog = try Archive(path: archivePath).catalog()
    } catch .notAnArchive {
      isNew = true
    }
    if !isNew {
      let orphans = OrphanedSegments(archive: archive, store: try Self.identifier(of: snapshot))
      for segment in try orphans.adoptable(catalog, snapshot, allowsGap: allowsGap) {
        catalog.append(segment.entry)
      }
    }
    try self.init(
      archive: archive, catalog: catalog, isNew: isNew, snapshot: snapshot, before: cut,
      allowsGap: allowsGap)
  }

  init(
    archive: Archive, catalog: ArchiveCatalog, isNew: Bool = false, snapshot: StoreSnapshot,
    before cut: HistoryCut?, allowsGap: Bool
  ) throws {
    path = snapshot.location.path
    archivePath = archive.path
    self.cut = cut
    self.isNew = isNew
    store = try Self.identifier(of: snapshot)
    let oldest = try snapshot.oldestTransaction()
    if let oldest, oldest.number < 1 {
      throw StoreError.damaged(
        path: path, place: "ATRANSACTION",
        detail: "no framework gives a transaction the number \(oldest.number)")
    }
    let newest = try catalog.store(store)?.newestEntry.map { try archive.manifest(of: $0) }
    sealed = newest?.last
    missingBeginning = newest == nil ? try HistoryTimeline(snapshot).missingBeginning() : nil
    if let newest {
      try Self.check(newest.last, archive, snapshot)
      switch HistoryContinuation(last: newest.last.number, successor: newest.next, oldest: oldest) {
      case .joined: break
      case .diverged(let number):
        throw ArchiveError.diverged(path: path, archive: archive.path, transaction: number)
      case .gap(let after, let oldest):
        guard allowsGap else {
          throw ArchiveError.gap(path: path, archive: archive.path, after: after, oldest: oldest)
        }
        leavesGap = true
      }
    }
    let start = sealed?.number ?? 0
    guard let next = try snapshot.firstTransaction(after: start),
      let until = try Self.until(cut, snapshot), next.number <= until.number
    else {
      leavesGap = false
      return
    }
    first = next
    last = until
    transactionCount = try snapshot.transactionCount(after: start, upTo: until.number)
    after = leavesGap ? nil : sealed?.number
  }

  /// Returns the identifier by which a store's segments are filed.
  static func identifier(of snapshot: StoreSnapshot) throws(ArchiveError) -> String {
    guard let store = snapshot.metadata.storeIdentifier, SegmentName.isStoreFolder(store) else {
      throw .unnamedStore(path: snapshot.location.path)
    }
    return store
  }

  /// The last transaction that may be sealed.
  private static func until(
    _ cut: HistoryCut?, _ snapshot: StoreSnapshot
  ) throws -> TransactionPosition? {
    guard let cut else { return try snapshot.newestTransaction(offset: 1) }
    guard let firstKept = cut.firstKept else { return try snapshot.newestTransaction() }
    return try snapshot.lastTransaction(before: firstKept)
  }

  /// Throws an error unless the store has the archive's last transaction, or had it before.
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
      if let parted = try firstDifference(archive, snapshot) {
        throw ArchiveError.diverged(path: path, archive: archive.path, transaction: parted)
      }
      throw ArchiveError.olderCopy(
        path: path, archive: archive.path, sealed: sealed.number, newest: issued)
    }
    // History is pruned from its beginning, so with older transactions this one would be there too.
    if let oldest = try snapshot.oldestTransaction(), oldest.number < sealed.number {
      throw ArchiveError.diverged(path: path, archive: archive.path, transaction: sealed.number)
    }
  }

  /// Returns the first transaction of the store that differs in the archive, or `nil` if there is none.
  ///
  /// Copies have the same transactions up to where they diverged and none in common after that, so this
  /// is a binary search.
  private static func firstDifference(
    _ archive: Archive, _ snapshot: StoreSnapshot
  ) throws -> Int64? {
    guard let store = snapshot.metadata.storeIdentifier,
      let oldest = try snapshot.oldestTransaction()?.number, oldest >= 1,
      let newest = try snapshot.newestTransaction()?.number
    else { return nil }
    let reader = try ArchiveReader(path: archive.path, storeIdentifier: store)
    /// Whether the store's transaction at or after a number differs in the archive; `nil` where the
    /// archive has none, as after its end.
    func differs(_ number: Int64) throws -> Bool? {
      guard let stored = try snapshot.firstTransaction(after: number - 1) else { return nil }
      return try reader.position(ofTransaction: stored.number).map {
        $0.timestamp != stored.timestamp
      }
    }
    let numbers = oldest...max(oldest, newest)
    let place = try numbers.partitioningIndex { try differs($0) != false }
    guard place < numbers.endIndex, try differs(numbers[place]) == true else { return nil }
    return try snapshot.firstTransaction(after: numbers[place] - 1)?.number
  }
}

extension Archive {
  /// Returns the last transaction up to which everything that a store has is sealed, or `nil` if not
  /// even its oldest is.
  ///
  /// Reads the manifests and segments in question completely, and compares the times of their
  /// transactions with the store.
  ///
  /// - Throws: ``ArchiveError`` if something is damaged or the store is not the copy that was sealed.
  package func verifiedReach(of snapshot: StoreSnapshot) throws -> TransactionPosition? {
    guard let identifier = snapshot.metadata.storeIdentifier,
      let oldest = try snapshot.oldestTransaction()?.number,
      let store = try catalog().store(identifier),
      let run = store.runs.first(where: { ($0.first...$0.last).contains(oldest) })
    else { return nil }
    var last: TransactionPosition?
    for entry in run.entries where entry.last >= oldest {
      let reader = try segment(entry)
      try reader.checkDigest()
      let manifest = reader.manifest
      for frame in manifest.frames where frame.transaction >= oldest && !frame.isContinuation {
        let found = try snapshot.timestamp(ofTransaction: frame.transaction)
        guard let found, found.timestamp == frame.timestamp else {
          throw ArchiveError.diverged(
            path: snapshot.location.path, archive: path, transaction: frame.transaction)
        }
      }
      try SealingPlan.check(manifest.last, self, snapshot)
      if manifest.last.number > last?.number ?? 0 { last = manifest.last }
    }
    return last
  }
}
