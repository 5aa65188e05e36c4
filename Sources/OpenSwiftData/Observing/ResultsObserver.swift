import Foundation
import Observation
import Synchronization

/// The results of a fetch, kept up to date.
///
/// ```swift
/// let observer = try ResultsObserver<Trip, Never>(
///   filterBy: #Predicate { $0.startDate > now }, sortBy: [SortDescriptor(\.startDate)],
///   modelContext: context)
/// ```
///
/// Changes of the context itself count at once, and those of other contexts and processes when they
/// are saved. Observers of ``results`` and ``sections`` learn that there may be new results; these
/// are fetched when they are next read, so use the observer where its context is used.
/// `SectionName` is `Never` for results without sections. The initializers throw what
/// ``ModelContext/fetch(_:)`` throws.
public final class ResultsObserver<Element, SectionName>: Observable
where Element: PersistentModel, SectionName: Hashable {
  /// The context that fetches the models.
  public let modelContext: ModelContext
  /// The property that models of a section have in common, or `nil` without sections.
  public let sectionBy: PartialKeyPath<Element>?
  /// The error of the last fetch, or `nil`; after an error, the results are those of the fetch
  /// before (not in SwiftData).
  public var fetchError: (any Error)? {
    update()
    return lastError
  }

  /// The criteria and the order, which ``filterBy`` and ``sortBy`` change.
  public var fetchDescriptor: FetchDescriptor<Element> { descriptor }

  private var descriptor: FetchDescriptor<Element> { didSet { signal.mark() } }
  private let grouping: Grouping?
  private let signal = ResultsSignal()
  private var subscription: SaveSubscription?
  private var models: [Element] = []
  private var currentSections: ResultsSectionCollection<Element, SectionName>?
  private var places: [ObjectIdentifier: IndexPath] = [:]
  private var lastError: (any Error)?

  /// How results are put into sections.
  struct Grouping {
    let keyPath: PartialKeyPath<Element>
    let name: (Element) -> SectionName
    let areInOrder: (SectionName, SectionName) -> Bool
  }

  init(
    _ descriptor: FetchDescriptor<Element>, _ grouping: Grouping?, _ context: ModelContext
  ) throws {
    self.descriptor = descriptor
    self.grouping = grouping
    sectionBy = grouping?.keyPath
    modelContext = context
    let identifier = context.editingState.id
    subscription = try context.container.saves.subscribe { [signal] saves in
      if saves.contains(where: { $0.contextIdentifier != identifier }) { signal.mark() }
    }.subscription
    context.resultsSignals.removeAll { $0.object == nil }
    context.resultsSignals.append(Weak(signal))
    try fetch()
  }

  // MARK: - Results

  /// The models.
  public var results: FetchResultsCollection<Element> {
    update()
    return FetchResultsCollection(count: models.count, batchSize: models.count) { [models] in
      Array(models[$0])
    }
  }

  /// The models in sections, sorted by name, or `nil` without sections.
  public var sections: ResultsSectionCollection<Element, SectionName>? {
    update()
    return currentSections
  }

  /// Returns the model at an index path of section and position, or `nil` if there is none.
  public func element(at indexPath: IndexPath) -> Element? {
    guard let sections, indexPath.count == 2, sections.indices.contains(indexPath[0]) else {
      return nil
    }
    let section = sections[indexPath[0]]
    return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
  }

  /// Returns the index path of section and position of a model, or `nil` if it is not among the
  /// results or there are no sections.
  public func indexPath(for element: Element) -> IndexPath? {
    update()
    return places[ObjectIdentifier(element)]
  }

  // MARK: - Criteria

  /// The condition that models must meet, or `nil` for all.
  public var filterBy: Predicate<Element>? {
    get { descriptor.predicate }
    set { descriptor.predicate = newValue }
  }

  /// The sort order, within each section if there are any.
  public var sortBy: [SortDescriptor<Element>] {
    get { descriptor.sortBy }
    set { descriptor.sortBy = newValue }
  }

  private func update() {
    signal.isRead()
    guard signal.isStale else { return }
    do {
      try fetch()
      lastError = nil
    } catch {
      lastError = error
    }
  }

  private func fetch() throws {
    // Taking over what others saved marks the signal, which must not make these results stale.
    try modelContext.catchUp()
    signal.clear()
    guard let grouping else {
      models = try modelContext.fetch(descriptor)
      return
    }
    let titled = try modelContext.fetch(descriptor.unlimited).map { (grouping.name($0), $0) }
    // The sort is stable, so the order within a section stays.
    let sorted = titled.sorted { grouping.areInOrder($0.0, $1.0) }
    models = descriptor.limited(sorted.map(\.1))
    let sections = ResultsSectionCollection(models, name: grouping.name)
    places = [:]
    for (number, section) in sections.enumerated() {
      for (place, model) in section.enumerated() {
        places[ObjectIdentifier(model)] = IndexPath(indexes: [number, place])
      }
    }
    currentSections = sections
  }
}

/// Tells observers once that results must be fetched again.
final class ResultsSignal: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let isMarked = Mutex(true)

  /// The property that is observed in place of the results.
  private var results: Void { () }

  func isRead() { registrar.access(self, keyPath: \.results) }

  func mark() {
    let wasStale = isMarked.withLock { isMarked in
      defer { isMarked = true }
      return isMarked
    }
    guard !wasStale else { return }
    // The results are marked first, because an observer on another thread may read them at once.
    registrar.withMutation(of: self, keyPath: \.results) {}
  }

  var isStale: Bool { isMarked.withLock { $0 } }

  func clear() { isMarked.withLock { $0 = false } }
}

// MARK: - Sections

/// The results of a fetch that have a name in common.
public struct ResultsSection<Element, SectionName>: RandomAccessCollection, Identifiable
where Element: PersistentModel, SectionName: Hashable {
  /// The value that the models have in common.
  public let name: SectionName
  fileprivate var elements: [Element]

  /// The name.
  public var id: SectionName { name }
  /// The name.
  @available(*, deprecated, renamed: "name")
  public var title: SectionName { name }
  /// The position of the first model.
  public var startIndex: Int { 0 }
  /// The position after the last model.
  public var endIndex: Int { elements.count }

  /// The model at a position.
  public subscript(position: Int) -> Element { elements[position] }
}

/// The results of a fetch in sections.
public struct ResultsSectionCollection<Element, SectionName>: RandomAccessCollection
where Element: PersistentModel, SectionName: Hashable {
  private var sections: [ResultsSection<Element, SectionName>] = []
  private var places: [SectionName: Int] = [:]

  /// Groups models; sections come in the order of their first model.
  fileprivate init(_ models: [Element], name: (Element) -> SectionName) {
    for model in models {
      let name = name(model)
      if let place = places[name] {
        sections[place].elements.append(model)
      } else {
        places[name] = sections.count
        sections.append(ResultsSection(name: name, elements: [model]))
      }
    }
  }

  /// The names in order.
  public var sectionNames: [SectionName] { sections.map(\.name) }

  /// Returns whether there is a section with a name.
  public func contains(sectionName name: SectionName) -> Bool { places[name] != nil }

  /// Returns the position of the section with a name, or `nil` if no result has it.
  public func index(ofSectionNamed name: SectionName) -> Int? { places[name] }

  /// The section with a name, or `nil` if no result has it.
  public subscript(sectionName name: SectionName) -> ResultsSection<Element, SectionName>? {
    places[name].map { sections[$0] }
  }

  /// The names in order.
  @available(*, deprecated, renamed: "sectionNames")
  public var sectionTitles: [SectionName] { sectionNames }

  /// The section with a name, or `nil` if no result has it.
  @available(*, deprecated, renamed: "subscript(sectionName:)")
  public subscript(sectionTitle title: SectionName) -> ResultsSection<Element, SectionName>? {
    self[sectionName: title]
  }

  /// The position of the first section.
  public var startIndex: Int { 0 }
  /// The position after the last section.
  public var endIndex: Int { sections.count }

  /// The section at a position.
  public subscript(position: Int) -> ResultsSection<Element, SectionName> { sections[position] }
}

/// The former name of ``ResultsSectionCollection``.
@available(*, deprecated, renamed: "ResultsSectionCollection")
public typealias SectionedResults = ResultsSectionCollection
