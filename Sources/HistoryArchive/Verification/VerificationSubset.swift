/// Which part of an archive's segments is read in full; of the others everything else is looked at.
package enum VerificationSubset: Hashable, Sendable {
  /// The n-th of so many parts: with a part a day, all is read in so many days.
  case part(Int, of: Int)
  /// So many of a hundred segments, chosen by chance.
  case percent(Double)
  /// Segments of about so many bytes, chosen by chance; one at least.
  case bytes(Int64)

  /// Chooses among segments.
  ///
  /// - Parameters:
  ///   - sizes: How many bytes each has.
  ///   - generator: The source of chance.
  /// - Returns: The places of those that are to be read.
  package func choose(
    among sizes: [Int64], using generator: inout some RandomNumberGenerator
  ) -> Set<Int> {
    switch self {
    case .part(let number, let count):
      return Set(sizes.indices.filter { $0 % max(count, 1) == number - 1 })
    case .percent(let percent):
      let count = (Double(sizes.count) * min(max(percent, 0), 100) / 100).rounded(.up)
      return Set(sizes.indices.shuffled(using: &generator).prefix(Int(count)))
    case .bytes(let limit):
      var chosen: Set<Int> = []
      var left = limit
      for index in sizes.indices.shuffled(using: &generator) {
        guard chosen.isEmpty || sizes[index] <= left else { continue }
        chosen.insert(index)
        left -= min(left, sizes[index])
      }
      return chosen
    }
  }
}
