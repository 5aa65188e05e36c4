import StoreEditing
import StoreFormat

/// Works out what a request deletes, from one snapshot of a store.
///
/// What is measured, such as the size of the history, is measured once, also for a second plan. The index by transaction
/// is compared with the table for what is to be deleted, which reads all of it, unless damage is ignored.
package final class PrunePlanner {
  private let snapshot: StoreSnapshot
  private var request: PruneRequest
  private let resolver: TokenResolver
  private let bookmarkPath: String?
  private let now: StoreTimestamp
  private var measured: (history: PrunePlan.History, size: HistorySize?)?
  private var bookmarks: [BookmarkEffect]?
  private var planned:
    (cut: HistoryCut, looseChanges: HistoryDeletion.LooseChanges, deletion: HistoryDeletion)?
  /// Measures what deletions leave; `nil` inside if the store is too large for that.
  private var trial: ErasureTrial??

  /// - Parameters:
  ///   - snapshot: The store.
  ///   - request: What to delete.
  ///   - bookmarkPath: The file that keeps the bookmarks, which must exist; `nil` for the one beside the
  ///     store, which need not.
  ///   - now: The moment that durations are relative to.
  package init(
    snapshot: StoreSnapshot, request: PruneRequest, bookmarkPath: String? = nil,
    now: StoreTimestamp = .now()
  ) {
    self.snapshot = snapshot
    self.request = request
    self.now = now
    self.bookmarkPath = bookmarkPath
    resolver = TokenResolver(snapshot: snapshot, bookmarkPath: bookmarkPath, now: now)
  }

  /// Works out the plan again, with other guards besides those of bookmarks and mirroring, and another use of
  /// changes before the first transaction.
  package func plan(
    guards: [RetentionGuard], looseChanges: HistoryDeletion.LooseChanges
  ) throws -> PrunePlan {
    request.guards = guards
    request.looseChanges = looseChanges
    return try plan()
  }

  /// Works out the plan.
  ///
  /// - Throws: ``HistoryError`` if the request names something that the store does not have, or cannot
  ///   be answered, and ``/StoreFormat/StoreError``.
  package func plan() throws -> PrunePlan {
    let (history, size) = try measure()
    var isSmallEnough = false
    if let limit = request.ifLargerThan {
      guard let bytes = history.byteCount else {
        throw HistoryError.unknownSize(path: snapshot.location.path)
      }
      isSmallEnough = bytes <= limit
    }
    var plan =
      switch request.target {
      case .transactions(let rules):
        try plan(rules, history: history, size: size, isSmallEnough: isSmallEnough)
      case .entity(let name):
        try plan(entity: name, history: history, size: size, isSmallEnough: isSmallEnough)
      }
    if let limit = plan.byteLimit, let size, let firstKept = plan.cut?.firstKept {
      plan.remainingByteCount = try sizeRule(size, limit: limit).byteCount(keepingFrom: firstKept)
    }
    plan.recordedValues = try PrunePlan.RecordedValuesEffect(
      snapshot, firstKept: try firstKeptValues(plan.cut, history))
    return plan
  }

  private func measure() throws -> (history: PrunePlan.History, size: HistorySize?) {
    if let measured { return measured }
    let size = try snapshot.historySize()
    let history = PrunePlan.History(
      transactionCount: try snapshot.transactionCount(), changeCount: try snapshot.changeCount(),
      byteCount: size?.pageByteCount, oldest: try snapshot.oldestTransaction(),
      newest: try snapshot.newestTransaction())
    measured = (history, size)
    return (history, size)
  }

  /// Returns the oldest transaction whose recorded values stay.
  ///
  /// When values are erased there may be some after the newest transaction: of later saves, and of one
  /// that is not complete yet.
  private func firstKeptValues(_ cut: HistoryCut?, _ history: PrunePlan.History) throws -> Int64 {
    guard let oldest = history.oldest?.number, let newest = history.newest?.number else {
      // A run that deleted the last transaction may have been interrupted before its values.
      return Self.next(try resolver.highestIssued())
    }
    guard let cut else { return oldest }
    return max(cut.firstKept ?? Self.next(newest), oldest)
  }

  private static func next(_ number: Int64) -> Int64 { number == .max ? .max : number + 1 }

  // MARK: - Whole transactions

  private func plan(
    _ rules: [RetentionRule], history: PrunePlan.History, size: HistorySize?, isSmallEnough: Bool
  ) throws -> PrunePlan {
    let bookmarks =
      try bookmarks
      ?? request.bookmarkEffects(resolver, in: snapshot, bookmarkPath: bookmarkPath, now: now)
    self.bookmarks = bookmarks
    let range = history.oldest.flatMap { oldest in
      history.newest.map { (oldest: oldest.number, newest: $0.number) }
    }
    let decision = RetentionDecision(
      try rules.map { .init(rule: $0, cut: try ownCut(of: $0, history: history, size: size)) },
      try request.guards(of: bookmarks, in: snapshot, oldest: range?.oldest), bookmarks, of: range,
      isNeeded: !isSmallEnough)
    let cut = decision.cut
    let deletion = try deletion(cut, history: history)
    return PrunePlan(
      path: snapshot.location.path, storeIdentifier: snapshot.metadata.storeIdentifier,
      request: request, history: history, rules: decision.rules, guards: decision.guards, cut: cut,
      firstKept: try cut?.firstKept.flatMap { try snapshot.timestamp(ofTransaction: $0) },
      deciders: decision.deciders, bookmarks: decision.bookmarks,
      tokens: try tokenEffects(cut),
      deletion: deletion,
      orphanCount: deletion.isEmpty
        ? 0 : deletion.keptChangeCount + (try snapshot.changeCountWithoutNumber()),
      byteCount: try byteCount(of: deletion, history: history, size: size),
      isSmallEnough: isSmallEnough)
  }

  private func deletion(_ cut: HistoryCut?, history: PrunePlan.History) throws -> HistoryDeletion {
    guard let cut, let oldest = history.oldest?.number, let newest = history.newest?.number,
      HistoryCut(before: oldest) < cut
    else { return try snapshot.deletion(ofTransactionsThrough: nil) }
    if let planned, planned.cut == cut, planned.looseChanges == request.looseChanges {
      return planned.deletion
    }
    // The cut is above the oldest number, so subtracting 1 cannot overflow.
    let last = cut.firstKept.map { $0 - 1 } ?? newest
    if !ignoresDamage { try snapshot.checkTransactions(in: oldest...last) }
    let deletion = try snapshot.deletion(
      ofTransactionsThrough: last, looseChanges: request.looseChanges, checksRows: !ignoresDamage)
    if let disorder = deletion.disorder, !ignoresDamage {
      throw HistoryError.damaged(
        path: snapshot.location.path, details: ["\(FindingPlace.table("ACHANGE")): \(disorder)"])
    }
    planned = (cut, request.looseChanges, deletion)
    return deletion
  }

  private var ignoresDamage: Bool {
    request.ignoredGuards.contains(RetentionGuard.damageName)
  }

  /// Returns the cut of a rule alone.
  private func ownCut(
    of rule: RetentionRule, history: PrunePlan.History, size: HistorySize?
  ) throws -> HistoryCut {
    if let cut = try resolver.cut(of: rule) { return cut }
    switch rule {
    case .maxSize(let bytes):
      guard let size else { throw HistoryError.unknownSize(path: snapshot.location.path) }
      return HistoryCut(before: try sizeRule(size, limit: bytes).firstKept())
    default: return .end
    }
  }

  private func sizeRule(_ size: HistorySize, limit: Int64) throws -> SizeRule {
    try SizeRule(snapshot, size, limit: limit, request.looseChanges) {
      let trial = try self.trial ?? ErasureTrial(self.snapshot)
      self.trial = .some(trial)
      return trial
    }
  }

  private func tokenEffects(_ cut: HistoryCut?) throws -> [PrunePlan.TokenEffect] {
    try request.tokens.map { PrunePlan.TokenEffect(try resolver.resolve($0), cut: cut) }
  }

  // MARK: - Changes of an entity

  private func plan(
    entity name: String, history: PrunePlan.History, size: HistorySize?, isSmallEnough: Bool
  ) throws -> PrunePlan {
    let number = try departedEntity(name)
    if !isSmallEnough, !ignoresDamage {
      try snapshot.checkChanges(ofTransactions: .min ... .max)
    }
    let deletion =
      isSmallEnough
      ? try snapshot.deletion(ofTransactionsThrough: nil)
      : try snapshot.deletion(ofChangesOfEntity: number)
    return PrunePlan(
      path: snapshot.location.path, storeIdentifier: snapshot.metadata.storeIdentifier,
      request: request, history: history, rules: [],
      guards: try request.guards(of: [], in: snapshot, oldest: nil),
      cut: nil, firstKept: history.oldest, deciders: [], bookmarks: [],
      tokens: try tokenEffects(nil), deletion: deletion, orphanCount: 0,
      byteCount: try byteCount(of: deletion, history: history, size: size),
      isSmallEnough: isSmallEnough)
  }

  /// Returns the number of an entity that has left the model.
  private func departedEntity(_ text: String) throws -> Int64 {
    let entities = snapshot.entities
    let number =
      text.hasPrefix("#") ? Int64(decimal: text.dropFirst()) : entities.number(of: text)
    guard let number else {
      throw HistoryError.unknownEntity(name: text, suggestions: [])
    }
    guard let name = entities.entries.first(where: { $0.number == number })?.name else {
      return number
    }
    switch try snapshot.modelCache().condition {
    case .present:
      guard try snapshot.modelCache().model?.entities[name] == nil else {
        throw HistoryError.presentEntity(name: name, path: snapshot.location.path)
      }
      return number
    case .missing, .unreadable:
      throw HistoryError.presentEntity(name: name, path: snapshot.location.path)
    }
  }

  // MARK: - Sizes

  /// Returns about how many bytes of pages the rows of a deletion occupy.
  private func byteCount(
    of deletion: HistoryDeletion, history: PrunePlan.History, size: HistorySize?
  ) throws -> Int64? {
    guard let size else { return nil }
    let perTransaction = Double(try snapshot.historyTables().transactionByteCount)
    let ofTransactions = perTransaction * Double(history.transactionCount)
    let ofChanges = max(0, Double(size.recordByteCount) - ofTransactions)
    let perChange = history.changeCount > 0 ? ofChanges / Double(history.changeCount) : 0
    let gone =
      perTransaction * Double(deletion.transactionCount)
      + perChange * Double(deletion.changeCount)
    return size.ownByteCount(ofRecordBytes: Int64(exactly: gone.rounded()) ?? .max)
  }
}
