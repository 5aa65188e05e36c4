import ArgumentParser
import PersistentHistory

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
