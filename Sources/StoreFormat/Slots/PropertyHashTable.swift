/// The order in which the framework's dictionary of an entity's properties gives them back.
///
/// Open addressing over prime sizes: a key goes to its hash modulo the size, or to the next free
/// cell; a full table grows by one size and takes its keys over in table order.
struct PropertyHashTable {
  private static let sizes = [
    3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723, 2803, 4523, 7351,
  ]
  /// How many keys each size takes; an entity with more than the last has no order that we know.
  private static let capacities = [
    3, 6, 11, 19, 32, 52, 85, 118, 155, 237, 390, 672, 1065, 1732, 2795, 4543,
  ]

  private var cells: [String?]
  private var step: Int
  private var count = 0
  private var keySet: Set<String> = []

  init() {
    step = 0
    cells = Array(repeating: nil, count: Self.sizes[0])
  }

  /// A copy as the framework makes one for a sub-entity: at the smallest size that fits.
  func copy() -> PropertyHashTable {
    let keys = keys
    var copy = PropertyHashTable()
    copy.step = Self.capacities.firstIndex { $0 >= keys.count } ?? Self.capacities.count - 1
    copy.cells = Array(repeating: nil, count: Self.sizes[copy.step])
    for key in keys { copy.place(key) }
    copy.count = keys.count
    copy.keySet = keySet
    return copy
  }

  /// Adds a key that is not there yet; false when the table can take no more.
  package mutating func add(_ key: String) -> Bool {
    guard !keySet.contains(key) else { return true }
    if count >= Self.capacities[step] {
      guard step + 1 < Self.sizes.count else { return false }
      let keys = keys
      step += 1
      cells = Array(repeating: nil, count: Self.sizes[step])
      for key in keys { place(key) }
    }
    place(key)
    keySet.insert(key)
    count += 1
    return true
  }

  /// The keys in table order.
  var keys: [String] { cells.compactMap { $0 } }

  private mutating func place(_ key: String) {
    var index = Int(CoreFoundationHash.hash(of: key) % UInt64(cells.count))
    while cells[index] != nil { index = (index + 1) % cells.count }
    cells[index] = key
  }
}
