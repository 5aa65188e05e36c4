import ArgumentParser
import PersistentHistory
import Terminal

/// `histctl maintain`: what a schedule needs, for many stores in one call.
struct Maintain: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "maintain",
    _superCommandName: "histctl",
    abstract: "Export, prune and compact many stores, as a config file says.",
    discussion: """
      For a schedule, as that of cron or a systemd timer. Of each store what is new is exported, \
      then history is pruned, then free pages are given back, as far as the config file asks for \
      it. A step that fails leaves out the later ones of its store, and no other store waits for \
      it. Nothing is written where nothing happened; histctl-maintain.conf(5) explains the file.

      Examples:
        histctl maintain --config maintain.conf --check-config
        histctl maintain --config maintain.conf --dry-run
        histctl maintain --config maintain.conf
        histctl maintain --config maintain.conf --only trips --json
      """)

  @Option(
    help: ArgumentHelp("The config file.", valueName: "file"), completion: .file())
  var config: String

  @Option(
    help: ArgumentHelp(
      "Only the stores of this section, or this store; may be repeated.", valueName: "name"))
  var only: [String] = []

  @Flag(help: "Say what the file asks for, or all its mistakes, and change nothing.")
  var checkConfig = false

  @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Time to wait for another run on the same store, such as 10min.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var lockWait: DurationArgument?

  @OptionGroup var guards: DamageGuardOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    if checkConfig, dryRun {
      throw ValidationError(
        "--check-config looks at the file, and --dry-run at the stores too; choose one")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    let plan: MaintenancePlan
    do {
      plan = try MaintenancePlan(MaintenanceConfig(path: config), only: only)
    } catch let error as ConfigMistakes {
      for failure in error.failures { session.diagnostics.report(failure) }
      throw EndWithStatus(status: .usage)
    }
    var status = ExitStatus.success
    try session.write(usesPager: false) { writer in
      if checkConfig {
        try MaintenancePlanReport(session: session, writer: writer).write(plan)
        let failures = plan.failures
        for failure in failures { session.diagnostics.report(failure) }
        if !failures.isEmpty { status = .usage }
      } else {
        let wait = lockWait?.seconds(before: session.now)
        try checkOwners(plan, session)
        status = try MaintenanceRun(
          session: session, plan: plan, isDryRun: dryRun, lockWait: wait ?? 0,
          ignoredGuards: guards.ignoredGuards
        ).run(writer)
      }
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  /// Sees that no store belongs to two sections, which only the patterns tell: what one of them says is
  /// not what the other wants.
  private func checkOwners(_ plan: MaintenancePlan, _ session: Session) throws {
    let mistakes = plan.parts.flatMap(\.failures).map(\.failure).filter {
      $0.kind == MaintenancePlan.kindOfOverlap
    }
    guard !mistakes.isEmpty else { return }
    for mistake in mistakes { session.diagnostics.report(mistake) }
    throw EndWithStatus(status: .usage)
  }
}
