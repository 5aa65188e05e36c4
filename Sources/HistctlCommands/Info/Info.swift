import ArgumentParser
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl info`: what a store is and what its history holds, or what an archive has.
struct Info: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    _superCommandName: "histctl",
    abstract: "Say what a store is and what its history holds.",
    discussion: """
      Identifier, framework and its system, the span of the history, changes by entity, \
      transactions by author, the bytes that history occupies, bookmarks and what to know about \
      the store. A store without history tables is described as well, and ends with 8. Of an \
      archive: its stores, ranges, segments and bytes, and the head of its chain.

      With --model it lists what the model says instead: of every entity its number and its table, \
      and its attributes and relationships in the order of the bits by which history marks what \
      an update touched.

      Examples:
        histctl info default.store
        histctl info default.store --json | jq .transactions
        histctl info history-archive
        histctl info default.store --model
        histctl info default.store --model --entity Trip
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var values: ValuesOptions
  @Flag(help: "List all entities, authors, bundles and processes, not only the first 20.")
  var all = false

  @OptionGroup(title: "The model") var model: ModelOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    if model.model { return try tellModel(session) }
    if Archive.isArchive(store.store) {
      let overview = try ArchiveOverview(Archive(path: store.store))
      return try session.write(usesPager: true) { writer in
        try ArchiveInfoReport(
          session: session, writer: writer, overview: overview, rowLimit: rowLimit
        ).write()
      }
    }
    // Told among the notices.
    let logProblem = StoreReading.logProblem(of: store.store)
    if logProblem != nil { session.end(with: .damaged) }
    let file = try StoreFile(path: store.store, busyTimeout: store.busyTimeout)
    try session.read(file, store) { writer, snapshot, resolver in
      let report = try InfoReport(
        snapshot: snapshot, schema: session.schema(of: snapshot),
        bookmarkPath: store.bookmarkFile,
        values: values.usable(session, HistoryTimeline(snapshot)), logProblem: logProblem)
      if output.json {
        try writer.writeLine(report.json)
      } else {
        try InfoText(
          session: session, writer: writer, report: report, rowLimit: rowLimit
        ).write()
      }
      if let problem = report.bookmarkProblem {
        let failure = Failure(problem)
        session.diagnostics.report(failure)
        session.end(with: failure.status)
      }
      if report.overview == nil {
        let failure = Failure(StoreError.withoutHistory(path: snapshot.location.path))
        session.diagnostics.report(failure)
        session.end(with: failure.status)
      }
    }
  }

  private var rowLimit: Int { all ? .max : 20 }

  private func tellModel(_ session: Session) throws {
    func report(_ writer: OutputWriter) -> ModelReport {
      ModelReport(session: session, writer: writer, entityNames: model.entity)
    }
    if Archive.isArchive(store.store) {
      let archive = try Archive(path: store.store)
      return try session.write(usesPager: true) { try report($0).write(archive) }
    }
    if ExportedText.isName(store.store) {
      throw Failure(
        status: .usage, kind: "usage", message: "lines that were exported have no model",
        hint: "give the store that they come from, or an archive of its history")
    }
    try session.read(store) { writer, snapshot, _ in try report(writer).write(snapshot) }
  }
}

/// Whether to tell of a store's model, and of which entities.
struct ModelOptions: CheckedOptions {
  @Flag(help: "List what the model says instead: entities, attributes and relationships.")
  var model = false

  @Option(help: ArgumentHelp("With --model, only this entity.", valueName: "entity"))
  var entity: [String] = []

  func check() throws {
    if !entity.isEmpty, !model {
      throw ValidationError("--entity chooses among what --model lists; add --model")
    }
  }
}
