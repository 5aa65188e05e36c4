import PersistentHistory
import StoreFormat
import Synchronization

/// The entities of lines that are read without a model: each line names its own attributes.
///
/// A line has the mask of an update and the names of the updated attributes, and names the values that
/// a deleted object left. All lines together determine the name of each bit; ``entities()`` returns the
/// names learned so far.
package final class LineEntities: Sendable {
  /// The part of a change that describes its entity.
  private struct Signature: Hashable {
    let name: String
    let mask: ColumnMask?
    let attributes: [String]?
    let preserved: [Preserved]?

    /// The approximate memory, in bytes.
    var byteCount: Int {
      64 + name.utf8.count + (mask?.byteCount ?? 0)
        + (attributes ?? []).reduce(0) { $0 + $1.utf8.count + 16 }
        + (preserved ?? []).reduce(0) { $0 + $1.name.utf8.count + 32 }
    }
  }

  private struct Preserved: Hashable {
    let name: String
    let type: AttributeType
  }

  private struct State {
    var known: [Signature: HistoryEntity] = [:]
    var knownByteCount = 0
    var learned: [String: LearnedSlots] = [:]
    var learnedByteCount = 0
  }

  /// The maximum number of signatures to keep, more than an app's saves have; at the limit, all are
  /// dropped.
  private static let maxKnown = 4096
  private static let maxKnownBytes = 8 << 20
  /// The maximum number of names, more than any entity has.
  private static let maxNames = 4096
  /// The maximum size of all names in bytes, more than any model has; further lines are rejected.
  private static let maxLearnedBytes = 16 << 20

  private let state = Mutex(State())
  /// The entities that are known beforehand; `nil` for none.
  private let schema: HistorySchema?

  /// Creates an empty set.
  package init() { schema = nil }

  /// Creates a set of the entities that other ``LineEntities`` have learned.
  package init(_ entities: [HistoryEntity]) { schema = HistorySchema(entities: entities) }

  /// Returns the entities by name, each with the slots of masks of its newest model, then those of
  /// former models.
  package func entities() -> [HistoryEntity] {
    let learned = state.withLock { $0.learned }
    var entities: [HistoryEntity] = []
    var former: [HistoryEntity] = []
    for (index, name) in learned.keys.sorted().enumerated() {
      let models = learned[name]?.models() ?? []
      // Frameworks number entities by name too, except for those that inherit.
      entities.append(HistoryEntity(name: name, number: Int64(index + 1), slots: models.first))
      former += models.dropFirst().map { HistoryEntity(name: name, slots: $0) }
    }
    return entities + former
  }

  /// Returns the entity of a change.
  ///
  /// - Parameters:
  ///   - change: The members of the change.
  ///   - name: The entity's name.
  ///   - mask: The mask.
  /// - Throws: ``LineError`` if what the change says of its entity contradicts itself.
  func entity(
    of change: LineMembers, named name: String, mask: ColumnMask?
  ) throws -> HistoryEntity {
    let attributes = mask == nil ? nil : try Self.attributes(change)
    let signature = Signature(
      name: name, mask: attributes == nil ? nil : mask, attributes: attributes,
      preserved: try Self.preserved(change))
    if let known = state.withLock({ $0.known[signature] }) { return known }
    let entity = try make(signature)
    let isTooMuch = state.withLock { state in
      if state.known.count >= Self.maxKnown || state.knownByteCount >= Self.maxKnownBytes {
        state.known.removeAll()
        state.knownByteCount = 0
      }
      state.known[signature] = entity
      state.knownByteCount += signature.byteCount
      guard schema == nil else { return false }
      if state.learned[name] == nil { state.learnedByteCount += name.utf8.count + 64 }
      var slots = state.learned.removeValue(forKey: name) ?? LearnedSlots()
      if let mask = signature.mask, let attributes {
        state.learnedByteCount += slots.add(mask, attributes)
      }
      state.learned[name] = slots
      return state.learnedByteCount > Self.maxLearnedBytes
    }
    if isTooMuch {
      throw LineError.unexpected(
        key: LineKey.entity.name, expectation: "one of a model's: there are too many names")
    }
    return entity
  }

  private func make(_ signature: Signature) throws -> HistoryEntity {
    let present = schema?.entity(named: signature.name)
    let tombstone = signature.preserved?.map {
      ManagedAttribute(name: $0.name, type: $0.type, preservesValueOnDeletion: true)
    }
    let slots: [EntitySlots.Slot]
    if let mask = signature.mask, let attributes = signature.attributes {
      if tombstone == nil, let present, present.slots?.names(in: mask) == attributes {
        return present
      }
      slots = try Self.slots(of: mask, attributes)
    } else if tombstone == nil {
      // A change that names no attributes needs no slots.
      return HistoryEntity(name: signature.name, number: present?.number)
    } else {
      slots = present?.slots?.slots ?? []
    }
    return HistoryEntity(
      name: signature.name, number: present?.number,
      slots: EntitySlots(slots: slots, tombstoneAttributes: tombstone ?? []))
  }

  /// Returns slots with the names of the bits in a mask; slots without a set bit have no name.
  private static func slots(
    of mask: ColumnMask, _ attributes: [String]
  ) throws -> [EntitySlots.Slot] {
    // A longer mask is of no model, and the slots would take much memory.
    let isOfModel = mask.byteCount <= maxMaskLength
    let marked = isOfModel ? mask.setSlots : []
    guard isOfModel, marked.count >= attributes.count, !attributes.isEmpty || marked.isEmpty else {
      throw LineError.unexpected(
        key: LineKey.attributes.name, expectation: "the names of the bits in columnsRaw")
    }
    var slots = [EntitySlots.Slot](
      repeating: EntitySlots.Slot(name: "", role: .attribute), count: mask.byteCount * 8)
    for (index, slot) in marked.enumerated() {
      // Some properties have several slots; which ones does not matter to the names of this mask.
      let name = attributes[min(index, attributes.count - 1)]
      slots[slot] = EntitySlots.Slot(name: name, role: .attribute)
    }
    return slots
  }

  // MARK: - What a change says

  /// The maximum length of a mask with names, in bytes.
  private static let maxMaskLength = 1024

  private static func attributes(_ change: LineMembers) throws -> [String]? {
    guard change.has(.attributes) else { return nil }
    var names: [String] = []
    try change.forEachElement(of: .attributes) { json in
      guard case .string(let name) = json else {
        throw LineError.unexpected(key: LineKey.attributes.name, expectation: "an array of names")
      }
      names.append(name)
      guard names.count <= maxNames else {
        throw LineError.unexpected(
          key: LineKey.attributes.name, expectation: "an array of at most \(maxNames) names")
      }
    }
    return names
  }

  /// Returns the attributes that a tombstone names, with types that read and write its values as they
  /// are.
  private static func preserved(_ change: LineMembers) throws -> [Preserved]? {
    guard change.has(.tombstone) else { return nil }
    var members: [(name: String, value: JSONValue)] = []
    try change.forEachMember(of: .tombstone) { name, json in members.append((name, json)) }
    guard change.has(.tombstoneRaw) else {
      return members.map { Preserved(name: $0.name, type: type(of: $0.value)) }
    }
    var preserved: [Preserved] = []
    var rest = members[...]
    try change.forEachElement(of: .tombstoneRaw) { raw in
      guard let member = rest.first else { return }
      if case .null = raw {
        preserved.append(Preserved(name: "", type: .undefined))
        return
      }
      preserved.append(Preserved(name: member.name, type: type(of: member.value, storedAs: raw)))
      rest = rest.dropFirst()
    }
    guard rest.isEmpty else {
      throw LineError.unexpected(
        key: LineKey.tombstone.name, expectation: "the values of tombstoneRaw")
    }
    return preserved
  }

  private static func type(of json: JSONValue) -> AttributeType {
    switch json {
    case .boolean: .boolean
    case .integer: .integer64
    case .real: .double
    case .string(let text):
      StoreTimestamp(exactISO8601: text)?.exactISO8601 == text
        ? .date
        : UUIDText.bytes(of: text).map { UUIDText.text(of: $0) } == text ? .uuid : .string
    case .object(let object): object["$blob"] == nil ? .string : .binaryData
    case .null, .array: .undefined
    }
  }

  /// The type of a value whose stored form is given too.
  private static func type(of json: JSONValue, storedAs raw: JSONValue) -> AttributeType {
    guard case .string = json else { return type(of: json) }
    // A text that was stored for a date or a UUID: the raw form must be written again.
    if case .object = raw { return .uuid }
    return .date
  }
}

/// The possible names of the bits in one entity's masks, learned from lines.
private struct LearnedSlots {
  /// The maximum number of models of one entity, which differ in the lengths of their masks.
  private static let maxModels = 16
  /// With more names than this, those of single bits are not guessed.
  private static let maxPossibleNames = 64

  /// For each length of a mask in bytes, the possible names of every slot; `nil` if unknown. The model
  /// seen last is the last one.
  private var byLength: [(byteCount: Int, slots: [[String]?])] = []

  /// Adds a mask and its names, and returns the size of new names in bytes.
  mutating func add(_ mask: ColumnMask, _ names: [String]) -> Int {
    var model: (byteCount: Int, slots: [[String]?])
    if let index = byLength.firstIndex(where: { $0.byteCount == mask.byteCount }) {
      model = byLength.remove(at: index)
    } else {
      guard byLength.count < Self.maxModels else { return 0 }
      model = (mask.byteCount, [[String]?](repeating: nil, count: mask.byteCount * 8))
    }
    defer { byLength.append(model) }
    let marked = mask.setSlots
    guard marked.count == names.count || names.count <= Self.maxPossibleNames else { return 0 }
    var newCount = 0
    for (index, slot) in marked.enumerated() {
      // One name for each slot is exact; fewer names only limit the possible ones.
      let possible = marked.count == names.count ? [names[index]] : names
      if let known = model.slots[slot] {
        model.slots[slot] = known.filter(possible.contains)
      } else {
        model.slots[slot] = possible
        newCount += possible.reduce(0) { $0 + $1.utf8.count + 16 }
      }
    }
    return newCount
  }

  /// The slots of each model, the newest first.
  func models() -> [EntitySlots] {
    byLength.reversed().map { model in
      EntitySlots(
        slots: model.slots.map { EntitySlots.Slot(name: $0?.first ?? "", role: .attribute) },
        tombstoneAttributes: [])
    }
  }
}
