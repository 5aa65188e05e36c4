import StoreFormat
import Synchronization

/// Counts for which transactions the values of a query's conditions are known, while the query is read.
///
/// A value that is not known meets no condition, so an answer may lack transactions.
package final class ValueSearch: Sendable {
  /// The maximum number of ranges that are listed.
  private static let maxRanges = 4

  package struct Result: Sendable {
    /// The number of transactions that may have set or removed one of the properties.
    package fileprivate(set) var count = 0
    /// How many of them have values that are not known.
    package fileprivate(set) var unknownCount = 0
    /// The first ranges of transactions whose values are known, in the order in which they were read.
    package fileprivate(set) var knownRanges: [ClosedRange<Int64>] = []
    /// Whether there are more ranges.
    fileprivate(set) var hasMoreRanges = false
    fileprivate var wasKnown = false

    /// A statement that values were not compared; `nil` if all were.
    package func message(on query: HistoryQuery) -> String? {
      guard unknownCount > 0 else { return nil }
      let names = Set(query.change.values.map(\.name)).sorted().joined(separator: ", ")
      let ranges =
        knownRanges.sorted { $0.lowerBound < $1.lowerBound }.map {
          $0.lowerBound == $0.upperBound
            ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
        } + (hasMoreRanges ? ["others"] : [])
      return
        "values of \(names) are known for \(count - unknownCount) of the \(count) "
        + (count == 1 ? "transaction" : "transactions") + " that may have set or removed one"
        + (ranges.isEmpty ? "" : " (\(ranges.joined(separator: ", ")))")
        + "; the others were not compared"
    }
  }

  private let state = Mutex(Result())

  package init() {}

  /// What was counted so far.
  package var result: Result { state.withLock { $0 } }

  /// Takes a transaction whose changes were tested.
  package func take(_ number: Int64, _ knowledge: ValueKnowledge) {
    guard knowledge != .irrelevant else { return }
    state.withLock { result in
      result.count += 1
      let isKnown = knowledge == .known
      if !isKnown {
        result.unknownCount += 1
      } else if result.wasKnown, !result.hasMoreRanges, let range = result.knownRanges.last {
        result.knownRanges[result.knownRanges.count - 1] =
          min(range.lowerBound, number)...max(range.upperBound, number)
      } else if result.knownRanges.count < Self.maxRanges {
        result.knownRanges.append(number...number)
      } else {
        result.hasMoreRanges = true
      }
      result.wasKnown = isKnown
    }
  }
}

extension ValueSearch: Hashable {
  package static func == (left: ValueSearch, right: ValueSearch) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Whether the values that a condition is about are known of a change or a transaction.
package enum ValueKnowledge: Int, Comparable, Sendable {
  /// It set and removed none of them.
  case irrelevant
  case known
  case unknown

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ChangeCondition {
  /// Whether the values of the conditions are known of a change that meets the other conditions.
  package func knowledge(of change: HistoryChange) -> ValueKnowledge {
    var others = self
    others.values = []
    guard others.matches(change) else { return .irrelevant }
    return values.enumerated().map { index, condition in
      let knowledge = condition.knowledge(of: change)
      return knowledge == .unknown && derived?.isKnown(index, of: change.number) ?? false
        ? .known : knowledge
    }.max() ?? .irrelevant
  }
}

extension ValueCondition {
  fileprivate func knowledge(of change: HistoryChange) -> ValueKnowledge {
    switch touch(of: change) {
    case .none: .irrelevant
    case .unclear: .unknown
    case .sides(let old, let new):
      (old == nil && change.kind != .insert) || (new == nil && change.kind != .delete)
        ? .unknown : .known
    }
  }
}
