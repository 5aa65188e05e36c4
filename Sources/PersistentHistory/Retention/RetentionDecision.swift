import StoreFormat

/// Where rules and guards together cut a history.
package struct RetentionDecision: Sendable {
  /// What one rule would leave.
  package struct RuleOutcome: Hashable, Sendable {
    package let rule: RetentionRule
    /// The cut of this rule alone.
    package let cut: HistoryCut
  }

  package let rules: [RuleOutcome]
  /// The guards that were checked.
  package let guards: [RetentionGuard]
  /// The cut; `nil` if the history is empty or no rule applies.
  package let cut: HistoryCut?
  /// The names of the rules and guards whose cut it is.
  package let deciders: [String]
  package let bookmarks: [BookmarkEffect]

  /// - Parameters:
  ///   - guards: Those besides the one of the newest transaction.
  ///   - bookmarks: The bookmarks, of which those that hold anything are among the guards.
  ///   - range: The oldest and the newest transaction; `nil` for an empty history.
  ///   - isNeeded: Whether anything is to be deleted at all.
  init(
    _ rules: [RuleOutcome], _ guards: [RetentionGuard], _ bookmarks: [BookmarkEffect],
    of range: (oldest: Int64, newest: Int64)?, isNeeded: Bool = true
  ) {
    var guards = guards
    var bookmarks = bookmarks
    let wanted = rules.map(\.cut).min() ?? .end
    if let newest = range?.newest, !rules.contains(where: { $0.rule == .all }),
      HistoryCut(before: newest) < wanted
    {
      guards.append(
        RetentionGuard(
          name: RetentionGuard.newestName, verdict: .holds(from: newest),
          reason: "the newest transaction stays, because an empty history expires every token"))
    }
    var cut: HistoryCut?
    if let range, isNeeded {
      let lowest = guards.compactMap(\.cut).reduce(wanted) { min($0, $1) }
      for index in bookmarks.indices { bookmarks[index].settle(lowest, oldest: range.oldest) }
      cut = lowest
    }
    // An archive that is sealed exactly as far as the rules require does not decide.
    let guardsThatDecide = guards.filter { guardian in
      guardian.cut != nil && guardian.cut == cut
        && (guardian.name != RetentionGuard.archiveName || cut != wanted)
    }
    self.rules = rules
    self.guards = guards
    self.cut = cut
    deciders = rules.filter { $0.cut == cut }.map(\.rule.name) + guardsThatDecide.map(\.name)
    self.bookmarks = bookmarks
  }
}

extension TokenResolver {
  /// Decides what rules and bookmarks keep of an archived history.
  ///
  /// - Parameters:
  ///   - rules: Rules about tokens, times and numbers.
  ///   - bookmarks: Bookmarks whose consumers may read the archive.
  ///   - ignoredGuards: The names of guards to ignore.
  package func decision(
    _ rules: [RetentionRule], bookmarks: [Bookmark], ignoring ignoredGuards: Set<String>
  ) throws -> RetentionDecision {
    let asked = ignoredGuards.contains(RetentionGuard.bookmarksName) ? [] : bookmarks
    let outlooks = try asked.map {
      try BookmarkEffect($0, resolver: self, snapshot: nil, allowance: nil, now: now)
    }
    let oldest = try timeline.oldestTransaction()?.number
    let newest = try timeline.newestTransaction()?.number
    let guards = outlooks.compactMap { $0.guardian(oldest: oldest ?? 0) }
    return RetentionDecision(
      try rules.compactMap { rule in try cut(of: rule).map { .init(rule: rule, cut: $0) } },
      guards.filter { !ignoredGuards.contains($0.name) }, outlooks,
      of: oldest.flatMap { oldest in newest.map { (oldest, $0) } }, isNeeded: !rules.isEmpty)
  }
}
