import ArgumentParser
import PersistentHistory
import StoreFormat

/// Which transactions to show. Values of one option are alternatives, different options must all
/// hold.
struct FilterOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only transactions after this token.", valueName: "token"))
  var after: String?

  @Option(
    help: ArgumentHelp("Only transactions up to and including this token.", valueName: "token"))
  var until: String?

  @Option(help: ArgumentHelp("Only transactions by this author.", valueName: "author"))
  var author: [String] = []

  @Option(
    help: ArgumentHelp(
      "No transactions by this author; those without an author stay.", valueName: "author"))
  var notAuthor: [String] = []

  @Flag(help: "Only transactions without an author; with --author, those too.")
  var noAuthor = false

  @Option(help: ArgumentHelp("Only transactions of this bundle identifier.", valueName: "bundle"))
  var bundle: [String] = []

  @Option(help: ArgumentHelp("Only transactions of this process.", valueName: "process"))
  var process: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only transactions that changed an object of this entity.", valueName: "entity"))
  var entity: [String] = []

  @Option(
    help: ArgumentHelp("Only transactions with a change of this kind.", valueName: "kind"))
  var kind: [KindArgument] = []

  @Option(
    help: ArgumentHelp(
      "Only transactions that changed this object, such as Trip/p12.", valueName: "object"))
  var object: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only transactions that updated this attribute or relationship.", valueName: "attribute"))
  var attribute: [String] = []

  /// The query that the options spell, for one store.
  func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    var query = HistoryQuery()
    query.after = try after.map { try resolver.resolveUsable($0).number } ?? nil
    query.until = try until.map { try resolver.resolveUsable($0).number } ?? nil
    query.author = HistoryQuery.TextCondition(
      anyOf: author.isEmpty && !noAuthor ? nil : author, orNone: noAuthor, noneOf: notAuthor)
    query.bundle = HistoryQuery.TextCondition(anyOf: bundle.isEmpty ? nil : bundle)
    query.process = HistoryQuery.TextCondition(anyOf: process.isEmpty ? nil : process)
    query.change = ChangeCondition(
      kinds: kind.map(\.kind), entities: entity, objects: try object.map { try HistoryObject($0) },
      attributes: attribute)
    return query
  }
}

/// A kind of change on the command line.
enum KindArgument: String, WordArgument {
  case insert, update, delete

  var kind: ChangeKind {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }
}
