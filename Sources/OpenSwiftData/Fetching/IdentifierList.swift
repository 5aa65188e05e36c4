/// Identifiers of models in the order of a fetch, in little room: those of one store take eight bytes
/// each, and 24 more wherever another class follows.
struct IdentifierList {
  private enum Content {
    case any([PersistentIdentifier])
    case numbers([Int64], names: EntityRuns, storeIdentifier: String)
  }

  /// The names of entities, each with the place at which it begins.
  private struct EntityRuns {
    var starts: [Int] = []
    var names: [String] = []

    mutating func append(_ name: String, at place: Int) {
      guard names.last != name else { return }
      starts.append(place)
      names.append(name)
    }

    /// The number of the run that a place is in.
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

  /// Any identifiers.
  init(_ identifiers: [PersistentIdentifier]) { content = .any(identifiers) }

  /// Identifiers of a store whose keys are numbers.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - visit: Gives the name of the entity and the key of each.
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

  /// The identifiers at some places.
  subscript(range: Range<Int>) -> [PersistentIdentifier] {
    switch content {
    case .any(let identifiers): return Array(identifiers[range])
    case .numbers(let numbers, let names, let storeIdentifier):
      guard !range.isEmpty else { return [] }
      var run = names.run(at: range.lowerBound)
      return range.map { place in
        while run + 1 < names.starts.count, names.starts[run + 1] <= place { run += 1 }
        return PersistentIdentifier(
          entityName: names.names[run], storeIdentifier: storeIdentifier,
          key: .number(numbers[place]))
      }
    }
  }
}
