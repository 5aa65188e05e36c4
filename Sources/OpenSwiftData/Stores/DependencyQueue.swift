/// Gives places in an order in which each comes behind those that it depends on.
///
/// Those that can come at the same time are given together. Of a circle one comes before what it depends
/// on.
struct DependencyQueue {
  private let dependencies: [[Int]]
  /// The places that depend on each.
  private var followers: [Int: [Int]] = [:]
  /// How many of its dependencies each is waiting for; less than 0 for one that was given.
  private var waiting: [Int]
  private var ready: [Int]
  /// All places before this one were given.
  private var first = 0

  /// - Parameter dependencies: For each place the places that it depends on.
  init(_ dependencies: [[Int]]) {
    self.dependencies = dependencies
    waiting = dependencies.map(\.count)
    ready = dependencies.indices.filter { dependencies[$0].isEmpty }
    for (place, others) in dependencies.enumerated() {
      for other in others { followers[other, default: []].append(place) }
    }
  }

  /// The next places, in order; nil when all were given.
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

  /// A place that depends on itself by way of others; nil where all places were given.
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
