import ArgumentParser
import HistoryArchive

/// How history is sealed.
struct SealingOptions: CheckedOptions {
  @Option(
    help: ArgumentHelp(
      "How much text a segment has before it is packed, such as 64M.", valueName: "size"),
    transform: ByteSize.init(parsing:))
  var segmentSize: ByteSize?

  @Flag(help: "Seal although history between the archive and the store is gone.")
  var allowGap = false

  @Option(
    help: ArgumentHelp(
      "Time to wait for another program that uses the archive, such as 10min.",
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var lockWait: DurationArgument?

  /// Whether any of them is given.
  var isGiven: Bool { segmentSize != nil || allowGap || lockWait != nil }

  func check() throws {
    if let size = segmentSize, !ArchiveSealer.segmentSizes.contains(size.bytes) {
      throw ValidationError("--segment-size takes 64K to 16G")
    }
  }
}
