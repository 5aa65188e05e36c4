import Foundation

// MARK: - Without sections

extension ResultsObserver where SectionTitle == Never {
  /// An observer of a descriptor's results.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which models, in which order.
  ///   - modelContext: Where the models are fetched and observed.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext)
  }

  /// An observer of a descriptor's results with a context of its own.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which models, in which order.
  ///   - modelContainer: The container of the context.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, ModelContext(modelContainer))
  }

  /// An observer of the models that meet a predicate.
  ///
  /// - Parameters:
  ///   - filterBy: What a model must meet; nil for nothing.
  ///   - sortBy: The order, the first key first.
  ///   - modelContext: Where the models are fetched and observed.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, modelContext)
  }

  /// An observer of the models that meet a predicate, with a context of its own.
  ///
  /// - Parameters:
  ///   - filterBy: What a model must meet; nil for nothing.
  ///   - sortBy: The order, the first key first.
  ///   - modelContainer: The container of the context.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil,
      ModelContext(modelContainer))
  }
}

// MARK: - With sections

extension ResultsObserver where SectionTitle: Comparable {
  /// An observer of a descriptor's results in sections.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which models, in which order inside their section; its limits count sections'
  ///     models one after the other.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContext: Where the models are fetched and observed.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(sectionBy), modelContext)
  }

  /// An observer of a descriptor's results in sections, with a context of its own.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which models, in which order inside their section.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContainer: The container of the context.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(sectionBy), ModelContext(modelContainer))
  }

  /// An observer of the models that meet a predicate, in sections.
  ///
  /// - Parameters:
  ///   - filterBy: What a model must meet; nil for nothing.
  ///   - sortBy: The order inside a section, the first key first.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContext: Where the models are fetched and observed.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(sectionBy),
      modelContext)
  }

  /// An observer of the models that meet a predicate, in sections, with a context of its own.
  ///
  /// - Parameters:
  ///   - filterBy: What a model must meet; nil for nothing.
  ///   - sortBy: The order inside a section, the first key first.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContainer: The container of the context.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(sectionBy),
      ModelContext(modelContainer))
  }
}

extension ResultsObserver where SectionTitle == String {
  /// An observer of a descriptor's results in sections; models without a title have the empty one.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which models, in which order inside their section.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContext: Where the models are fetched and observed.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(optional: sectionBy), modelContext)
  }

  /// An observer of a descriptor's results in sections, with a context of its own; models without a
  /// title have the empty one.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: Which models, in which order inside their section.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContainer: The container of the context.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Grouping(optional: sectionBy), ModelContext(modelContainer))
  }

  /// An observer of the models that meet a predicate, in sections; models without a title have the
  /// empty one.
  ///
  /// - Parameters:
  ///   - filterBy: What a model must meet; nil for nothing.
  ///   - sortBy: The order inside a section, the first key first.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContext: Where the models are fetched and observed.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Grouping(optional: sectionBy),
      modelContext)
  }

  /// An observer of the models that meet a predicate, in sections, with a context of its own; models
  /// without a title have the empty one.
  ///
  /// - Parameters:
  ///   - filterBy: What a model must meet; nil for nothing.
  ///   - sortBy: The order inside a section, the first key first.
  ///   - sectionBy: What the models of a section have in common.
  ///   - modelContainer: The container of the context.
  ///   - isolation: The actor that the context belongs to.
  /// - Throws: What ``ModelContext/fetch(_:)`` throws.
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

extension ResultsObserver.Grouping where SectionTitle: Comparable {
  /// Sections in the order of their titles, texts in that of people.
  fileprivate init(_ keyPath: KeyPath<Element, SectionTitle>) {
    self.init(keyPath: keyPath, title: { $0[keyPath: keyPath] }) { left, right in
      guard let left = left as? String, let right = right as? String else { return left < right }
      return left.isBefore(right)
    }
  }
}

extension ResultsObserver.Grouping where SectionTitle == String {
  fileprivate init(optional keyPath: KeyPath<Element, String?>) {
    self.init(keyPath: keyPath, title: { $0[keyPath: keyPath] ?? "" }) { $0.isBefore($1) }
  }
}

extension String {
  /// Whether people expect this text before another.
  fileprivate func isBefore(_ other: String) -> Bool {
    let options: CompareOptions = [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering]
    return compare(other, options: options, range: nil, locale: .current) == .orderedAscending
  }
}
