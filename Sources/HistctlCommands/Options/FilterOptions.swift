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
