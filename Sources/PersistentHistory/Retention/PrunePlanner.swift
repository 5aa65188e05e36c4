import StoreEditing
import StoreFormat

/// Works out what a request deletes, from one snapshot of a store.
package struct PrunePlanner {
  private let snapshot: StoreSnapshot
  private let request: PruneRequest
  private let resolver: TokenResolver
  private let bookmarkPath: String?
  private let now: StoreTimestamp

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

  /// Works out the plan.
  ///
  /// - Throws: ``HistoryError`` if the request names something that the store does not have, or cannot
  ///   be answered, and ``/StoreFormat/StoreError``.
  package func plan() throws -> PrunePlan {
    let size = try snapshot.historySize()
    let history = PrunePlan.History(
      transactionCount: try snapshot.transactionCount(), changeCount: try snapshot.changeCount(),
      byteCount: size?.pageByteCount, oldest: try snapshot.oldestTransaction(),
      newest: try snapshot.newestTransaction())
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
      plan.remainingByteCount = try SizeRule(snapshot, size, limit: limit, request.looseChanges)
        .byteCount(keepingFrom: firstKept)
    }
    plan.recordedValues = try PrunePlan.RecordedValuesOutlook(
      snapshot, firstKept: try firstKeptValues(plan.cut, history))
    return plan
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
    let bookmarks = try bookmarkOutlooks()
    let range = history.oldest.flatMap { oldest in
      history.newest.map { (oldest: oldest.number, newest: $0.number) }
    }
    let decision = RetentionDecision(
      try rules.map { .init(rule: $0, cut: try ownCut(of: $0, history: history, size: size)) },
      try guards(of: bookmarks, oldest: range?.oldest), bookmarks, of: range,
      isNeeded: !isSmallEnough)
    let cut = decision.cut
    let deletion = try deletion(cut, history: history)
    return PrunePlan(
      path: snapshot.location.path, storeIdentifier: snapshot.metadata.storeIdentifier,
      request: request, history: history, rules: decision.rules, guards: decision.guards, cut: cut,
      firstKept: try cut?.firstKept.flatMap { try snapshot.timestamp(ofTransaction: $0) },
      deciders: decision.deciders, bookmarks: decision.bookmarks,
      tokens: try tokenOutlooks(cut),
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
    // The cut is above the oldest number, so subtracting 1 cannot overflow.
    let deletion = try snapshot.deletion(
      ofTransactionsThrough: cut.firstKept.map { $0 - 1 } ?? newest,
      looseChanges: request.looseChanges)
    if let disorder = deletion.disorder,
      !request.ignoredGuards.contains(RetentionGuard.damageName)
    {
      throw HistoryError.damaged(
        path: snapshot.location.path, details: ["\(FindingPlace.table("ACHANGE")): \(disorder)"])
    }
    return deletion
  }

  /// Returns the cut of a rule alone.
  private func ownCut(
    of rule: RetentionRule, history: PrunePlan.History, size: HistorySize?
  ) throws -> HistoryCut {
    if let cut = try resolver.cut(of: rule) { return cut }
    switch rule {
    case .maxSize(let bytes):
      guard let size else { throw HistoryError.unknownSize(path: snapshot.location.path) }
      return HistoryCut(
        before: try SizeRule(snapshot, size, limit: bytes, request.looseChanges).firstKept())
    default: return .end
    }
  }

  // MARK: - Guards and tokens

  private func bookmarkOutlooks() throws -> [BookmarkOutlook] {
    guard !request.ignoredGuards.contains(RetentionGuard.bookmarksName) else { return [] }
    let file = try BookmarkFile(named: bookmarkPath, beside: snapshot.location)
    return try file.bookmarks.map {
      try BookmarkOutlook(
        $0, resolver: resolver, snapshot: snapshot, allowance: request.allowance, now: now)
    }
  }

  private func guards(
    of bookmarks: [BookmarkOutlook], oldest: Int64?
  ) throws -> [RetentionGuard] {
    let mirroring = try RetentionGuard.mirroring(snapshot)
    return
      (bookmarks.compactMap { $0.guardian(oldest: oldest ?? 0) } + [mirroring].compactMap(\.self)
      + request.guards).filter { !request.ignoredGuards.contains($0.name) }
  }

  /// Returns the present guards, to be checked again before a plan is carried out.
  func presentGuards() throws -> [RetentionGuard] {
    switch request.target {
    case .transactions:
      try guards(of: bookmarkOutlooks(), oldest: snapshot.oldestTransaction()?.number)
    // Transactions stay, so every bookmark continues to work.
    case .entity: try guards(of: [], oldest: nil)
    }
  }

  private func tokenOutlooks(_ cut: HistoryCut?) throws -> [PrunePlan.TokenOutlook] {
    try request.tokens.map { PrunePlan.TokenOutlook(try resolver.resolve($0), cut: cut) }
  }

  // MARK: - Changes of an entity

  private func plan(
    entity name: String, history: PrunePlan.History, size: HistorySize?, isSmallEnough: Bool
  ) throws -> PrunePlan {
    let number = try departedEntity(name)
    let deletion =
      isSmallEnough
      ? try snapshot.deletion(ofTransactionsThrough: nil)
      : try snapshot.deletion(ofChangesOfEntity: number)
    return PrunePlan(
      path: snapshot.location.path, storeIdentifier: snapshot.metadata.storeIdentifier,
      request: request, history: history, rules: [],
      guards: try presentGuards(),
      cut: nil, firstKept: history.oldest, deciders: [], bookmarks: [],
      tokens: try tokenOutlooks(nil), deletion: deletion, orphanCount: 0,
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
