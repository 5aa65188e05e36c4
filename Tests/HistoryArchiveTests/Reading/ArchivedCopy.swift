import PersistentHistory
import StoreFormat
import TestSupport

@testable import HistoryArchive

/// A store as it was, a copy of it that was pruned, and an archive of what the copy has lost.
struct ArchivedCopy {
  let history: StoreHistory
  let whole: String
  let pruned: String
  let archive: Archive

  /// - Parameters:
  ///   - path: The store.
  ///   - cut: The transaction that is the oldest in the copy; nil to keep all.
  ///   - end: The archive's last transaction is the one before this; the same as `cut` unless given.
  ///   - folder: Where all of it is put.
  ///   - segments: The first transactions of the segments behind the first one.
  ///   - leavingOut: The segment with this index is not in the archive.
  init(
    of path: String, prunedBefore cut: Int64?, archivedBefore end: Int64? = nil,
    in folder: TemporaryFolder, segments: [Int64] = [], leavingOut: Int? = nil
  ) throws {
    let original = try TemporaryFolder()
    whole = folder.file("whole.store")
    pruned = folder.file("pruned.store")
    let copy = try original.copy(store: path)
    for target in [whole, pruned] {
      for suffix in ["", "-wal"] {
        guard let bytes = try? FileBytes.read(copy + suffix) else { continue }
        try FileBytes.write(bytes, to: target + suffix)
      }
    }
    history = try StoreHistory(path: whole)
    let end = end ?? cut ?? .max
    var handmade = try HandmadeArchive(in: folder.file("archive"))
    var before: Int64?
    let starts = [Int64.min] + segments
    for (index, start) in starts.enumerated() {
      let next = min(index + 1 < starts.count ? starts[index + 1] : .max, end)
      let transactions = history.transactions.filter { $0.number >= start && $0.number < next }
      if !transactions.isEmpty, index != leavingOut {
        try handmade.add(
          transactions, store: history.identifier, after: before, schema: history.schema)
      }
      before = transactions.last?.number ?? before
    }
    archive = handmade.archive
    guard let cut else { return }
    let pruner = try HistoryPruner(path: pruned)
    var request = PruneRequest(.transactions([.before(token: "\(cut)")]))
    request.ignoredGuards = ["mirroring", "damage"]
    _ = try pruner.prune(pruner.plan(request))
  }

  func open() throws -> ArchiveReader {
    try ArchiveReader(path: archive.path, storeIdentifier: history.identifier)
  }

  /// Reads the store as it was and the timeline of the copy and the archive beside each other.
  func read(_ body: (StoreSnapshot, HistoryTimeline) throws -> Void) throws {
    let archive = try open()
    try StoreFile(path: whole).read { whole in
      try StoreFile(path: pruned).read { pruned in
        try body(whole, HistoryTimeline(pruned, continuing: archive))
      }
    }
  }
}

extension TimelineReader {
  /// All that it gives.
  func all() throws -> (transactions: [HistoryTransaction], gaps: [HistoryGap]) {
    var transactions: [HistoryTransaction] = []
    var gaps: [HistoryGap] = []
    while let element = try nextElement() {
      switch element {
      case .gap(let gap): gaps.append(gap)
      case .transaction(var transaction):
        while let change = try nextChange() { transaction.changes.append(change) }
        transactions.append(transaction)
      }
    }
    return (transactions, gaps)
  }
}
