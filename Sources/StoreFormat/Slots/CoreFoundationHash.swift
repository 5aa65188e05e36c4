/// The 64-bit hash that CoreFoundation gives a string.
///
/// The framework lays out to-many relationships in the order of a dictionary keyed by their names,
/// so the order of slots follows from this function: units of UTF-16 in groups of four, the length
/// mixed in at the end, and of a text longer than 96 units only its first, middle and last 32.
enum CoreFoundationHash {
  static func hash(of text: String) -> UInt64 {
    let units = Array(text.utf16)
    var hash = UInt64(units.count)
    if units.count <= 96 {
      mix(units[...], into: &hash)
    } else {
      let middle = units.count / 2 - 16
      mix(units[..<32], into: &hash)
      mix(units[middle..<middle + 32], into: &hash)
      mix(units[(units.count - 32)...], into: &hash)
    }
    return hash &+ (hash << UInt64(units.count & 31))
  }

  private static func mix(_ units: ArraySlice<UInt16>, into hash: inout UInt64) {
    var rest = units
    while rest.count >= 4 {
      let first = rest.startIndex
      hash = hash &* 67_503_105
      hash = hash &+ UInt64(rest[first]) &* 16_974_593
      hash = hash &+ UInt64(rest[first + 1]) &* 66_049
      hash = hash &+ UInt64(rest[first + 2]) &* 257
      hash = hash &+ UInt64(rest[first + 3])
      rest = rest.dropFirst(4)
    }
    for unit in rest { hash = hash &* 257 &+ UInt64(unit) }
  }
}
