import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// Which transactions to show.
struct FilterOptions: ParsableArguments {
  @Option(
    name: [.customLong("after"), .customLong("since")],
    help: ArgumentHelp("Only transactions after this token.", valueName: "token"),
    completion: Completion.token.kind)
  var after: String?

  @Option(
    help: ArgumentHelp("Only transactions up to and including this token.", valueName: "token"),
    completion: Completion.token.kind)
  var until: String?

  @OptionGroup var conditions: ConditionOptions

  /// Returns how to go on if the token of `--after` or `--until` does not work.
  func remedy(for token: UnusableToken) -> String {
    token.text == until ? token.remedyWithReach : token.remedyWithAfter
  }

  /// The options as they were given, with their values.
  var texts: [String] {
    func list(_ name: String, _ values: [String]) -> [String] {
      values.map { "--\(name) \(ShellWord.quoted($0))" }
    }
    let savers = conditions.savers
    return list("after", after.map { [$0] } ?? []) + list("until", until.map { [$0] } ?? [])
      + list("author", savers.author) + list("not-author", savers.notAuthor)
      + (savers.noAuthor ? ["--no-author"] : []) + list("bundle", savers.bundle)
      + list("process", savers.process) + list("entity", conditions.entity)
      + list("exact-entity", conditions.exactEntity)
      + list("kind", conditions.kind.map(\.kind.name)) + list("object", conditions.object)
      + list("attribute", conditions.attribute)
  }

  /// Returns the query for one store.
  func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    // Report tokens that do not work before unknown names.
    let after = try after.map { try resolver.resolveUsable($0).number } ?? nil
    let until = try until.map { try resolver.resolveUsable($0).number } ?? nil
    var query = try conditions.query()
    query.after = after
    query.until = until
    return query
  }
}

/// Conditions on transactions and changes. Values of the same option are alternatives; different
/// options must all match.
struct ConditionOptions: ParsableArguments {
  @OptionGroup var savers: SaverOptions

  @Option(
    help: ArgumentHelp(
      "Only those that change an object of this entity or its sub-entities.",
      valueName: "entity"),
    completion: Completion.entity.kind)
  var entity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only those that change an object of exactly this entity.", valueName: "entity"),
    completion: Completion.entity.kind)
  var exactEntity: [String] = []

  @Option(help: ArgumentHelp("Only those with changes of this kind.", valueName: "kind"))
  var kind: [KindArgument] = []

  @Option(
    help: ArgumentHelp(
      "Only those that change this object, such as Trip/p12.", valueName: "object"),
    completion: Completion.object.kind)
  var object: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only those that updated this attribute or relationship.", valueName: "attribute"),
    completion: Completion.attribute.kind)
  var attribute: [String] = []

  /// Returns a query with the conditions, for a whole history.
  func query() throws -> HistoryQuery {
    var query = savers.query()
    query.change = ChangeCondition(
      kinds: kind.map(\.kind), entities: entity, exactEntities: exactEntity,
      objects: try object.map { try HistoryObject($0) }, attributes: attribute)
    return query
  }
}

/// Conditions on values.
struct ValueConditionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only those that set or removed such a value: name=Rome, also with !=, <, > or ~.",
      valueName: "condition"))
  var value: [String] = []

  func validate() throws {
    if let text = value.first(where: { ValueCondition($0, now: .now()) == nil }) {
      throw ValidationError(
        "'\(text)' is not a condition on a value; write an attribute, =, !=, <, > or ~, and a value"
      )
    }
  }

  /// Returns the conditions; times are relative to a moment.
  func conditions(now: StoreTimestamp) -> [ValueCondition] {
    value.compactMap { ValueCondition($0, now: now) }
  }
}

/// Conditions on who saved.
struct SaverOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Only those by this author.", valueName: "author"),
    completion: Completion.author.kind)
  var author: [String] = []

  @Option(
    help: ArgumentHelp(
      "Not those by this author; keeps those without an author.", valueName: "author"),
    completion: Completion.author.kind)
  var notAuthor: [String] = []

  @Flag(help: "Only those without an author; with --author, those as well.")
  var noAuthor = false

  @Option(
    help: ArgumentHelp("Only those of this bundle identifier.", valueName: "bundle"),
    completion: Completion.bundle.kind)
  var bundle: [String] = []

  @Option(
    help: ArgumentHelp("Only those of this process.", valueName: "process"),
    completion: Completion.process.kind)
  var process: [String] = []

  /// Returns a query with the conditions, for a whole history.
  func query() -> HistoryQuery {
    var query = HistoryQuery()
    query.author = HistoryQuery.TextCondition(
      anyOf: author.isEmpty && !noAuthor ? nil : author, orNone: noAuthor, noneOf: notAuthor)
    query.bundle = HistoryQuery.TextCondition(anyOf: bundle.isEmpty ? nil : bundle)
    query.process = HistoryQuery.TextCondition(anyOf: process.isEmpty ? nil : process)
    return query
  }
}

/// The limits of a history.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Maximum size of the history, such as 50M.", valueName: "size"),
    transform: ByteSize.init(parsing:))
  var maxSize: ByteSize?

  @Option(
    help: ArgumentHelp(
      "Maximum age of the oldest transaction, such as 90d.", valueName: "duration"),
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
