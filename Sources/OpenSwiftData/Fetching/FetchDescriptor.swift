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
  /// The properties that are read; none for all.
  ///
  /// The others are read, all at once, when one of them is first looked at. Where there are changes that
  /// were not saved, what is sorted by is read as well; and where memory has to choose or to sort because
  /// SQLite cannot, everything is.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose models are read with one question for each relationship, so that none is read by
  /// itself later; a key path may lead on over a to-one relationship that cannot be nil.
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
    copy.propertiesToFetch = []
    return copy
  }

  /// The same without order and limits, to be sorted in memory.
  var unsorted: FetchDescriptor {
    var copy = unlimited
    copy.sortBy = []
    copy.propertiesToFetch = []
    return copy
  }

  /// The same without limits.
  var unlimited: FetchDescriptor {
    var copy = self
    copy.fetchLimit = nil
    copy.fetchOffset = nil
    return copy
  }

  /// The same with what is needed to sort in memory.
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

  /// The same for the beginning of what was asked for, with so many more in reserve.
  func widened(by count: Int) -> FetchDescriptor {
    var copy = unlimited
    guard let fetchLimit else { return copy }
    let parts = [max(0, fetchLimit), max(0, fetchOffset ?? 0), count]
    // Who asks for more than can be counted asks for all.
    copy.fetchLimit = parts.reduce(0 as Int?) { sum, part in
      sum.flatMap { sum in
        let (total, overflows) = sum.addingReportingOverflow(part)
        return overflows ? nil : total
      }
    }
    return copy
  }

  /// Whether related models decide as well.
  var looksFurther: Bool {
    predicate.map { PredicateTranslation.looksAtRelatedModels($0) } ?? false
  }

  /// The part of all models that the limits leave.
  func limited<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(max(0, fetchOffset ?? 0))
    return Array(fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest)
  }
}
