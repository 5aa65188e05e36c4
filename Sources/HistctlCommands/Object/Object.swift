import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl object`: the life of one object.
struct Object: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "object",
    _superCommandName: "histctl",
    abstract: "Show the life of one object, and what it is now.",
    discussion: """
      Every change of the object, oldest first, with who saved it: when it was inserted, which \
      attributes each update touched, what it left behind when it was deleted. If it still is in \
      the store, its values follow. The options under "which changes" leave out other changes, but \
      what has become of the object is told in any case. Ends with 1 where neither the store nor its history knows the \
      object.

      Examples:
        histctl object default.store Trip/p12
        histctl object default.store x-coredata://1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p1
        histctl object default.store Trip/p12 --attribute name
        histctl object default.store Trip/p12 --json | jq 'select(.type == "object") | .current'
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: "The object, such as Trip/p12.")
  var object: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which changes") var filter: LifeOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.readHistory(store, archive) { writer, timeline, resolver in
      var query = try filter.query(resolver)
      try values.apply(to: &query, session, timeline)
      let reader = try ObjectLifeReader(
        HistoryObject(object), in: timeline, schema: session.schema(of: timeline), query: query)
      let gaps = GapReport(session: session, timeline: timeline)
      if output.json {
        try ObjectLines(writer: writer, timeline: timeline, gaps: gaps).write(reader) {
          try noteMissingBeginning(of: reader.life, gaps, resolver, writer)
        }
      } else {
        try ObjectText(session: session, writer: writer, timeline: timeline, gaps: gaps)
          .write(reader)
        try noteMissingBeginning(of: reader.life, gaps, resolver, writer)
      }
      if let snapshot = timeline.snapshot, snapshot.layout.history == nil {
        // Of what it is now, a store without history tells all the same.
        if reader.life.state == .unknown {
          session.diagnostics.report(Failure(try reader.unknownObject()))
        }
        let failure = Failure(StoreError.withoutHistory(path: snapshot.location.path))
        session.diagnostics.report(failure)
        session.end(with: failure.status)
      } else if reader.life.state == .unknown {
        throw try reader.unknownObject()
      }
    }
  }

  /// Says that a life began before the history does, where the changes from then on were asked for.
  private func noteMissingBeginning(
    of life: ObjectLife, _ gaps: GapReport, _ resolver: TokenResolver, _ writer: OutputWriter
  ) throws {
    guard life.changeCount > 0 || life.present != nil, !life.startsWithInsert else { return }
    let timeline = gaps.timeline
    guard timeline.snapshot.map({ $0.layout.history != nil }) ?? true else { return }
    let gap =
      try filter.after.map {
        try resolver.resolve($0).number ?? 0 <= 0
          ? timeline.missingBeginning() : resolver.missingBeginning(after: $0)
      } ?? timeline.missingBeginning()
    try gaps.note(missingBeginning: gap, to: output.json ? writer : nil)
  }
}

/// Which changes of one object to show.
struct LifeOptions: ParsableArguments {
  @OptionGroup var slips: RangeSlips

  @Option(
    name: [.customLong("after"), .customLong("since")],
    help: ArgumentHelp("Only changes after this token.", valueName: "token"))
  var after: String?

  @Option(help: ArgumentHelp("Only changes up to and including this token.", valueName: "token"))
  var until: String?

  @OptionGroup var savers: SaverOptions

  @Option(help: ArgumentHelp("Only changes of this kind.", valueName: "kind"))
  var kind: [KindArgument] = []

  @Option(
    help: ArgumentHelp(
      "Only updates of this attribute or relationship.", valueName: "attribute"))
  var attribute: [String] = []

  /// The query that the options spell, for one store.
  func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    var query = savers.query()
    query.after = try after.map { try resolver.resolveUsable($0).number } ?? nil
    query.until = try until.map { try resolver.resolveUsable($0).number } ?? nil
    query.change = ChangeCondition(kinds: kind.map(\.kind), attributes: attribute)
    return query
  }
}
