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

/// The identifiers of a fetch in order: of one store, eight bytes each, and 24 for each change of
/// class.
struct IdentifierList {
  private enum Content {
    case any([PersistentIdentifier])
    case numbers([Int64], names: EntityRuns, storeIdentifier: String)
  }

  /// The names of entities, with the positions at which they begin.
  private struct EntityRuns {
    var starts: [Int] = []
    var names: [String] = []

    mutating func append(_ name: String, at place: Int) {
      guard names.last != name else { return }
      starts.append(place)
      names.append(name)
    }

    func run(at place: Int) -> Int {
      var (low, high) = (0, starts.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] <= place { low = middle } else { high = middle }
      }
      return low
    }
  }

  private var content: Content

  init(_ identifiers: [PersistentIdentifier]) { content = .any(identifiers) }

  /// Creates a list of identifiers whose keys are numbers.
  ///
  /// - Parameter visit: Passes the entity name and the key of each.
  init(
    storeIdentifier: String, visit: (_ body: (String, Int64) -> Void) throws -> Void
  ) rethrows {
    var numbers: [Int64] = []
    var names = EntityRuns()
    try visit { name, number in
      names.append(name, at: numbers.count)
      numbers.append(number)
    }
    content = .numbers(numbers, names: names, storeIdentifier: storeIdentifier)
  }

  var count: Int {
    switch content {
    case .any(let identifiers): identifiers.count
    case .numbers(let numbers, _, _): numbers.count
    }
  }

  subscript(range: Range<Int>) -> [PersistentIdentifier] {
    switch content {
    case .any(let identifiers): return Array(identifiers[range])
    case .numbers(let numbers, let names, let storeIdentifier):
      guard !range.isEmpty else { return [] }
      var run = names.run(at: range.lowerBound)
      return range.map { place in
        while run + 1 < names.starts.count, names.starts[run + 1] <= place { run += 1 }
        return PersistentIdentifier(names.names[run], numbers[place], in: storeIdentifier)
      }
    }
  }
}
