import Foundation

extension FetchDescriptor: Equatable {
  /// Whether both ask for the same.
  ///
  /// Predicates are the same when they are built alike with equal values; of two with values that
  /// cannot be compared nothing is known, and then they are not.
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit
      && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && PredicateComparison.areSame(left.predicate, right.predicate)
  }
}
