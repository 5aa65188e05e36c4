import ArgumentParser
import PersistentHistory
import StoreFormat

/// `histctl blame`: shows which transaction last set each attribute of an object.
struct Blame: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Show who last set each attribute of an object.",
    discussion: """
      Lists the attributes and to-one relationships of an object with their values, the transaction \
      that set each of them, its time and its author, and the value before if it was recorded. With \
      --at, shows the object as it was right after a transaction; a value that a later transaction \
      replaced is shown if it was recorded.

      Examples:
        histctl blame default.store Trip/p12
        histctl blame default.store 'Trip[name=Olive harvest]'
        histctl blame default.store Trip/p12 --at 2026-11-01
        histctl blame default.store Trip/p12 --attribute name --json
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(help: ObjectArgument.help, completion: Completion.object.kind)
  var object: String

  @Option(
    help: ArgumentHelp(
      "Show the object as it was right after this token.", valueName: "token"),
    completion: Completion.token.kind)
  var at: String?

  @Option(
    help: ArgumentHelp("Show only this attribute or relationship.", valueName: "attribute"),
    completion: Completion.attribute.kind)
  var attribute: [String] = []

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.readHistory(store, archive) { writer, timeline, resolver in
      if let snapshot = timeline.snapshot { _ = try snapshot.historyTables() }
      var query = HistoryQuery()
      try values.apply(to: &query, session, timeline)
      let position = try at.map { try resolver.resolveUsable($0).number } ?? nil
      let reader = try ObjectLifeReader(
        ObjectArgument.object(object, resolver, session), in: timeline,
        schema: session.schema(of: timeline), query: query)
      try reader.check(attributes: attribute)
      let blame = try ObjectBlame(reader, at: position)
      let report = BlameReport(
        session: session, writer: writer, timeline: timeline, blame: blame, attributes: attribute)
      guard blame.life.state != .unknown else { throw try reader.unknownObject() }
      if let inserted = blame.laterInsert { throw report.notYet(inserted) }
      try report.write(asJSON: output.json)
    }
  }
}
