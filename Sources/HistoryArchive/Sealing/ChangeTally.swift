import HistoryCoding
import PersistentHistory
import StoreFormat

/// Counts changes by the number of their entity and by kind, for the few entities that a frame has.
struct ChangeTally: Sendable {
  private struct Entry: Sendable {
    let number: Int64?
    var inserts: Int64 = 0
    var updates: Int64 = 0
    var deletes: Int64 = 0
    var others: Int64 = 0
  }

  /// More entities than any model has; changes of those beyond are counted without theirs.
  static let maxEntities = 1000
  /// So many are found sooner by looking at each than by hashing.
  private static let fewEntries = 16

  private var entries: [Entry] = []
  private var places: [Int64?: Int] = [:]
  private var last = 0

  /// Whether nothing was counted.
  var isEmpty: Bool { entries.isEmpty }

  /// Counts a change.
  @inline(__always)
  mutating func add(_ kind: ChangeKind?, of number: Int64?) {
    // Changes of one entity tend to stand together.
    if last >= entries.count || entries[last].number != number { last = place(of: number) }
    switch kind {
    case .insert: entries[last].inserts &+= 1
    case .update: entries[last].updates &+= 1
    case .delete: entries[last].deletes &+= 1
    case nil: entries[last].others &+= 1
    }
  }

  /// Adds what another one has counted.
  mutating func add(_ other: ChangeTally) {
    for entry in other.entries {
      let place = place(of: entry.number)
      entries[place].inserts &+= entry.inserts
      entries[place].updates &+= entry.updates
      entries[place].deletes &+= entry.deletes
      entries[place].others &+= entry.others
    }
  }

  /// Forgets everything.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    if !places.isEmpty { places.removeAll(keepingCapacity: true) }
    last = 0
  }

  private mutating func place(of number: Int64?) -> Int {
    for index in entries.indices.prefix(Self.fewEntries) where entries[index].number == number {
      return index
    }
    if let place = places[number] { return place }
    if number != nil, entries.count >= Self.maxEntities { return place(of: nil) }
    entries.append(Entry(number: number))
    if entries.count > Self.fewEntries { places[number] = entries.count - 1 }
    return entries.count - 1
  }

  /// The counts, by number, with the names that a schema gives the numbers.
  func counts(_ schema: SegmentSchema) -> [SegmentCount] {
    let names = Dictionary(
      schema.entities.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    return entries.sorted { ($0.number ?? .min) < ($1.number ?? .min) }.map { entry in
      SegmentCount(
        entity: entry.number.flatMap { names[$0] ?? nil }, number: entry.number,
        inserts: entry.inserts, updates: entry.updates, deletes: entry.deletes,
        others: entry.others)
    }
  }
}
