import PersistentHistory
import StoreFormat
import Terminal

/// Checks one store after the other; one that cannot be read does not keep the others waiting.
struct CheckRun {
  private let session: Session
  private let stores: SeveralStoresOptions
  private let limits: HistoryLimits
  private let isolation: StoreIsolation

  init(session: Session, stores: SeveralStoresOptions, limits: HistoryLimits) {
    self.session = session
    self.stores = stores
    self.limits = limits
    isolation = StoreIsolation(session: session, amongSeveral: stores.stores.count > 1)
  }

  /// The worst of what became of the stores.
  var status: ExitStatus { isolation.status }

  /// Writes what there is to say of each store as soon as it is known.
  func writeReports(_ writer: OutputWriter) throws {
    let report = CheckReport(session: session, writer: writer)
    for path in stores.stores {
      try check(path) { health, snapshot, resolver in
        try report.write(health, snapshot: snapshot, resolver: resolver)
      }
    }
  }

  /// Writes the metrics of all stores, together as their format wants them.
  func writeMetrics(_ writer: OutputWriter) throws {
    var metrics = HistoryMetrics()
    for path in stores.stores {
      var found: HistoryHealth?
      try check(path) { health, _, _ in found = health }
      metrics.add(found, path: path)
    }
    try metrics.write(writer)
  }

  private func check(
    _ path: String, _ body: (HistoryHealth, StoreSnapshot, TokenResolver) throws -> Void
  ) throws {
    try isolation.run(path) {
      // Told among the findings.
      let logProblem = Session.problem(ofLogOf: path)
      if logProblem != nil { isolation.end(with: .damaged) }
      let file = try StoreFile(path: path, busyTimeout: stores.busyTimeout)
      try file.read { snapshot in
        let bookmarkPath =
          stores.bookmarkFile
          ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath)
        let (bookmarks, problem) = BookmarkFile.readable(in: bookmarkPath)
        let health = try HistoryHealth(
          snapshot: snapshot, bookmarks: bookmarks, bookmarkProblem: problem,
          logProblem: logProblem, limits: limits, now: session.now)
        if health.findings.contains(where: \.isDamage) { isolation.end(with: .damaged) }
        if !health.findings.isEmpty { isolation.end(with: .answerIsNo) }
        try body(
          health, snapshot,
          TokenResolver(snapshot: snapshot, bookmarkPath: bookmarkPath, now: session.now))
        // What else there is to say of the store has been said.
        if let problem { throw problem }
      }
    }
  }
}
