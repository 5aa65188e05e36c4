import PersistentHistory
import Terminal

/// Maintains one store after the other, each whatever becomes of the others.
struct MaintenanceRun {
  let session: Session
  let plan: MaintenancePlan
  let isDryRun: Bool
  /// How long to wait for another run on a store, in seconds.
  let lockWait: Double
  /// The names of guards that are not asked, beside those that the config file names.
  let ignoredGuards: Set<String>

  /// Does it all, and says what happened.
  ///
  /// - Returns: The worst of what became of the stores.
  func run(_ writer: OutputWriter) throws -> ExitStatus {
    let isolation = StoreIsolation(session: session, amongSeveral: true)
    let report = MaintenanceReport(session: session, writer: writer)
    let total = plan.parts.reduce(0) { $0 + $1.stores.count }
    var done = 0
    defer { session.console.workDone.begin(nil) }
    for part in plan.parts {
      for link in part.skippedLinks {
        session.diagnostics.warn(
          "\(link.path) is skipped: it is a link to \(link.target), outside the folder of its pattern",
          kind: "linkSkipped",
          hint: "name the store itself, or add follow-links = yes to [\(part.settings.section)]")
      }
      for (path, failure) in part.failures { try isolation.run(path) { throw failure } }
      let maintenance = StoreMaintenance(
        session: session, writer: writer, settings: part.settings, isDryRun: isDryRun,
        lockWait: lockWait, places: plan.places, ignoredGuards: ignoredGuards)
      for path in part.stores {
        session.console.workDone.begin(
          "\(done) of \(total) stores were maintained, at work on \(path)")
        done += 1
        let outcome = try maintenance.run(path)
        try report.write(outcome)
        // Whoever watches a long run sees a line when its store is done.
        try writer.flush()
        if let failure = outcome.failure { try isolation.run(path) { throw failure } }
      }
    }
    isolation.end(with: session.status)
    return isolation.status
  }
}
