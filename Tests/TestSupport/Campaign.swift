import Foundation

/// How much of what is tried at random is tried.
package enum Campaign {
  private static let environment = ProcessInfo.processInfo.environment

  /// The seed, which failures print; `HISTCTL_SEED` chooses one.
  package static var seed: UInt64 {
    environment["HISTCTL_SEED"].flatMap { UInt64($0) } ?? 20_261_123
  }

  /// Returns how many cases to try: a few hundred always, thousands with `HISTCTL_EVERY_FAULT=1`.
  package static func count(_ always: Int, _ everything: Int) -> Int {
    environment["HISTCTL_EVERY_FAULT"] == "1" ? everything : always
  }
}
