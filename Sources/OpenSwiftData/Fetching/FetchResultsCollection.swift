/// What a fetch found, read in batches as it is asked for.
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

  /// The first position.
  public var startIndex: Int { 0 }
  /// The position behind the last element.
  public var endIndex: Int { storage.count }

  /// The element at a position, read with its batch.
  public subscript(position: Int) -> Element { storage.element(at: position) }
}
