import ArgumentParser
import HistoryOperations
import PersistentHistory
import Terminal

/// `histctl maintain`: exports, prunes and compacts many stores in one run.
struct Maintain: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "maintain",
    abstract: "Export, prune and compact many stores, as a config file says.",
    discussion: """
      For cron or a systemd timer. For each store, exports what is new, then prunes history, then \
      frees pages, as far as the config file asks for it. If a step fails, the later steps of that \
      store are skipped, and the other stores are maintained all the same. Prints one line per store \
      it changed. histctl-maintain.conf(5) describes the file. With --metrics, a file has metrics of \
      each store for Prometheus: the last run and the last success, how long it took, what it \
      deleted and freed, and failures.

      Examples:
        histctl maintain --config maintain.conf --check-config
        histctl maintain --config maintain.conf --dry-run
        histctl maintain --config maintain.conf
        histctl maintain --config maintain.conf --only trips --json
        histctl maintain --config maintain.conf --metrics histctl-maintain.prom
      """)

  @Option(value: .file, help: "The config file.")
  var config: String

  @Option(value: "name", help: "Maintain only this section or this store.")
  var only: [String] = []

  @Flag(help: "Show what the file asks for, or all its mistakes, and change nothing.")
  var checkConfig = false

  @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and change nothing.")
  var dryRun = false

  @Option(help: "Time to wait for another run on the same store, such as 10min.")
  var lockWait: HistoryDuration?

  @Option(
    value: .init("file", .file(extensions: ["prom"])),
    help: "Write metrics for Prometheus to this file, which is replaced in one step.")
  var metrics: String?

  @OptionGroup var keeping: ValueKeepingOptions

  @OptionGroup var guards: DamageGuardOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if checkConfig, dryRun {
      throw ValidationError(
        "--check-config looks at the file, and --dry-run at the stores too; choose one")
    }
    if metrics != nil, checkConfig || dryRun {
      throw ValidationError(
        "--metrics cannot be combined with --check-config or --dry-run, which maintain no store")
    }
    try NewPlace.file.check(metrics, of: "--metrics")
  }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    let plan: MaintenancePlan
    do {
      let config = try MaintenanceConfig(path: config, homeFolder: session.console.homeFolder)
      plan = try MaintenancePlan(config.sections, configPath: config.path, only: only)
    } catch let error as ConfigMistakes {
      for failure in error.failures { session.diagnostics.report(failure) }
      throw EndWithStatus(status: .usage)
    }
    var status = ExitStatus.success
    try session.write(usesPager: false) { writer in
      let report = MaintenanceReport(session: session)
      if checkConfig {
        try report.write(plan)
        try refuse(plan.failures, session)
      } else {
        try refuse(plan.overlaps, session)
        status = try session.observing { try maintain(plan, report, observer: $0) }
      }
    }
    throw EndWithStatus(status: status)
  }

  /// Ends the command if the stores do not fit the config file.
  private func refuse(_ errors: [any Error], _ session: Session) throws {
    guard !errors.isEmpty else { return }
    for error in errors { session.diagnostics.report(Failure(error)) }
    throw EndWithStatus(status: .usage)
  }

  /// Maintains one store after the other; a failure of one does not affect the others.
  ///
  /// - Returns: The worst status of any store.
  private func maintain(
    _ plan: MaintenancePlan, _ report: MaintenanceReport, observer: @escaping OperationObserver
  ) throws -> ExitStatus {
    let session = report.session
    let isolation = StoreIsolation(session: session, amongSeveral: true)
    let total = plan.parts.reduce(0) { $0 + $1.stores.count }
    var done = 0
    var skipped: [String] = []
    var metrics = metrics.map { MaintenanceMetrics($0, now: session.now) }
    defer { session.console.workDone.begin(nil) }
    for part in plan.parts {
      for link in part.skippedLinks {
        session.diagnostics.warn(
          "\(link.path) is skipped: it is a link to \(link.target), outside the folder of its pattern",
          kind: "linkSkipped",
          hint: "name the store itself, or add follow-links = yes to [\(part.settings.section)]")
      }
      for (path, error) in part.failures {
        metrics?.add(failed: path, section: part.settings.section)
        try isolation.run(path) { throw error }
      }
      var maintenance = StoreMaintenance(
        part, of: plan, isDryRun: dryRun, lockWait: lockWait?.seconds(before: session.now) ?? 0,
        ignoredGuards: guards.ignoredGuards, now: session.now, observer: observer)
      maintenance.keepsLogValues = !keeping.omitsValues
      for path in part.stores {
        session.console.workDone.begin(
          "\(done) of \(total) stores were maintained, at work on \(path)")
        done += 1
        let outcome = maintenance.run(path)
        if outcome.isWithoutHistory { skipped.append(path) } else { metrics?.add(outcome) }
        try report.write(outcome)
        // A long run shows each store as soon as it is done.
        try report.writer.flush()
        if let failure = outcome.failure { try isolation.run(path) { throw failure } }
        if !dryRun, outcome.prune?.plan.leavesRecordedValues == true {
          isolation.end(with: .partlyDone)
        }
      }
    }
    // A run each night must not say so each night.
    if !skipped.isEmpty, !output.json, dryRun || session.environment.isErrorTerminal {
      session.diagnostics.note(StoreIsolation.text(ofSkipped: skipped))
    }
    try metrics?.write(keepsOthers: !only.isEmpty)
    isolation.end(with: session.status)
    return isolation.status
  }
}
