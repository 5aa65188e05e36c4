import ArgumentParser
import PersistentHistory

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
