/// Finds near names where there is none of a name.
package enum NearNames {
  /// How many near names are offered.
  private static let mostSuggestions = 3

  /// Names that a slip of the pen may have meant.
  package static func of(_ name: String, in names: [String]) -> [String] {
    let wanted = name.lowercased().prefix(64)
    return
      names
      .filter { $0.utf8.count <= 256 }
      .map { (name: $0, distance: distance(wanted, $0.lowercased().prefix(64))) }
      .filter { $0.distance <= max(1, wanted.count / 3) || $0.name.lowercased().hasPrefix(wanted) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(mostSuggestions).map(\.name)
  }

  /// How many letters must be put in, taken out, replaced or, of two neighbours, swapped.
  private static func distance(_ left: Substring, _ right: Substring) -> Int {
    let (left, right) = (Array(left), Array(right))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
