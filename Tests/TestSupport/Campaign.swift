import Foundation

/// How much of what is tried at random is tried.
package enum Campaign {
  private static let environment = ProcessInfo.processInfo.environment

  /// The seed, which failures print; `HISTCTL_SEED` chooses one.
  package static var seed: UInt64 {
    environment["HISTCTL_SEED"].flatMap { UInt64($0) } ?? 20_261_123
  }

  /// A seed that is another in every run, for what is too slow to try much of; `HISTCTL_SEED` chooses one.
  package static let rotatingSeed =
    environment["HISTCTL_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999_999)

  /// Whether everything is tried: `HISTCTL_EVERY_FAULT=1`.
  package static var isEverything: Bool { environment["HISTCTL_EVERY_FAULT"] == "1" }

  /// Returns a few of the cases, others in every run; all with `HISTCTL_EVERY_FAULT=1`.
  package static func sample<Case>(_ count: Int, of cases: [Case]) -> [Case] {
    guard !isEverything else { return cases }
    var random = SeededGenerator(seed: rotatingSeed)
    return Array(cases.shuffled(using: &random).prefix(count))
  }

  /// Returns how many cases to try: a few hundred always, thousands with `HISTCTL_EVERY_FAULT=1`.
  package static func count(_ always: Int, _ everything: Int) -> Int {
    isEverything ? everything : always
  }
}
