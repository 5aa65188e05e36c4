/// What a verification has found so far: every problem is counted, and of each kind the first few are
/// kept.
///
/// A million changes may all have lost their transaction; memory stays small all the same.
package struct FindingLog<Kind: FindingKind>: Sendable {
  /// How many findings of each kind are kept.
  package let limit: Int
  private var kept: [Kind: [Finding<Kind>]] = [:]
  private var counts: [Kind: Int64] = [:]

  /// An empty log.
  ///
  /// - Parameter limit: How many findings of each kind to keep.
  package init(limit: Int) { self.limit = limit }

  /// Adds a finding; its words are only put together where it is kept.
  package mutating func add(
    _ kind: Kind, at place: @autoclosure () -> FindingPlace, _ detail: @autoclosure () -> String
  ) {
    counts[kind, default: 0] += 1
    if kept[kind, default: []].count < limit {
      kept[kind, default: []].append(Finding(kind, at: place(), detail()))
    }
  }

  /// Adds what another log has, behind what is here.
  package mutating func add(_ other: FindingLog) {
    for (kind, count) in other.counts {
      counts[kind, default: 0] += count
      let room = limit - kept[kind, default: []].count
      kept[kind, default: []] += other.kept[kind, default: []].prefix(max(0, room))
    }
  }

  /// The kinds that were found, in the order of the set.
  package var kinds: [Kind] { Kind.allCases.filter { counts[$0] != nil } }
  /// The findings of a kind that were kept, in the order in which they were found.
  package func findings(of kind: Kind) -> [Finding<Kind>] { kept[kind] ?? [] }
  /// How many findings of a kind there are.
  package func count(of kind: Kind) -> Int64 { counts[kind] ?? 0 }
  /// How many findings there are.
  package var count: Int64 { counts.values.reduce(0, +) }
  /// How many of them are damage.
  package var damageCount: Int64 {
    counts.reduce(0) { $0 + ($1.key.severity == .damage ? $1.value : 0) }
  }
  /// Whether nothing was found.
  package var isEmpty: Bool { counts.isEmpty }
}
