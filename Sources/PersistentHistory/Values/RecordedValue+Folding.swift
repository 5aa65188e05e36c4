import StoreFormat

extension [RecordedValue] {
  /// Adds what a later update changed: of each value what it was first and is last counts.
  mutating func fold(_ later: RecordedValue) {
    guard let index = firstIndex(where: { $0.name == later.name }) else {
      append(later)
      return
    }
    self[index].new = later.new
    self[index].kind = later.kind
  }

  /// How much memory the contents take, about.
  var byteCount: Int { reduce(0) { $0 + $1.byteCount + 96 } }
}
