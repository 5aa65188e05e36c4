import ArgumentParser
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl info`: describes a store or an archive.
struct Info: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Describe a store and its history, or an archive.",
    discussion: """
      Shows the identifier, the framework and its system, the span and the size of the history, \
      changes by entity, transactions by author, bookmarks, and notes. A store without history \
      tables is described too, with status 8. For an archive, shows its stores, ranges, segments \
      and sizes, and the head of its chain.

      With --model, lists the entities of the model instead, with their number and table, and \
      their attributes and relationships in the order of the bits with which history marks the \
      attributes that an update set.

      Examples:
        histctl info default.store
        histctl info default.store --json | jq .transactions
        histctl info default.store --hashes --private-copy copies
        histctl info history-archive
        histctl info default.store --model
        histctl info default.store --model --entity Trip
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var values: ValuesOptions
  @Flag(help: "List all entities, authors, bundles and processes, not just 20 of each.")
  var all = false

  @Flag(help: "Show the SHA-256 of the store, its log and its journal, before and after reading.")
  var hashes = false

  @OptionGroup(title: "The model") var model: ModelOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if hashes, model.model { throw ValidationError("--hashes cannot be combined with --model") }
  }

  func run(_ session: Session) throws {
    if hashes, Archive.isArchive(store.store) {
      throw Failure(
        .usage, "--hashes needs a store",
        hint: "histctl verify compares the digests of an archive")
    }
    if model.model { return try writeModel(session) }
    if Archive.isArchive(store.store) {
      let overview = try ArchiveOverview(Archive(path: store.store))
      if let segment = overview.unlisted.first { throw ArchiveError.unlisted(path: segment.path) }
      return try session.write(usesPager: true) { writer in
        try ArchiveInfoReport(session: session, overview: overview, rowLimit: rowLimit).write()
      }
    }
    try session.write(usesPager: true) { writer in
      let before = try hashes ? StoreDigests(ofStoreAt: store.store) : nil
      var report = try read(session)
      // The store is closed now.
      report.digests = try before.map {
        DigestComparison(before: $0, after: try StoreDigests(ofStoreAt: store.store))
      }
      if output.json {
        try writer.writeLine(report.json)
      } else {
        try InfoText(session: session, report: report, rowLimit: rowLimit).write()
      }
      tell(of: report, session)
    }
  }

  private func read(_ session: Session) throws -> InfoReport {
    // The problem is one of the notices.
    let logProblem = StoreReading.logProblem(of: store.store)
    if logProblem != nil { session.end(with: .damaged) }
    return try StoreFile.leavingNothing(store.store, busyTimeout: store.busyTimeout).read {
      snapshot in
      try InfoReport(
        snapshot: snapshot, schema: session.schema(of: snapshot),
        bookmarkPath: store.bookmarkFile,
        values: values.usable(session, HistoryTimeline(snapshot)), logProblem: logProblem)
    }
  }

  private func tell(of report: InfoReport, _ session: Session) {
    let problems: [(any Error)?] = [
      report.overview?.damage, report.bookmarkProblem,
      report.overview == nil ? StoreError.withoutHistory(path: report.path) : nil,
    ]
    for case let problem? in problems { session.fail(with: problem) }
  }

  private var rowLimit: Int { all ? .max : 20 }

  private func writeModel(_ session: Session) throws {
    let report = ModelReport(session: session, entityNames: model.entity)
    if Archive.isArchive(store.store) {
      let archive = try Archive(path: store.store)
      try archive.checkSegmentsAreListed(archive.catalog())
      return try session.write(usesPager: true) { _ in try report.write(archive) }
    }
    if ExportedText.isName(store.store) {
      throw Failure(
        .usage, "exported lines have no model",
        hint: "give their store, or an archive of its history")
    }
    try session.read(store) { snapshot, _ in try report.write(snapshot) }
  }
}

/// Whether to list the model, and which entities of it.
struct ModelOptions: ParsableArguments {
  @Flag(help: "List the model: entities, attributes and relationships.")
  var model = false

  @Option(value: .entity, help: "With --model, only this entity.")
  var entity: [String] = []

  func validate() throws {
    if !entity.isEmpty, !model {
      throw ValidationError("--entity needs --model")
    }
  }
}
