import Foundation

/// The extent of random testing.
package enum Campaign {
  private static let environment = ProcessInfo.processInfo.environment

  /// The seed, which failures print; `HISTCTL_SEED` chooses one.
  package static var seed: UInt64 {
    environment["HISTCTL_SEED"].flatMap { UInt64($0) } ?? 20_261_123
  }

  /// A seed that differs in every run, for tests that are too slow for many cases; `HISTCTL_SEED` chooses
  /// one.
  package static let rotatingSeed =
    environment["HISTCTL_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999_999)

  /// Whether everything is tried: `HISTCTL_EVERY_FAULT=1`.
  package static var isEverything: Bool { environment["HISTCTL_EVERY_FAULT"] == "1" }

  /// Whether a few cases of each kind have to do, since nothing is optimized: `HISTCTL_QUICK=1`, which
  /// `make quick-test` sets.
  package static var isQuick: Bool { !isEverything && environment["HISTCTL_QUICK"] == "1" }

  /// Returns a few of the cases, different ones in every run, or all with `HISTCTL_EVERY_FAULT=1`.
  package static func sample<Case>(_ count: Int, of cases: [Case]) -> [Case] {
    var random = SeededGenerator(seed: rotatingSeed)
    return isEverything
      ? cases : Array(cases.shuffled(using: &random).prefix(self.count(count, cases.count)))
  }

  /// Returns the number of cases to try: usually up to a few hundred, thousands with `HISTCTL_EVERY_FAULT=1`, and an
  /// eighth, but at least two, with `HISTCTL_QUICK=1`.
  package static func count(_ always: Int, _ everything: Int) -> Int {
    isEverything ? everything : isQuick ? min(always, max(2, always / 8)) : always
  }
}
