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
