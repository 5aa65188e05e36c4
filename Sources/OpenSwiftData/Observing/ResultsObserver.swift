import Foundation
import Observation

/// The results of a fetch, always as they are now.
///
/// ```swift
/// let observer = try ResultsObserver<Trip, Never>(
///   filterBy: #Predicate { $0.startDate > now }, sortBy: [SortDescriptor(\.startDate)],
///   modelContext: context)
/// ```
///
/// Changes of the context itself count at once, those that other contexts and other processes make
/// once they are saved. Observers of ``results`` and ``sections`` learn that there may be other ones;
/// they are fetched when they are next looked at, so that the observer is used where its context is.
///
/// `SectionTitle` is `Never` where there are no sections.
public final class ResultsObserver<Element, SectionTitle>: Observable
where Element: PersistentModel, SectionTitle: Hashable {
  /// Where the models are fetched and observed.
  public let modelContext: ModelContext
  /// What the models of a section have in common; nil where there are no sections.
  public let sectionBy: PartialKeyPath<Element>?
  /// What went wrong the last time; the results are then those of the time before.
  public var fetchError: (any Error)? {
    update()
    return lastError
  }

  private var descriptor: FetchDescriptor<Element>
  private let grouping: Grouping?
  private let signal = ResultsSignal()
  private var subscription: SaveSubscription?
  private var models: [Element] = []
  private var currentSections: SectionedResults<Element, SectionTitle>?
  private var places: [ObjectIdentifier: IndexPath] = [:]
  private var lastError: (any Error)?

  /// How results come into sections.
  struct Grouping {
    let keyPath: PartialKeyPath<Element>
    let title: (Element) -> SectionTitle
    /// Which of two sections comes first.
    let areInOrder: (SectionTitle, SectionTitle) -> Bool
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
    context.resultsSignals.removeAll { $0.signal == nil }
    context.resultsSignals.append(WeakResultsSignal(signal: signal))
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

  /// The models in sections, in the order of their titles; nil where there are no sections.
  public var sections: SectionedResults<Element, SectionTitle>? {
    update()
    return currentSections
  }

  /// The model at a place: the number of its section and its number in there.
  ///
  /// - Returns: Nil where there is none, and where there are no sections.
  public func element(at indexPath: IndexPath) -> Element? {
    guard let sections, indexPath.count == 2, sections.indices.contains(indexPath[0]) else {
      return nil
    }
    let section = sections[indexPath[0]]
    return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
  }

  /// The place of a model: the number of its section and its number in there.
  ///
  /// - Returns: Nil where it is not among the results, and where there are no sections.
  public func indexPath(for element: Element) -> IndexPath? {
    update()
    return places[ObjectIdentifier(element)]
  }

  // MARK: - What is fetched

  /// What a model must meet; nil for nothing.
  public var filterBy: Predicate<Element>? {
    get { descriptor.predicate }
    set {
      descriptor.predicate = newValue
      signal.mark()
    }
  }

  /// The order, in each section where there are such.
  public var sortBy: [SortDescriptor<Element>] {
    get { descriptor.sortBy }
    set {
      descriptor.sortBy = newValue
      signal.mark()
    }
  }

  /// Fetches where the results may be others by now.
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
    // What others have saved is a change as well, and not one of the results to come.
    try modelContext.catchUp()
    signal.clear()
    guard let grouping else {
      models = try modelContext.fetch(descriptor)
      return
    }
    let titled = try modelContext.fetch(descriptor.unlimited).map { (grouping.title($0), $0) }
    // The sort is stable, so that the order inside a section stays.
    let sorted = titled.sorted { grouping.areInOrder($0.0, $1.0) }
    models = descriptor.limited(sorted.map(\.1))
    let sections = SectionedResults(models, title: grouping.title)
    places = [:]
    for (number, section) in sections.enumerated() {
      for (place, model) in section.enumerated() {
        places[ObjectIdentifier(model)] = IndexPath(indexes: [number, place])
      }
    }
    currentSections = sections
  }
}
