/// The results of a fetch that have a title in common.
public struct ResultsSection<Element, SectionTitle>: RandomAccessCollection, Identifiable
where Element: PersistentModel, SectionTitle: Hashable {
  /// What the models have in common.
  public let title: SectionTitle
  private let elements: [Element]

  init(_ title: SectionTitle, _ elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  /// The title.
  public var id: SectionTitle { title }
  /// The first position.
  public var startIndex: Int { 0 }
  /// The position behind the last model.
  public var endIndex: Int { elements.count }

  /// The model at a position.
  public subscript(position: Int) -> Element { elements[position] }
}

/// The results of a fetch in sections.
public struct SectionedResults<Element, SectionTitle>: RandomAccessCollection
where Element: PersistentModel, SectionTitle: Hashable {
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let places: [SectionTitle: Int]

  /// Puts models into sections, which come in the order of their first model.
  init(_ models: [Element], title: (Element) -> SectionTitle) {
    var places: [SectionTitle: Int] = [:]
    var groups: [(title: SectionTitle, models: [Element])] = []
    for model in models {
      let title = title(model)
      if let place = places[title] {
        groups[place].models.append(model)
      } else {
        places[title] = groups.count
        groups.append((title, [model]))
      }
    }
    sections = groups.map { ResultsSection($0.title, $0.models) }
    self.places = places
  }

  /// The titles in order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// The section with a title; nil where no result has it.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[title].map { sections[$0] }
  }

  /// The first position.
  public var startIndex: Int { 0 }
  /// The position behind the last section.
  public var endIndex: Int { sections.count }

  /// The section at a position.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }
}
