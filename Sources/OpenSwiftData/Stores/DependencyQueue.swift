/// Orders indices so that each comes after those it depends on. Indices that can come at the same
/// time are returned together; in a cycle, one comes before its dependencies.
struct DependencyQueue {
  private let dependencies: [[Int]]
  /// The indices that depend on each.
  private var followers: [Int: [Int]] = [:]
  /// The number of dependencies each waits for; negative when it was returned.
  private var waiting: [Int]
  private var ready: [Int]
  /// All indices below this one were returned.
  private var first = 0

  init(_ dependencies: [[Int]]) {
    self.dependencies = dependencies
    waiting = dependencies.map(\.count)
    ready = dependencies.indices.filter { dependencies[$0].isEmpty }
    for (place, others) in dependencies.enumerated() {
      for other in others { followers[other, default: []].append(place) }
    }
  }

  mutating func next() -> [Int]? {
    let batch = ready.isEmpty ? placeInCircle().map { [$0] } ?? [] : ready
    guard !batch.isEmpty else { return nil }
    ready = []
    for place in batch { waiting[place] = -1 }
    for place in batch {
      for follower in followers[place] ?? [] where waiting[follower] > 0 {
        waiting[follower] -= 1
        if waiting[follower] == 0 { ready.append(follower) }
      }
    }
    ready.sort()
    return batch
  }

  private mutating func placeInCircle() -> Int? {
    while first < waiting.count, waiting[first] < 0 { first += 1 }
    guard first < waiting.count else { return nil }
    var place = first
    var seen: Set<Int> = []
    while seen.insert(place).inserted {
      guard let next = dependencies[place].first(where: { waiting[$0] >= 0 }) else { break }
      place = next
    }
    return place
  }
}
