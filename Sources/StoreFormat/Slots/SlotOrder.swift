/// Computes the slots of a model's entities.
///
/// Parts that several entities share (which have sub-entities, and the hash tables that sub-entities inherit) are
/// computed once.
struct SlotOrder {
  private let model: ManagedModel
  private let superentities: Set<String>
  private var tables: [String: PropertyHashTable] = [:]

  init(_ model: ManagedModel) {
    self.model = model
    superentities = Set(model.entities.values.compactMap(\.superentityName))
  }

  /// The slots of an entity, or `nil` for one that the model does not have, or that has more properties
  /// than the framework's order is known for.
  mutating func slots(of entityName: String) -> EntitySlots? {
    guard let lineage = model.lineage(of: entityName) else { return nil }
    let properties = lineage.flatMap(\.storedProperties)
    let toOne = properties.compactMap { $0.relationship }.filter { !$0.isToMany }
    let attributes = properties.compactMap { $0.attribute }
    guard let tableOrder = table(of: lineage)?.keys else { return nil }

    var slots = toOne.map { EntitySlots.Slot(name: $0.name, role: .toOne) }
    slots += toOne.filter(destinationHasSubentities).map { .init(name: $0.name, role: .entityKey) }
    slots += toOne.filter(inverseIsOrdered).map { .init(name: $0.name, role: .orderKey) }
    for attribute in attributes {
      let slot = EntitySlots.Slot(name: attribute.name, role: .attribute)
      slots += Array(repeating: slot, count: attribute.storedElementCount)
    }
    var toMany: [EntitySlots.Slot] = []
    var manyToMany: [EntitySlots.Slot] = []
    let toManyByName = Dictionary(
      keepingFirst: properties.compactMap { $0.relationship }.filter(\.isToMany).map {
        ($0.name, $0)
      })
    for name in tableOrder {
      guard let relationship = toManyByName[name] else { continue }
      if inverse(of: relationship)?.isToMany == true {
        manyToMany.append(.init(name: name, role: .manyToMany))
      } else {
        toMany.append(.init(name: name, role: .toMany))
      }
    }
    return EntitySlots(
      slots: slots + toMany + manyToMany,
      tombstoneAttributes: attributes.filter(\.preservesValueOnDeletion).flatMap(\.storedElements))
  }

  // MARK: - Relationships

  private func inverse(of relationship: ManagedRelationship) -> ManagedRelationship? {
    guard let destination = relationship.destinationName, let name = relationship.inverseName else {
      return nil
    }
    return model.relationship(name, of: destination)
  }

  private func destinationHasSubentities(_ relationship: ManagedRelationship) -> Bool {
    relationship.destinationName.map(superentities.contains) ?? false
  }

  private func inverseIsOrdered(_ relationship: ManagedRelationship) -> Bool {
    inverse(of: relationship)?.isOrdered ?? false
  }

  // MARK: - The dictionary of an entity's properties

  /// The table that the last entity of a lineage ends up with, its order keys included.
  private mutating func table(of lineage: [ManagedEntity]) -> PropertyHashTable? {
    guard var table = inheritedTable(of: lineage) else { return nil }
    let ordered = lineage.flatMap { $0.storedProperties }.compactMap { $0.relationship }
      .filter { !$0.isToMany }.filter(inverseIsOrdered).map(\.name).sorted(by: ordinally)
    for name in ordered where !table.add("_Z_FOK_" + name.uppercased()) { return nil }
    return table
  }

  /// The table without order keys, from which sub-entities start.
  private mutating func inheritedTable(of lineage: [ManagedEntity]) -> PropertyHashTable? {
    var table: PropertyHashTable?
    for (index, entity) in lineage.enumerated() {
      if let known = tables[entity.name] {
        table = known
        continue
      }
      var own = index == 0 ? PropertyHashTable() : (table ?? PropertyHashTable()).copy()
      let properties = entity.storedProperties
      var keys = index == 0 ? ["_ek", "_pk", "_opt"] : []
      keys += properties.filter { $0.relationship == nil }.map(\.name)
      for relationship in properties.compactMap({ $0.relationship }) {
        if !relationship.isToMany {
          keys.append("_Z" + relationship.name.uppercased())
          if destinationHasSubentities(relationship) {
            keys.append("_Z0_" + relationship.name.uppercased())
          }
        }
        keys.append(relationship.name)
      }
      for key in keys where !own.add(key) { return nil }
      tables[entity.name] = own
      table = own
    }
    return table
  }
}

/// Ordinal, case-sensitive order of UTF-16 units, which is how the framework sorts properties.
package func ordinally(_ left: String, _ right: String) -> Bool {
  left.utf16.lexicographicallyPrecedes(right.utf16)
}

extension [ManagedProperty] {
  package func sortedByName() -> [ManagedProperty] { sorted { ordinally($0.name, $1.name) } }
}

/// The order of the framework's dictionary of an entity's properties.
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
  mutating func add(_ key: String) -> Bool {
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

/// CoreFoundation's 64-bit hash of a string.
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
