import DurableFiles
import HistoryArchive
import PersistentHistory
import StoreFormat
import SystemPackage

/// What to forget and to merge in an archive.
package struct ForgetRequest {
  package internal(set) var archivePath: String
  /// The rules that say which history stays; empty to forget nothing.
  package var rules: [RetentionRule] = []
  /// Whether to merge small segments.
  package var merges = false
  /// The maximum text of a merged segment in bytes.
  package var segmentSize = ArchiveSealer.defaultSegmentSize
  /// The only store to work on; `nil` for all.
  package var storeIdentifier: String?
  /// Files of bookmarks whose consumers may read the archive, besides the one beside it.
  package var bookmarkPaths: [String] = []
  /// The name of a bookmark in these files that will be at the end of the history, so that it holds nothing.
  var movedBookmark: String?
  /// The names of guards to ignore.
  package var ignoredGuards: Set<String> = []
  /// Seconds to wait for another program that uses the archive.
  package var lockWait: Double = 0

  package init(archivePath: String) { self.archivePath = archivePath }
}

/// The planned changes to one store's history in an archive.
package struct ForgetPlan {
  package let archivePath: String
  package let store: String
  package let decision: RetentionDecision
  /// The numbers of the transactions to forget; `nil` if there are none.
  package let forgotten: ClosedRange<Int64>?
  package let transactionCount: Int64
  /// The oldest transaction that stays.
  package let firstKept: TransactionPosition?
  /// What to merge of the segments that stay; `nil` if nothing is to be merged, or it is not known.
  package fileprivate(set) var merging: MergePlan?
  /// Whether segments may be merged whose sizes are not known before history is sealed or forgotten.
  package var mayMerge = false

  /// Whether nothing would change.
  package var isEmpty: Bool {
    forgotten == nil && merging?.groups.isEmpty ?? true && !mayMerge
  }
}

/// The result of forgetting and merging for one store.
package struct ForgetOutcome {
  package let plan: ForgetPlan
  package let forgotten: ClosedRange<Int64>?
  package let merged: MergePlan?
  /// The bytes by which the files of the store got smaller.
  package let freedBytes: Int64
  /// The head of the catalog's chain.
  package let head: ArchiveAnchor
}

/// Forgets the beginning of archived histories, and merges small segments.
package struct ForgetOperation {
  private let request: ForgetRequest
  private let now: StoreTimestamp

  /// - Parameter now: The moment that durations are relative to.
  package init(_ request: ForgetRequest, now: StoreTimestamp) {
    self.request = request
    self.now = now
  }

  /// Plans the changes to each store. Nothing is changed.
  package func plans() throws -> [ForgetPlan] {
    let archive = try Archive(path: request.archivePath)
    let bookmarks = try bookmarks()
    // A line after the end of a catalog that was cut short would make the lost lines useless.
    try archive.checkSegmentsAreListed(archive.catalog(), ofStore: request.storeIdentifier)
    let stores =
      try request.storeIdentifier.map { [try archive.store($0)] } ?? archive.stores()
    return try stores.map { try plan(ArchiveReader(archive, $0), (archive, $0), bookmarks) }
  }

  /// Plans the changes to a store's history as the archive will be once a part of it is sealed. Nothing is changed.
  ///
  /// - Returns: `nil` if the archive has nothing of the store then.
  package func plan(
    afterSealing sealing: SealingPlan, of snapshot: StoreSnapshot
  ) throws -> ForgetPlan? {
    let reader = try sealing.sealed.map { _ in
      try ArchiveReader(path: request.archivePath, storeIdentifier: sealing.store)
    }
    guard sealing.first != nil || reader != nil else { return nil }
    var plan = try plan(
      PlannedArchive(reader, sealing, snapshot), reader.map { ($0.archive, $0.store) },
      try bookmarks())
    // What will be merged is known when it is sealed.
    if sealing.first != nil, request.merges { (plan.merging, plan.mayMerge) = (nil, true) }
    return plan
  }

  /// Carries plans out, each as far as the rules and guards still allow it.
  ///
  /// - Parameter report: Receives the result for each store.
  package func run(_ plans: [ForgetPlan], report: (ForgetOutcome) throws -> Void) throws {
    let rewriter = try ArchiveRewriter(
      archivePath: request.archivePath, lockWait: request.lockWait)
    rewriter.segmentSize = request.segmentSize
    for plan in plans {
      let before = try rewriter.byteCount(ofStore: plan.store)
      let forgotten = try forget(plan, rewriter)
      let merged = request.merges ? try rewriter.merge(plan.store) : nil
      try rewriter.removeRemains(of: plan.store)
      try report(
        ForgetOutcome(
          plan: plan, forgotten: forgotten, merged: merged,
          freedBytes: before - (try rewriter.byteCount(ofStore: plan.store)), head: rewriter.head))
    }
  }

  /// Forgets what the rules and guards still allow. A bookmark that is set until then keeps what its
  /// consumer needs.
  private func forget(
    _ plan: ForgetPlan, _ rewriter: ArchiveRewriter
  ) throws -> ClosedRange<Int64>? {
    guard let wanted = plan.forgotten else { return nil }
    let reader = try ArchiveReader(
      Archive(path: request.archivePath), rewriter.store(plan.store))
    while let allowed = try decide(reader, bookmarks()).forgotten {
      let last = min(wanted.upperBound, allowed.upperBound)
      // Each lock once, because it cannot be taken twice, and in the same order as in other programs.
      let holds = Set(bookmarkPaths.map { FilePath(FileStatus.resolvedPlace($0)) })
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map {
          BookmarkHold(path: $0.string)
        }
      defer { for hold in holds { hold.release() } }
      do {
        return try rewriter.forget(before: last + 1, ofStore: plan.store) {
          for hold in holds { try hold.wait() }
          let allowed = try decide(reader, bookmarks()).forgotten
          guard let allowed, last <= allowed.upperBound else { throw NeededByBookmark() }
        }
      } catch is NeededByBookmark {}
    }
    return nil
  }

  /// A bookmark was set while a segment was written.
  private struct NeededByBookmark: Error {}

  /// - Parameter segments: What is sealed now; `nil` if there is nothing.
  private func plan(
    _ history: any ArchivedHistory, _ segments: (archive: Archive, store: ArchivedStore)?,
    _ bookmarks: [Bookmark]
  ) throws -> ForgetPlan {
    let (decision, forgotten) = try decide(history, bookmarks)
    let merging = try segments.flatMap { archive, store -> MergePlan? in
      guard request.merges else { return nil }
      let kept = store.entries.filter { $0.last > forgotten?.upperBound ?? 0 }
      return try MergePlan(
        ArchivedStore(identifier: store.identifier, entries: kept), in: archive,
        sizeLimit: request.segmentSize)
    }
    return ForgetPlan(
      archivePath: request.archivePath, store: history.storeIdentifier ?? "", decision: decision,
      forgotten: forgotten,
      transactionCount: try forgotten.map {
        try history.transactionCount(before: $0.upperBound + 1)
      } ?? 0,
      firstKept: try forgotten.flatMap {
        try history.position(ofTransaction: $0.upperBound + 1)
      },
      merging: merging)
  }

  private func decide(
    _ history: any ArchivedHistory, _ bookmarks: [Bookmark]
  ) throws -> (RetentionDecision, forgotten: ClosedRange<Int64>?) {
    let resolver = TokenResolver(timeline: HistoryTimeline(history), now: now)
    let decision = try resolver.decision(
      request.rules, bookmarks: bookmarks, ignoring: request.ignoredGuards)
    guard let first = history.ranges.first?.lowerBound, let cut = decision.cut?.firstKept,
      first < cut
    else {
      return (decision, nil)
    }
    return (decision, first...cut - 1)
  }

  /// The files of bookmarks that count: the one beside the archive, which need not exist, and others.
  private var bookmarkPaths: [String] {
    guard !request.rules.isEmpty,
      !request.ignoredGuards.contains(RetentionGuard.bookmarksName)
    else { return [] }
    return [BookmarkFile.path(besideStore: request.archivePath)] + request.bookmarkPaths
  }

  private func bookmarks() throws -> [Bookmark] {
    try bookmarkPaths.enumerated().flatMap { index, path in
      index == 0
        ? try BookmarkFile(path: path).bookmarks
        : try BookmarkFile(existing: path).bookmarks.filter { $0.name != request.movedBookmark }
    }
  }
}
