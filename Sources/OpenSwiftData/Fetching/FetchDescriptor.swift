import Foundation

/// Which models to fetch, and in which order.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
  /// What a model must meet; nil for nothing.
  public var predicate: Predicate<T>?
  /// The order, the first key first; without any, models come by identifier.
  public var sortBy: [SortDescriptor<T>]
  /// At most so many models; nil for all.
  public var fetchLimit: Int?
  /// How many models are left out at the beginning; nil for none.
  public var fetchOffset: Int?
  /// Whether changes that were not saved yet count.
  public var includePendingChanges = true
  /// The properties that are needed. All are read whatever this says.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose models are read at once, so that none is read by itself later.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// A descriptor.
  ///
  /// - Parameters:
  ///   - predicate: What a model must meet; nil for nothing.
  ///   - sortBy: The order, the first key first.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// The same without choosing and limits, to be chosen from in memory.
  var unfiltered: FetchDescriptor {
    var copy = unlimited
    copy.predicate = nil
    return copy
  }

  /// The same without order and limits, to be sorted in memory.
  var unsorted: FetchDescriptor {
    var copy = unlimited
    copy.sortBy = []
    return copy
  }

  /// The same without limits.
  var unlimited: FetchDescriptor {
    var copy = self
    copy.fetchLimit = nil
    copy.fetchOffset = nil
    return copy
  }

  /// The part of all models that the limits leave.
  func limited<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(max(0, fetchOffset ?? 0))
    return Array(fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest)
  }
}
