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

  /// Returns a few of the cases, different ones in every run, or all with `HISTCTL_EVERY_FAULT=1`.
  package static func sample<Case>(_ count: Int, of cases: [Case]) -> [Case] {
    guard !isEverything else { return cases }
    var random = SeededGenerator(seed: rotatingSeed)
    return Array(cases.shuffled(using: &random).prefix(count))
  }

  /// Returns the number of cases to try: usually a few hundred, thousands with `HISTCTL_EVERY_FAULT=1`.
  package static func count(_ always: Int, _ everything: Int) -> Int {
    isEverything ? everything : always
  }
}
