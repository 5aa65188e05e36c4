import StoreEditing
import StoreFormat
import StoreTransactions

extension HistoryRestorer {
  /// Makes a plan. Nothing is changed.
  ///
  /// All sealed history in question is read and checked, so that no obstacle is found halfway through
  /// the restore. No snapshot of the store is held meanwhile: apps can save and checkpoint. If the beginning
  /// of the history has moved, the plan fails.
  ///
  /// - Parameter progress: Receives the number of changes checked so far, now and then.
  /// - Throws: ``RestoreObstacle``, ``HistoryError``, and errors of the store and the sealed history.
  package func plan(
    _ request: RestoreRequest, of sealed: any ArchivedHistory, progress: (Int) -> Void = { _ in }
  ) throws -> RestorePlan {
    let start = try store.read { snapshot in
      _ = try snapshot.historyTables()
      try check(sealed.storeIdentifier, snapshot)
      return try findStart(request.from, snapshot)
    }
    return try withoutActuallyEscaping(progress) { progress in
      let survey = try RestoreSurvey(
        store: store, oldest: start.oldest, highestIssued: start.highestIssued, progress: progress)
      do {
        try survey.make(of: sealed, through: start.newestRead, until: start.until)
      } catch let obstacle as RestoreObstacle {
        // History that another program has restored meanwhile looks like an obstacle.
        try store.read { try checkBeginning(start, $0) }
        throw obstacle
      }
      return try store.read { snapshot in
        let plan = try plan(request, start, survey, snapshot)
        try EvidentDamage.check(
          snapshot, ignoredGuards: request.ignoredGuards, readsPages: true)
        return plan
      }
    }
  }

  private func checkBeginning(_ start: Start, _ snapshot: StoreSnapshot) throws {
    guard try snapshot.oldestTransaction() == start.oldest else {
      throw StoreWriteError.historyChanged(
        path: store.location.path, detail: "its beginning moved while the sealed history was read")
    }
  }

  private func plan(
    _ request: RestoreRequest, _ start: Start, _ survey: RestoreSurvey, _ snapshot: StoreSnapshot
  ) throws -> RestorePlan {
    try checkBeginning(start, snapshot)
    try check(survey, snapshot)
    let first = survey.taken.first
    return RestorePlan(
      path: store.location.path, storeIdentifier: snapshot.metadata.storeIdentifier,
      request: request, oldest: start.oldest, newest: try snapshot.newestTransaction(),
      first: first, last: survey.taken.last, transactionCount: survey.taken.transactionCount,
      changeCount: survey.taken.changeCount, completed: survey.completed,
      textCount: try survey.missingTextCount(in: snapshot),
      translatedEntities: survey.taken.translatedEntities.sorted(),
      guards: try presentGuards(request, snapshot),
      returningBookmarks: try returningBookmarks(from: first, snapshot),
      insertion: try snapshot.insertion(danglingTextNumbers: survey.taken.danglingTextNumbers),
      newestRead: start.newestRead, isModelKnown: survey.isModelKnown, schema: survey.schema)
  }

  private func check(_ sealed: String?, _ snapshot: StoreSnapshot) throws {
    guard let identifier = snapshot.metadata.storeIdentifier else {
      throw HistoryError.unnamedStore(path: store.location.path)
    }
    guard identifier.uppercased() == sealed?.uppercased() else {
      throw RestoreObstacle.otherStore(
        path: store.location.path, identifier: identifier, sealed: sealed ?? "")
    }
  }

  private func resolver(_ snapshot: StoreSnapshot) -> TokenResolver {
    TokenResolver(snapshot: snapshot, bookmarkPath: bookmarkPath, now: now)
  }

  // MARK: - The range

  private struct Start {
    let oldest: TransactionPosition?
    let highestIssued: Int64
    /// The newest transaction to read from the sealed history.
    let newestRead: Int64
    let until: RestoreSurvey.End
  }

  private func findStart(_ from: String?, _ snapshot: StoreSnapshot) throws -> Start {
    let resolver = resolver(snapshot)
    let oldest = try snapshot.oldestTransaction()
    var until = RestoreSurvey.End.oldestSealed
    if let from {
      let token = try resolver.resolve(from)
      if let moment = token.moment {
        until = .moment(moment.timestamp)
      } else {
        switch token.state {
        case .valid, .expired, .archived: until = token.number.map { .number($0) } ?? until
        case .foreign, .ahead, .diverged:
          throw HistoryError.unusableToken(try resolver.unusable(token))
        }
      }
    }
    return Start(
      oldest: oldest, highestIssued: try resolver.highestIssued(),
      newestRead: oldest?.number ?? .max, until: until)
  }

  // MARK: - Obstacles and guards

  private func check(_ survey: RestoreSurvey, _ snapshot: StoreSnapshot) throws {
    let path = store.location.path
    if let highest = survey.taken.highestChange, highest > (try snapshot.highestIssuedChange()) {
      throw RestoreObstacle.diverged(
        path: path, transaction: survey.taken.last?.number ?? 0,
        detail: "this copy has not reached the number of its change \(highest)")
    }
    if let number = try snapshot.firstText(among: survey.taken.danglingTextNumbers) {
      throw RestoreObstacle.diverged(
        path: path, transaction: survey.taken.last?.number ?? 0,
        detail: "the number \(number), which named no text, names one here")
    }
    let missing = try survey.missingTextCount(in: snapshot)
    if missing > 0,
      try !snapshot.hasFreeTextNumbers(
        missing, danglingTextNumbers: survey.taken.danglingTextNumbers)
    {
      throw RestoreObstacle.withoutTextNumbers(path: path, count: missing)
    }
  }

  func presentGuards(
    _ request: RestoreRequest, _ snapshot: StoreSnapshot
  ) throws -> [RetentionGuard] {
    [try RetentionGuard.mirroringOfRestore(snapshot)].compactMap { $0 }
      .filter { !request.ignoredGuards.contains($0.name) }
  }

  private func returningBookmarks(
    from first: TransactionPosition?, _ snapshot: StoreSnapshot
  ) throws -> [RestorePlan.ReturningBookmark] {
    guard let first else { return [] }
    let resolver = resolver(snapshot)
    return try BookmarkFile(path: bookmarkPath).bookmarks.compactMap { bookmark in
      let token = try resolver.resolve(bookmark)
      guard token.state == .expired, let number = token.number, number >= first.number else {
        return nil
      }
      return RestorePlan.ReturningBookmark(bookmark: bookmark, number: number)
    }
  }
}

extension RetentionGuard {
  /// Returns the guard of a store that is mirrored to CloudKit, or `nil` if a restore does not concern
  /// the mirror.
  ///
  /// The mirror reads the history after its token. Restored history comes before the token of a mirror whose token
  /// works, so the mirror never reads it. If the token had expired, it works again, and the mirror continues
  /// instead of transferring everything again. Only a mirror without a readable token may mistake restored history
  /// for new.
  static func mirroringOfRestore(_ snapshot: StoreSnapshot) throws -> RetentionGuard? {
    guard snapshot.layout.mirroringTables.first != nil else { return nil }
    let token = try MirroringState(snapshot: snapshot)?.token
    switch token?.state {
    case .valid where token?.number != 0, .expired: return nil
    default:
      return RetentionGuard(
        name: mirroringName, verdict: .refuses,
        reason:
          "the store is mirrored to CloudKit, and the mirror's position is unknown: it might take "
          + "restored history for new")
    }
  }
}
