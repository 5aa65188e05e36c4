import ArgumentParser
import HistoryCoding
import HistoryOperations
import StoreEditing
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
    let consent = Consent(.write, dryRun: dryRun, yes: yes, session: session)
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
    try consent.check()
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

/// Writes what a scrubbed copy keeps, and the result: as a page, a line, or JSON.
struct ScrubReport: FieldPage {
  let session: Session
  let operation: ScrubOperation
  let plan: ScrubPlan

  // MARK: - For people

  /// Writes the plan.
  func writePage() throws {
    try field("store", plan.path, style: .heading)
    try field("copy", operation.copy)
    try fields("replaces", replaced, style: .deleted)
    try field("shifts", "dates and times, all by one secret number of seconds")
    try fields("leaves out", omitted)
    try fields(
      "empties",
      [
        list("tables that are not understood", plan.emptiedTables),
        list("columns that are not understood", plan.emptiedColumns),
      ])
    try fields("keeps", kept, style: .inserted)
    try field("key", key)
  }

  private var replaced: [String?] {
    let keys = operation.replacesNames ? "keys and values" : "values"
    return [
      "texts, numbers, UUIDs, URLs and data of \(plan.objectCount.counted("object"))",
      "preserved values of deleted objects, names of contexts",
      "the store's identifier, so tokens of the store do not work",
      list("\(keys) of the app's metadata", plan.applicationKeys),
      operation.replacesAuthors ? "authors, bundles and processes" : nil,
      operation.replacesNames
        ? "names of entities, attributes, relationships, tables, columns, indexes" : nil,
    ]
  }

  private var omitted: [String?] {
    [
      "external data, free pages, SQLite's statistics",
      list("settings of the file", plan.omittedSettings),
      plan.omitsModel
        ? "the model, which cannot be read or does not fit the tables"
        : operation.replacesNames && plan.hasModel
          ? "of the model: expressions, fetch indexes, rules of validation, user info" : nil,
      list(
        "triggers, views, search indexes, indexes with expressions or conditions",
        plan.omittedObjects),
    ]
  }

  private var kept: [String?] {
    let more = plan.authors.count < ScrubPlan.maxAuthors ? "" : ", …"
    return [
      operation.replacesNames
        ? "tables, the model, keys, relationships"
        : "tables, the model with all its names (--names replaces them), keys, relationships",
      "\(plan.transactionCount.counted("transaction")) with their numbers, "
        + plan.changeCount.counted("change")
        + (operation.replacesNames
          ? " and which attributes they set" : " with names of attributes"),
      "booleans, nulls, lengths, punctuation, and which values are equal",
      operation.replacesAuthors
        ? nil
        : list("authors, bundles and processes (--authors replaces them)", plan.authors)
          .map { $0 + more },
      list(keptColumns, plan.keptColumns),
    ]
  }

  private func list(_ title: String, _ names: [String]) -> String? {
    names.isEmpty ? nil : "\(title): \(names.joined(separator: ", "))"
  }

  private var keptColumns: String {
    plan.hasModel ? "counts that triggers keep" : "what looks like relationships, without a model"
  }

  private var key: String {
    operation.keyPath.map { "in \($0): keep it secret, it gives shifted dates and texts back" }
      ?? "used once and kept nowhere"
  }

  /// Writes the result.
  func write(_ result: ScrubOperation.Result) throws {
    try write(
      json(of: result),
      orLine: "\(operation.copy): \(result.summary.rowCount.counted("row")), "
        + "\(result.summary.valueCount.counted("value")) replaced")
    if !session.options.quiet, result.madeKey, let path = operation.keyPath {
      session.diagnostics.note("made the key \(path)")
    }
  }

  // MARK: - For programs

  /// The plan.
  var json: JSONValue {
    .record(
      "scrubPlan",
      [
        "path": plan.path, "store": plan.storeIdentifier, "copy": operation.copy,
        "objects": plan.objectCount, "rows": plan.rowCount, "transactions": plan.transactionCount,
        "changes": plan.changeCount, "hasModel": plan.hasModel,
        "keepsAuthors": !operation.replacesAuthors, "keepsNames": !operation.replacesNames,
        "authors": operation.replacesAuthors ? [] : plan.authors, "keptColumns": plan.keptColumns,
        "emptiedTables": plan.emptiedTables, "emptiedColumns": plan.emptiedColumns,
        "omittedSettings": plan.omittedSettings, "omittedObjects": plan.omittedObjects,
        "applicationKeys": plan.applicationKeys, "key": operation.keyPath,
      ])
  }

  private func json(of result: ScrubOperation.Result) -> JSONValue {
    .record(
      "scrub",
      [
        "path": plan.path, "store": result.storeIdentifier, "copy": operation.copy,
        "rows": result.summary.rowCount, "values": result.summary.valueCount,
        "key": operation.keyPath, "madeKey": operation.keyPath == nil ? nil : result.madeKey,
      ])
  }
}
