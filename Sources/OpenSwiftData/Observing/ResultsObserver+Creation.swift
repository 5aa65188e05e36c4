import Foundation

extension ResultsObserver where SectionName == Never {
  /// Creates an observer of the results of a descriptor.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext)
  }

  /// Creates an observer of the results of a descriptor, in a context of its own.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer))
  }

  /// Creates an observer of the models that match a predicate.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext)
  }

  /// Creates an observer of the models that match a predicate, in a context of its own.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, ModelContext(modelContainer))
  }
}

extension ResultsObserver where SectionName: Comparable {
  /// Creates an observer of the results of a descriptor in sections by a property.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionName>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(sectionBy), modelContext)
  }

  /// Creates an observer of the results of a descriptor in sections by a property, in a context of
  /// its own.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionName>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(sectionBy), ModelContext(modelContainer))
  }

  /// Creates an observer of the models that match a predicate in sections by a property.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionName>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(sectionBy), modelContext)
  }

  /// Creates an observer of the models that match a predicate in sections by a property, in a
  /// context of its own.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionName>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(sectionBy),
      ModelContext(modelContainer))
  }
}

extension ResultsObserver where SectionName == String {
  /// Creates an observer of the results of a descriptor in sections that have an optional title in
  /// common, empty for models without one.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(optional: sectionBy), modelContext)
  }

  /// Creates an observer of the results of a descriptor in sections that have an optional title in
  /// common, empty for models without one, in a context of its own.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(optional: sectionBy), ModelContext(modelContainer))
  }

  /// Creates an observer of the models that match a predicate in sections that have an optional
  /// name in common, empty for models without one.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(optional: sectionBy),
      modelContext)
  }

  /// Creates an observer of the models that match a predicate in sections that have an optional
  /// name in common, empty for models without one, in a context of its own.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(optional: sectionBy),
      ModelContext(modelContainer))
  }
}

extension ResultsObserver.Grouping where SectionName: Comparable {
  /// Sorts sections by name, and texts as people do.
  fileprivate init(_ keyPath: KeyPath<Element, SectionName>) {
    self.init(keyPath: keyPath, name: { $0[keyPath: keyPath] }) { left, right in
      guard let left = left as? String, let right = right as? String else { return left < right }
      return left.isBefore(right)
    }
  }
}

extension ResultsObserver.Grouping where SectionName == String {
  fileprivate init(optional keyPath: KeyPath<Element, String?>) {
    self.init(keyPath: keyPath, name: { $0[keyPath: keyPath] ?? "" }) { $0.isBefore($1) }
  }
}

extension String {
  fileprivate func isBefore(_ other: String) -> Bool {
    TextOrder.compare(self, other) == .orderedAscending
  }
}
