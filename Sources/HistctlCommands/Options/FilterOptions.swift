import ArgumentParser
import DurableFiles
import PersistentHistory
import StoreFormat
import Terminal

/// Between which tokens to show transactions or changes.
struct RangeOptions: ParsableArguments {
  @Option(
    name: [.customLong("after"), .customLong("since")], value: .token,
    help: "Only transactions after this token.")
  var start: String?

  @Option(
    name: .customLong("until"), value: .token,
    help: "Only transactions up to and including this token.")
  var end: String?

  @Option(help: "Only transactions in A..B: after token A up to and including token B.")
  var range: TokenRange?

  /// The token after which transactions are wanted.
  var after: String? { range?.start ?? start }
  /// The last token that is wanted.
  var until: String? { range?.end ?? end }

  func validate() throws {
    if range != nil, start != nil || end != nil {
      throw ValidationError("--range cannot be combined with --after or --until")
    }
  }

  /// Returns the remedy for one of the tokens that does not work.
  func remedy(for token: UnusableToken) -> String {
    token.remedy(upTo: until)
      ?? (token.text == range?.start
        // The nearest token would leave out the transaction that it names.
        ? token.remedy
        : range != nil || token.text == until ? token.remedyWithReach : token.remedyWithAfter)
  }

  /// Returns the bounds of the range in one store.
  func positions(_ resolver: TokenResolver) throws -> (after: Int64?, until: Int64?) {
    if let range { return try resolver.positions(of: range) }
    return (
      try after.map { try resolver.resolveUsable($0).number } ?? nil,
      try until.map { try resolver.resolveUsable($0).number } ?? nil
    )
  }
}

extension TokenRange: OptionValue {
  static var valueName: String { "range" }

  /// Reads a range on the command line.
  init(option text: String) throws(ValidationError) {
    let range: TokenRange?
    do {
      range = try TokenRange.parse(text, now: .now())
    } catch {
      throw ValidationError("\(error.message); \(error.remedy)")
    }
    guard let range else {
      throw ValidationError(
        (try? FileStatus(path: text)) == nil
          ? "a single token is not a range; \(TokenRange.hint)"
          : "it is a file; \(TokenRange.hint)")
    }
    self = range
  }
}

extension TokenExpression {
  /// Rejects what is no token, and the number of a transaction, where several stores are read: neither is the fault of
  /// one of them. 0 is before all history of each.
  static func checkForSeveral(_ text: String, _ session: Session) throws {
    guard case .number(let number) = try TokenExpression(text, now: session.now), number != 0
    else { return }
    throw Failure(
      .usage, "\(text) is a transaction of one store, and several are given",
      hint:
        "give a time such as 2w, @bookmark, or a token of each store: STORE:\(text),STORE:NUMBER")
  }
}

/// Which transactions to show, as three groups of options say. A command has the groups side by side: the
/// argument parser reads groups within groups many times.
struct Filter {
  var range: RangeOptions
  let authors: AuthorOptions
  let conditions: ConditionOptions

  var after: String? { range.after }
  var until: String? { range.until }

  /// Returns the remedy for a token of `--after` or `--until` that does not work.
  func remedy(for token: UnusableToken) -> String { range.remedy(for: token) }

  /// Rejects positions that are numbers of one store, where several are read.
  func checkForSeveral(_ session: Session) throws {
    for text in [after, until].compactMap({ $0 }) {
      try TokenExpression.checkForSeveral(text, session)
    }
  }

  /// The options as they were given, with their values.
  var texts: [String] {
    func list(_ name: String, _ values: [String]) -> [String] {
      values.map { "--\(name) \(ShellWord.quoted($0))" }
    }
    return list("after", after.map { [$0] } ?? []) + list("until", until.map { [$0] } ?? [])
      + list("author", authors.author) + list("not-author", authors.notAuthor)
      + (authors.noAuthor ? ["--no-author"] : []) + list("bundle", authors.bundle)
      + list("process", authors.process) + list("entity", conditions.entity)
      + list("exact-entity", conditions.exactEntity)
      + list("kind", conditions.kind.map(\.name)) + list("object", conditions.object)
      + list("attribute", conditions.attribute)
  }

  /// Returns the query for one store.
  ///
  /// - Parameters:
  ///   - values: Conditions on old and new values.
  ///   - onlyMatching: Whether to leave out changes that do not match.
  func query(
    _ resolver: TokenResolver, values: [ValueCondition] = [], onlyMatching: Bool = false
  ) throws -> HistoryQuery {
    // Report tokens that do not work before unknown names.
    let positions = try range.positions(resolver)
    var change = try conditions.condition(resolver)
    change.values = values
    return authors.query(positions, change, onlyMatching: onlyMatching)
  }
}

/// Conditions on changes. Values of the same option are alternatives; different options must all match.
struct ConditionOptions: ParsableArguments {
  @Option(
    value: .entity,
    help: "Only transactions that change an object of this entity or its sub-entities.")
  var entity: [String] = []

  @Option(value: .entity, help: "Only transactions that change an object of exactly this entity.")
  var exactEntity: [String] = []

  @Option(value: "kind", help: "Only transactions with changes of this kind.")
  var kind: [ChangeKind] = []

  @Option(
    value: .object,
    help: "Only transactions that change this object, such as Trip/p12 or 'Trip[name=Rome]'.")
  var object: [String] = []

  @Option(value: .attribute, help: "Only transactions that updated this attribute or relationship.")
  var attribute: [String] = []

  /// Returns the condition that they make together.
  ///
  /// - Parameter resolver: Knows the history in which objects are found by their values.
  func condition(_ resolver: TokenResolver) throws -> ChangeCondition {
    ChangeCondition(
      kinds: kind, entities: entity, exactEntities: exactEntity,
      objects: try object.flatMap { try ObjectArgument.objects($0, resolver) },
      attributes: attribute)
  }
}

/// Conditions on values.
struct ValueConditionOptions: ParsableArguments {
  @Option(
    value: "condition",
    help:
      "Only transactions that set or removed such a value: name=Rome, also with !=, <, <=, >, >= or ~."
  )
  var value: [String] = []

  func validate() throws {
    if let text = value.first(where: { ValueCondition($0, now: .now()) == nil }) {
      throw ValidationError(
        "'\(text)' is not a condition on a value; write an attribute, =, !=, <, <=, >, >= or ~, and a "
          + "value"
      )
    }
  }

  /// Returns the conditions; times are relative to a moment.
  func conditions(now: StoreTimestamp) -> [ValueCondition] {
    value.compactMap { ValueCondition($0, now: now) }
  }
}

/// Conditions on who saved.
struct AuthorOptions: ParsableArguments {
  @Option(value: .author, help: "Only transactions by this author.")
  var author: [String] = []

  @Option(
    value: .author, help: "Exclude transactions by this author; those without an author stay.")
  var notAuthor: [String] = []

  @Flag(help: "Only transactions without an author; with --author, these as well.")
  var noAuthor = false

  @Option(value: .bundle, help: "Only transactions of this bundle identifier.")
  var bundle: [String] = []

  @Option(value: .process, help: "Only transactions of this process.")
  var process: [String] = []

  /// Whether there is a condition on the author.
  var namesAuthors: Bool { !author.isEmpty || !notAuthor.isEmpty || noAuthor }

  /// Returns a query with the conditions and others; by default, for a whole history.
  func query(
    _ positions: (after: Int64?, until: Int64?) = (nil, nil),
    _ change: ChangeCondition = ChangeCondition(), onlyMatching: Bool = false
  ) -> HistoryQuery {
    var query = HistoryQuery(
      after: positions.after, until: positions.until,
      author: HistoryQuery.TextCondition(
        anyOf: author.isEmpty && !noAuthor ? nil : author, orNone: noAuthor, noneOf: notAuthor),
      bundle: HistoryQuery.TextCondition(anyOf: bundle.isEmpty ? nil : bundle),
      process: HistoryQuery.TextCondition(anyOf: process.isEmpty ? nil : process),
      change: change, keepsOnlyMatchingChanges: onlyMatching)
    if !change.values.isEmpty { query.valueSearch = ValueSearch() }
    return query
  }
}

/// The limits of a history.
struct LimitOptions: ParsableArguments {
  @Option(help: "Maximum size of the history, such as 50M.")
  var maxSize: ByteSize?

  @Option(help: "Maximum age of the oldest transaction that prune could delete, such as 90d.")
  var maxAge: HistoryDuration?

  @Option(
    help: "Minimum time until a bookmark expires, such as 7d; with --keep-within or --keep-last.")
  var minHeadroom: HistoryDuration?

  @Option(
    help: "Maximum time for which uploads of a mirrored store to CloudKit may fail, such as 1d.")
  var maxExportFailure: HistoryDuration?

  /// The limits that are given.
  var limits: HistoryLimits {
    var limits = HistoryLimits()
    limits.maxSize = maxSize?.bytes
    limits.maxAge = maxAge
    limits.minHeadroom = minHeadroom
    limits.maxExportFailure = maxExportFailure
    return limits
  }
}
