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

  @Argument(value: .object, help: ObjectArgument.help)
  var object: String

  @Option(value: .token, help: "Show the object as it was right after this token.")
  var at: String?

  @Option(value: .attribute, help: "Show only this attribute or relationship.")
  var attribute: [String] = []

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ session: Session) throws {
    try session.readHistory(store, archive) { reading, resolver in
      var query = HistoryQuery()
      try values.apply(to: &query, reading)
      let position = try at.map { try resolver.resolveUsable($0).number } ?? nil
      let reader = try ObjectLifeReader(
        ObjectArgument.object(object, resolver, session), in: reading.timeline,
        schema: reading.schema(), query: query)
      try reader.check(attributes: attribute)
      let blame = try ObjectBlame(reader, at: position)
      guard blame.life.state != .unknown else { throw try reader.unknownObject() }
      if let inserted = blame.laterInsert {
        throw Failure(
          .unknownObject,
          "\(blame.life.object) did not exist yet: transaction "
            + "\(reading.tokens.text(inserted.transaction)) inserted it, "
            + reading.time.text(inserted.timestamp),
          hint: "give that token or a later one with --at")
      }
      try BlameReport(reading: reading, blame: blame, position: position, attributes: attribute)
        .write()
    }
  }
}
