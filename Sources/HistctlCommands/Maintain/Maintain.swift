import ArgumentParser
import HistoryOperations
import PersistentHistory
import StoreFormat
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

/// What runs have done with each store, as metrics of Prometheus in a file that keeps what is older than the last run:
/// when a store was last maintained with success, and how often it has failed since.
struct MaintenanceMetrics {
  private var lastRun = PrometheusMetric(
    "histctl_maintain_last_run_timestamp_seconds",
    "When the store was last maintained, in seconds since 1970.")
  private var lastSuccess = PrometheusMetric(
    "histctl_maintain_last_success_timestamp_seconds",
    "When the store was last maintained without a failure, in seconds since 1970.")
  private var failures = PrometheusMetric(
    "histctl_maintain_failures", "Failed runs since the last one without a failure.")
  private var duration = PrometheusMetric(
    "histctl_maintain_duration_seconds", "How long the last run on the store took.")
  private var deleted = PrometheusMetric(
    "histctl_maintain_deleted_transactions", "Transactions that the last run deleted.")
  private var freed = PrometheusMetric(
    "histctl_maintain_freed_bytes", "Bytes that the last run returned to the file system.")

  private let file: MetricsFile
  /// The samples of earlier runs, by name and labels.
  private let earlier: [[UInt8]: Double]
  private let earlierLines: [String]
  private let now: StoreTimestamp
  private var paths: [String] = []

  /// Reads what earlier runs have written.
  init(_ path: String, now: StoreTimestamp) {
    file = MetricsFile(path)
    self.now = now
    earlierLines = file.lines.filter { $0.hasPrefix("histctl_maintain_") }.map(String.init)
    var earlier: [[UInt8]: Double] = [:]
    for line in earlierLines {
      guard let blank = line.lastIndex(of: " "),
        let value = Double(line[line.index(after: blank)...]), value.isFinite
      else { continue }
      earlier[Array(line[...blank].utf8)] = value
    }
    self.earlier = earlier
  }

  /// Adds what was done with a store.
  mutating func add(_ outcome: MaintenanceOutcome) {
    let labels = [("section", outcome.section), ("path", outcome.path)]
    let (seconds, attoseconds) = outcome.duration.components
    duration.add(
      Double(seconds) + (Double(attoseconds) / 1e15).rounded() / 1000, labels: labels)
    deleted.add(Double(outcome.prune?.deleted.transactionCount ?? 0), labels: labels)
    freed.add(Double(outcome.freedBytes ?? 0), labels: labels)
    add(outcome.path, labels, hasFailed: outcome.failure != nil)
  }

  /// Adds a store that was left out.
  mutating func add(failed path: String, section: String) {
    add(path, [("section", section), ("path", path)], hasFailed: true)
  }

  private mutating func add(_ path: String, _ labels: [(String, String)], hasFailed: Bool) {
    paths.append(path)
    guard let time = now.secondsSince1970 else { return }
    lastRun.add(time, labels: labels)
    failures.add(
      hasFailed ? max(earlier[Array(failures.start(labels).utf8)] ?? 0, 0) + 1 : 0, labels: labels)
    if let success = hasFailed ? earlier[Array(lastSuccess.start(labels).utf8)] : time {
      lastSuccess.add(success, labels: labels)
    }
  }

  /// Replaces the file in one step.
  ///
  /// - Parameter keepsOthers: Whether stores that were not maintained now keep what the file has of them.
  mutating func write(keepsOthers: Bool) throws {
    func text(_ metric: PrometheusMetric) -> String {
      var metric = metric
      guard keepsOthers else { return metric.text }
      for line in earlierLines where line.hasPrefix(metric.name + "{") { metric.keep(line) }
      return metric.text
    }
    let text = [lastRun, lastSuccess, failures, duration, deleted, freed].map(text).joined()
    try file.replace(with: text, about: paths)
  }
}
