import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl diff`: what happened to each object between two positions.
struct Diff: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    _superCommandName: "histctl",
    abstract: "Show what happened to each object between two positions.",
    discussion: """
      The changes after the first token, up to and including the second, are folded into one line \
      for each object: what was inserted and deleted again is left out, updates name all the \
      attributes that they touched, with what each was first and is last where that was recorded, a \
      deleted object shows what it left behind. Without a second \
      token the newest transaction is the end; 0 stands before everything. The options under \
      "which changes" choose the changes before they are folded; --kind chooses objects by what \
      happened to them in the end.

      With --with, two copies of one store are compared: up to where their histories are the same, \
      and what each has of its own since.

      Examples:
        histctl diff default.store yesterday
        histctl diff default.store 1200 1300 --stat
        histctl diff default.store 0 --entity Trip --kind delete
        histctl diff default.store @widget --not-author widget --name-only
        histctl diff default.store last~1 --each
        histctl diff default.store 57 last --exit-code --json
        histctl diff default.store --with backup.store
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp("The position before the changes, as a token.", valueName: "token"))
  var start: String?

  @Argument(
    help: ArgumentHelp(
      "The position after them, as a token; without it the newest transaction.",
      valueName: "token"))
  var end: String?

  @Option(
    name: .customLong("with"),
    help: ArgumentHelp("Compare with this copy of the store instead.", valueName: "copy"),
    completion: .file())
  var copy: String?

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which changes") var conditions: ConditionOptions

  @Flag(help: "Show every change in order instead of what they come to.")
  var each = false

  @Flag(help: "Show how many objects of each entity were changed.")
  var stat = false

  @Flag(help: "Show the names of the objects alone.")
  var nameOnly = false

  @Flag(help: "End with 1 where there are differences.")
  var exitCode = false

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    if copy == nil, start == nil {
      throw ValidationError("Missing expected argument '<token>'")
    }
    if copy != nil, start != nil {
      throw ValidationError(
        "--with finds out by itself from where on two copies differ, so it cannot be combined with a token"
      )
    }
    if copy != nil, archive.archive != nil || archive.storeIdentifier != nil {
      throw ValidationError(
        "--with compares two stores as they are, so it cannot be combined with --archive")
    }
    if [each, stat, nameOnly].count(where: { $0 }) > 1 {
      throw ValidationError(
        "--each, --stat and --name-only are different answers: give one of them")
    }
    if nameOnly && output.json {
      throw ValidationError("--name-only writes names alone, --json objects: give one of them")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console)
    if let copy {
      try session.read(store) { writer, snapshot, _ in
        _ = try snapshot.historyTables()
        end(session, try compare(session, writer, snapshot, copy: copy))
      }
    } else {
      try session.readHistory(store, archive) { writer, timeline, resolver in
        _ = try timeline.snapshot?.historyTables()
        end(session, try show(session, writer, timeline, resolver))
      }
    }
  }

  private func end(_ session: Session, _ isDifferent: Bool) {
    if isDifferent, exitCode { session.end(with: .answerIsNo) }
  }

  /// Shows the changes between two positions and tells whether there are any.
  private func show(
    _ session: Session, _ writer: OutputWriter, _ timeline: HistoryTimeline,
    _ resolver: TokenResolver
  ) throws -> Bool {
    let range = try resolver.range(from: start ?? "", to: end)
    try GapReport(session: session, timeline: timeline).note(
      missingBeginning: range.after <= 0
        ? timeline.missingBeginning() : resolver.missingBeginning(after: start),
      to: output.json ? writer : nil)
    if range.after <= 0 { try session.warnOfTornCounters(in: timeline.snapshot) }
    var query = try conditions.query()
    try values.apply(to: &query, session, timeline)
    return try DiffOutput(
      session: session, writer: writer, timeline: timeline,
      schema: session.schema(of: timeline), form: form
    ).write(range, query) > 0
  }

  /// Compares two copies and tells whether they differ.
  private func compare(
    _ session: Session, _ writer: OutputWriter, _ snapshot: StoreSnapshot, copy: String
  ) throws -> Bool {
    let other = try session.open(copy, busyTimeout: store.busyTimeout)
    guard other.location.resolvedPath != snapshot.location.resolvedPath else {
      throw Failure(
        status: .usage, kind: "sameFile", message: "\(store.store) and \(copy) are the same file",
        hint: "give another copy of the store")
    }
    return try other.read { otherSnapshot in
      try ComparisonOutput(session: session, writer: writer, form: form)
        .write(snapshot, otherSnapshot, conditions.query()) != .same
    }
  }

  private var form: DiffForm {
    if each { return .changes }
    if stat { return .stat }
    return nameOnly ? .names : .objects
  }
}
