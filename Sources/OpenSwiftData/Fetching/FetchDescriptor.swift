import Foundation

/// The criteria and the order for fetching models.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
  /// The condition that models must meet, or `nil` for all.
  public var predicate: Predicate<T>?
  /// The sort order, first key first; by identifier if it is empty.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models, or `nil` or 0 for no limit.
  public var fetchLimit: Int?
  /// The number of models to skip, or `nil` for none.
  public var fetchOffset: Int?
  /// Whether unsaved changes count.
  public var includePendingChanges = true
  /// The properties to read, or an empty array for all.
  ///
  /// The others are read together when one of them is used. With unsaved changes, the properties of
  /// the sort order are read too; if the models must be filtered or sorted in memory, all are.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose targets are read together, rather than one by one later. A key path
  /// may continue over a to-one relationship that cannot be `nil`.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Creates a descriptor.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// For filtering in memory.
  var unfiltered: FetchDescriptor {
    var copy = unlimited
    copy.predicate = nil
    copy.propertiesToFetch = []
    return copy
  }

  /// For sorting in memory.
  var unsorted: FetchDescriptor {
    var copy = unlimited
    copy.sortBy = []
    copy.propertiesToFetch = []
    return copy
  }

  var unlimited: FetchDescriptor {
    var copy = self
    copy.fetchLimit = nil
    copy.fetchOffset = nil
    return copy
  }

  /// Also reads what sorting in memory needs.
  var sortable: FetchDescriptor {
    guard !propertiesToFetch.isEmpty else { return self }
    var copy = self
    let layout = EntityLayout.of(T.self)
    for key in sortBy {
      guard let keyPath = key.keyPath, layout.indexIfAny(of: keyPath) != nil else {
        copy.propertiesToFetch = []
        return copy
      }
      copy.propertiesToFetch.append(keyPath)
    }
    return copy
  }

  func widened(by count: Int) -> FetchDescriptor {
    var copy = unlimited
    guard let limit else { return copy }
    let parts = [limit, max(0, fetchOffset ?? 0), count]
    // An overflow means no limit.
    copy.fetchLimit = parts.reduce(0 as Int?) { sum, part in
      sum.flatMap { sum in
        let (total, overflows) = sum.addingReportingOverflow(part)
        return overflows ? nil : total
      }
    }
    return copy
  }

  /// Whether related models decide too.
  var looksFurther: Bool {
    predicate.map { PredicateTranslator.looksAtRelatedModels($0) } ?? false
  }

  func limited<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(max(0, fetchOffset ?? 0))
    return Array(limit.map { rest.prefix($0) } ?? rest)
  }

  func limited(count: Int) -> Int {
    let rest = max(0, count - max(0, fetchOffset ?? 0))
    return limit.map { min(rest, $0) } ?? rest
  }

  /// The maximum number of models, or `nil` for no limit.
  var limit: Int? { fetchLimit.flatMap { $0 > 0 ? $0 : nil } }
}

extension FetchDescriptor: Equatable {
  /// Returns whether two descriptors ask for the same.
  ///
  /// Predicates are equal if they have the same expression with equal values; values that cannot be
  /// compared are not equal.
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit
      && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && PredicatePart.areSame(left.predicate, right.predicate)
  }
}
