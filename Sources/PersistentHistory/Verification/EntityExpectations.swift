import StoreEditing
import StoreFormat

/// What changes of each entity must look like, looked up once for many rows.
struct EntityExpectations {
  /// One entity.
  final class Entity {
    /// The name, or the number where there is none.
    let name: String
    /// Whether the store lists it.
    let isListed: Bool
    /// How many slots its masks have; nil where no model tells.
    let slotCount: Int?
    /// The attributes that its objects leave behind; nil where no model tells.
    let tombstoneAttributes: [ManagedAttribute]?
    fileprivate let number: Int64
    fileprivate var highestKey: Int64 = 0

    fileprivate init(_ number: Int64, _ snapshot: StoreSnapshot, _ schema: HistorySchema) {
      let entity = schema.entity(number: number)
      self.number = number
      name = entity.label
      isListed = snapshot.entities.entries.contains { $0.number == number }
      slotCount = entity.slots?.slots.count
      tombstoneAttributes = entity.slots?.tombstoneAttributes
    }

    /// Notes the primary key of an object.
    func note(_ key: Int64) { if key > highestKey { highestKey = key } }
  }

  /// Entities that a hostile store invents are not all remembered.
  private static let mostEntities = 4096

  private let snapshot: StoreSnapshot
  private let schema: HistorySchema
  private var known: [Int64: Entity] = [:]
  private var last: Entity?

  init(_ snapshot: StoreSnapshot) {
    self.snapshot = snapshot
    // A model whose pages cannot be read is told of elsewhere.
    schema = (try? HistorySchema(snapshot)) ?? HistorySchema(namesOf: snapshot.entities)
  }

  /// The entity with a number.
  mutating func entity(_ number: Int64) -> Entity {
    if let last, last.number == number { return last }
    let entity = known[number] ?? Entity(number, snapshot, schema)
    if known.count < Self.mostEntities { known[number] = entity }
    last = entity
    return entity
  }

  /// The hierarchies of which objects have higher keys than were ever given out, by name.
  var tornCounters: [(name: String, issued: Int64, present: Int64)] {
    var present: [Int64: Int64] = [:]
    for entity in known.values {
      guard let root = snapshot.entities.root(of: entity.number) else { continue }
      present[root] = max(present[root] ?? 0, entity.highestKey)
    }
    return present.sorted { $0.key < $1.key }.compactMap { root, key in
      guard let issued = snapshot.entities.highestPrimaryKey(of: root), key > issued else {
        return nil
      }
      return (snapshot.entities.name(of: root) ?? "#\(root)", issued, key)
    }
  }
}
