extension Array where Element == [Int] {
  /// The indices in batches, so that each comes after those that its element names. Indices that can come at
  /// the same time are in one batch; in a cycle, one comes before those it names.
  func batchesByDependency() -> [[Int]] {
    var followers: [Int: [Int]] = [:]
    for place in indices {
      for other in self[place] { followers[other, default: []].append(place) }
    }
    // The number of dependencies each waits for; negative when it was returned.
    var waiting = map(\.count)
    var ready = indices.filter { self[$0].isEmpty }
    var (batches, first) = ([[Int]](), 0)
    while true {
      if ready.isEmpty {
        while first < waiting.count, waiting[first] < 0 { first += 1 }
        guard first < waiting.count else { return batches }
        ready = [placeInCircle(from: first) { waiting[$0] >= 0 }]
      }
      batches.append(ready)
      for place in ready { waiting[place] = -1 }
      var next: [Int] = []
      for place in ready {
        for follower in followers[place] ?? [] where waiting[follower] > 0 {
          waiting[follower] -= 1
          if waiting[follower] == 0 { next.append(follower) }
        }
      }
      ready = next.sorted()
    }
  }

  private func placeInCircle(from first: Int, _ isWaiting: (Int) -> Bool) -> Int {
    var place = first
    var seen: Set<Int> = []
    while seen.insert(place).inserted {
      guard let next = self[place].first(where: isWaiting) else { break }
      place = next
    }
    return place
  }
}
