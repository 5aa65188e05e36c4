import ArgumentParser
import PersistentHistory

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
