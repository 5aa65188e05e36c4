/// The results of a fetch, read in batches as they are used.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let storage: Storage

  private final class Storage {
    let count: Int
    let batchSize: Int
    let load: (Range<Int>) -> [Element]
    var batch: (start: Int, elements: [Element]) = (0, [])

    init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
      self.count = count
      self.batchSize = Swift.max(1, batchSize)
      self.load = load
    }

    func element(at position: Int) -> Element {
      let place = position - batch.start
      if batch.elements.indices.contains(place) { return batch.elements[place] }
      let start = position / batchSize * batchSize
      batch = (start, load(start..<Swift.min(start + batchSize, count)))
      return batch.elements[position - start]
    }
  }

  init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
    storage = Storage(count: count, batchSize: batchSize, load: load)
  }

  /// The position of the first element.
  public var startIndex: Int { 0 }
  /// The position after the last element.
  public var endIndex: Int { storage.count }

  /// The element at a position, read with its batch.
  public subscript(position: Int) -> Element { storage.element(at: position) }
}

/// The identifiers of a fetch in order: of one store, ten bytes each.
struct IdentifierList {
  private enum Content {
    case any([PersistentIdentifier])
    /// The keys, with the places of their origins among ``origins``.
    case numbers([Int64], entities: [UInt16], origins: [PersistentIdentifier.Origin])
  }

  private var content: Content

  init(_ identifiers: [PersistentIdentifier]) { content = .any(identifiers) }

  /// Creates a list of identifiers whose keys are numbers.
  ///
  /// - Parameter visit: Passes the entity name and the key of each.
  init(
    storeIdentifier: String, visit: (_ body: (String, Int64) -> Void) throws -> Void
  ) rethrows {
    var (numbers, entities, names): ([Int64], [UInt16], [String]) = ([], [], [])
    try visit { name, number in
      let place = names.firstIndex(of: name) ?? names.count
      if place == names.count { names.append(name) }
      numbers.append(number)
      entities.append(UInt16(truncatingIfNeeded: place))
    }
    content = .numbers(
      numbers, entities: entities,
      origins: names.map { PersistentIdentifier.Origin($0, in: storeIdentifier) })
  }

  var count: Int {
    switch content {
    case .any(let identifiers): identifiers.count
    case .numbers(let numbers, _, _): numbers.count
    }
  }

  subscript(range: Range<Int>) -> [PersistentIdentifier] {
    switch content {
    case .any(let identifiers): Array(identifiers[range])
    case .numbers(let numbers, let entities, let origins):
      range.map { PersistentIdentifier(origins[Int(entities[$0])], .number(numbers[$0])) }
    }
  }
}
