extension Dictionary {
  /// Creates a dictionary with the first of several values for a key.
  package init(keepingFirst pairs: some Sequence<(Key, Value)>) {
    self.init(pairs, uniquingKeysWith: { first, _ in first })
  }
}

extension Sequence {
  /// Returns the elements without those whose key another one had before.
  package func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}

extension Array {
  /// Splits the array, so that one statement need not name all of its elements.
  package func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}

extension RandomAccessCollection {
  /// Returns the index of the first element that meets a condition, or the end index if there is none.
  /// Every element after one that meets it must meet it too.
  package func partitioningIndex(
    where belongsInSecondPartition: (Element) throws -> Bool
  ) rethrows -> Index {
    var count = count
    var start = startIndex
    while count > 0 {
      let half = count / 2
      let middle = index(start, offsetBy: half)
      if try belongsInSecondPartition(self[middle]) {
        count = half
      } else {
        start = index(after: middle)
        count -= half + 1
      }
    }
    return start
  }
}
