import ArgumentParser
import PersistentHistory

/// Which transactions to show: a part of the history, and conditions.
struct FilterOptions: ParsableArguments {
  @OptionGroup var slips: RangeSlips

  @Option(
    name: [.customLong("after"), .customLong("since")],
    help: ArgumentHelp("Only transactions after this token.", valueName: "token"))
  var after: String?

  @Option(
    help: ArgumentHelp("Only transactions up to and including this token.", valueName: "token"))
  var until: String?

  @OptionGroup var conditions: ConditionOptions

  /// The query that the options spell, for one store.
  func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    // A token that does not work is told of before a name that does not exist.
    let after = try after.map { try resolver.resolveUsable($0).number } ?? nil
    let until = try until.map { try resolver.resolveUsable($0).number } ?? nil
    var query = try conditions.query()
    query.after = after
    query.until = until
    return query
  }
}

/// Which transactions and changes a command is about. Values of one option are alternatives,
/// different options must all hold.
struct ConditionOptions: ParsableArguments {
  @OptionGroup var savers: SaverOptions

  @Option(
    help: ArgumentHelp(
      "Only those that concern an object of this entity or its sub-entities.",
      valueName: "entity"))
  var entity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only those that concern an object of exactly this entity.", valueName: "entity"))
  var exactEntity: [String] = []

  @Option(help: ArgumentHelp("Only those of this kind.", valueName: "kind"))
  var kind: [KindArgument] = []

  @Option(
    help: ArgumentHelp(
      "Only those that concern this object, such as Trip/p12.", valueName: "object"))
  var object: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only those that updated this attribute or relationship.", valueName: "attribute"))
  var attribute: [String] = []

  /// A query with the conditions that the options spell, for a whole history.
  func query() throws -> HistoryQuery {
    var query = savers.query()
    query.change = ChangeCondition(
      kinds: kind.map(\.kind), entities: entity, exactEntities: exactEntity,
      objects: try object.map { try HistoryObject($0) }, attributes: attribute)
    return query
  }
}

/// Whose transactions a command is about. Values of one option are alternatives, different options
/// must all hold.
struct SaverOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only those by this author.", valueName: "author"))
  var author: [String] = []

  @Option(
    help: ArgumentHelp(
      "None by this author; those without an author stay.", valueName: "author"))
  var notAuthor: [String] = []

  @Flag(help: "Only those without an author; with --author, those too.")
  var noAuthor = false

  @Option(help: ArgumentHelp("Only those of this bundle identifier.", valueName: "bundle"))
  var bundle: [String] = []

  @Option(help: ArgumentHelp("Only those of this process.", valueName: "process"))
  var process: [String] = []

  /// A query with the conditions that the options spell, for a whole history.
  func query() -> HistoryQuery {
    var query = HistoryQuery()
    query.author = HistoryQuery.TextCondition(
      anyOf: author.isEmpty && !noAuthor ? nil : author, orNone: noAuthor, noneOf: notAuthor)
    query.bundle = HistoryQuery.TextCondition(anyOf: bundle.isEmpty ? nil : bundle)
    query.process = HistoryQuery.TextCondition(anyOf: process.isEmpty ? nil : process)
    return query
  }
}

/// What a history is held to.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The history may be as large as this, such as 50M.", valueName: "size"),
    transform: ByteSize.init(parsing:))
  var maxSize: ByteSize?

  @Option(
    help: ArgumentHelp(
      "The oldest transaction may be as old as this, such as 90d.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var maxAge: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Minimum time until a bookmark expires, such as 7d; with --keep-within or --keep-last.",
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var minHeadroom: DurationArgument?

  /// The limits that are given.
  var limits: HistoryLimits {
    var limits = HistoryLimits()
    limits.maxSize = maxSize?.bytes
    limits.maxAge = maxAge?.duration
    limits.minHeadroom = minHeadroom?.duration
    return limits
  }
}
