import ArgumentParser
import HistoryOperations
import Terminal

/// `histctl scrub`: makes a copy of a store that can be given away.
struct Scrub: SourceReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "scrub",
    abstract: "Copy a store without its data, to give the copy away.",
    discussion: """
      The copy has the tables, the model, the keys, the relationships and the history of the store. \
      Texts, numbers, UUIDs, URLs and data are replaced: equal values by equal ones, different \
      values by different ones, of the same length and kind. Dates are shifted by one secret time. \
      External data and free pages are left out, and so are the contents of tables that are not \
      understood. scrub shows what it keeps and, on a terminal, asks; in scripts, pass --yes or \
      --dry-run. The store is only read, and may be in use.

      Examples:
        histctl scrub default.store -o scrubbed.store
        histctl scrub default.store -o scrubbed.store --authors --yes --quiet
        histctl scrub default.store -o scrubbed.store --authors --names --yes
        histctl scrub default.store -o monday.store --key scrub.key --yes
        histctl scrub default.store -o scrubbed.store --dry-run --json
      """)

  @OptionGroup var store: StoreOptions

  @OptionGroup var copy: CopyOptions

  @Flag(help: "Replace authors, bundles and processes too.")
  var authors = false

  @Flag(help: "Replace the names of entities, attributes, tables and columns too.")
  var names = false

  @Option(value: .file, help: "Scrub with the key in this file, which is created if missing.")
  var key: String?

  @Flag(name: [.customShort("n"), .long], help: "Show what would be kept, and write nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Write without asking.")
  var yes = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try NewPlace.file.check(key, of: "--key") }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    let consent = try Consent(
      .write, of: [store.store], dryRun: dryRun, yes: yes, session: session)
    try session.write(usesPager: false) { writer in
      try session.observing { observer in
        try run(operation(observer), session, consent)
      }
    }
  }

  private func operation(_ observer: @escaping OperationObserver) -> ScrubOperation {
    var operation = ScrubOperation(path: store.store, copy: copy.path, observer: observer)
    operation.overwrites = copy.overwrite
    operation.keyPath = key
    operation.replacesAuthors = authors
    operation.replacesNames = names
    operation.busyTimeout = store.busyTimeout
    return operation
  }

  private func run(
    _ operation: ScrubOperation, _ session: Session, _ consent: Consent
  ) throws {
    let report = ScrubReport(
      session: session, operation: operation, plan: try operation.plan())
    if output.json {
      try session.writer.writeLine(report.json)
    } else if consent.showsPage {
      try report.writePage()
    }
    let path = TerminalText.terminal.escaped(copy.path)
    guard try consent.permits("Write the copy to \(path)?") else { return }
    // A signal ends the copy cleanly.
    try report.write(
      try DeferredSignals.endingReads {
        try operation.write(checking: { try DeferredSignals.check() })
      })
  }
}
