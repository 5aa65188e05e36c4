import PersistentHistory
import StoreEditing
import StoreFormat
import Synchronization

/// The entities of lines that are read without a model: each line itself names what it tells of.
///
/// A line has the mask of an update and the names of what it touched, and names the values that a
/// deleted object left behind. Which bit stands for which name follows from all lines together;
/// ``entities()`` has what was learned of it.
package final class LineEntities: Sendable {
  /// What a change says of its entity.
  private struct Signature: Hashable {
    let name: String
    let mask: ColumnMask?
    let attributes: [String]?
    let preserved: [Preserved]?

    /// About how much memory it takes.
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
    var learned: [String: LearnedEntity] = [:]
    var learnedByteCount = 0
  }

  /// More signatures than an app's saves have; behind that, they are begun anew.
  private static let mostKnown = 4096
  private static let mostKnownBytes = 8 << 20
  /// More names than any entity has.
  private static let mostNames = 4096
  /// More bytes than the names of any model have; lines that have more are refused.
  private static let mostLearnedBytes = 16 << 20

  private let state = Mutex(State())
  /// The entities as far as they are known beforehand.
  private let schema: HistorySchema?

  /// Entities of which nothing is known yet.
  package init() { schema = nil }

  /// Entities as lines were found to name them.
  ///
  /// - Parameter entities: Those of other ``LineEntities``.
  package init(_ entities: [HistoryEntity]) { schema = HistorySchema(entities: entities) }

  /// The entities by name, each with the slots that masks of its newest model have, then those of
  /// former models.
  package func entities() -> [HistoryEntity] {
    let learned = state.withLock { $0.learned }
    var entities: [HistoryEntity] = []
    var former: [HistoryEntity] = []
    for (index, name) in learned.keys.sorted().enumerated() {
      let models = learned[name]?.modelSlots() ?? []
      // Frameworks number entities by name as well, but for those that inherit.
      entities.append(HistoryEntity(name: name, number: Int64(index + 1), slots: models.first))
      former += models.dropFirst().map { HistoryEntity(name: name, slots: $0) }
    }
    return entities + former
  }

  // MARK: - The entity of a change

  /// The entity of a change.
  ///
  /// - Parameters:
  ///   - change: The members of the change.
  ///   - name: The entity's name.
  ///   - mask: The mask.
  /// - Throws: ``LineError`` where what the change says of its entity contradicts itself.
  func entity(
    of change: JSONObject, named name: String, mask: ColumnMask?
  ) throws(LineError) -> HistoryEntity {
    let attributes = mask == nil ? nil : try Self.attributes(change)
    let signature = Signature(
      name: name, mask: attributes == nil ? nil : mask, attributes: attributes,
      preserved: try Self.preserved(change))
    if let known = state.withLock({ $0.known[signature] }) { return known }
    let entity = try make(signature)
    let isTooMuch = state.withLock { state in
      if state.known.count >= Self.mostKnown || state.knownByteCount >= Self.mostKnownBytes {
        state.known.removeAll()
        state.knownByteCount = 0
      }
      state.known[signature] = entity
      state.knownByteCount += signature.byteCount
      guard schema == nil else { return false }
      state.learnedByteCount += Self.learn(signature, &state.learned)
      return state.learnedByteCount > Self.mostLearnedBytes
    }
    if isTooMuch {
      throw .unexpected(key: "entity", expectation: "one of a model's: there are too many names")
    }
    return entity
  }

  private func make(_ signature: Signature) throws(LineError) -> HistoryEntity {
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
      // A change that names nothing of its entity needs none of its slots.
      return HistoryEntity(name: signature.name, number: present?.number)
    } else {
      slots = present?.slots?.slots ?? []
    }
    return HistoryEntity(
      name: signature.name, number: present?.number,
      slots: EntitySlots(slots: slots, tombstoneAttributes: tombstone ?? []))
  }

  /// Slots that give a mask its names; those that it does not mark have none.
  private static func slots(
    of mask: ColumnMask, _ attributes: [String]
  ) throws(LineError) -> [EntitySlots.Slot] {
    let marked = mask.setSlots
    guard marked.count >= attributes.count, !attributes.isEmpty || marked.isEmpty else {
      throw .unexpected(key: "attributes", expectation: "the names of the bits in columnsRaw")
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

  /// Takes in what a change says; gives how many bytes the names have that were new.
  private static func learn(
    _ signature: Signature, _ learned: inout [String: LearnedEntity]
  ) -> Int {
    var entity = learned[signature.name] ?? LearnedEntity()
    let isNew = learned[signature.name] == nil
    var count = isNew ? signature.name.utf8.count + 64 : 0
    if let mask = signature.mask, let attributes = signature.attributes {
      count += entity.add(mask, attributes)
    }
    learned[signature.name] = entity
    return count
  }

  // MARK: - What a change says

  private static func attributes(_ change: JSONObject) throws(LineError) -> [String]? {
    guard let json = change["attributes"] else { return nil }
    guard case .array(let elements) = json else {
      throw .unexpected(key: "attributes", expectation: "an array")
    }
    var names: [String] = []
    for element in elements {
      guard case .string(let name) = element else {
        throw .unexpected(key: "attributes", expectation: "an array of names")
      }
      names.append(name)
    }
    guard names.count <= mostNames else {
      throw .unexpected(key: "attributes", expectation: "an array of at most \(mostNames) names")
    }
    return names
  }

  /// The attributes that a tombstone names, with types that read and write its values as they are.
  private static func preserved(_ change: JSONObject) throws(LineError) -> [Preserved]? {
    guard case .object(let members)? = change["tombstone"] else { return nil }
    guard let raw = change["tombstoneRaw"] else {
      return members.members.map { Preserved(name: $0.key, type: type(of: $0.value)) }
    }
    guard case .array(let elements) = raw else {
      throw .unexpected(key: "tombstoneRaw", expectation: "an array")
    }
    var preserved: [Preserved] = []
    var rest = members.members[...]
    for element in elements {
      guard let member = rest.first else { break }
      if case .null = element {
        preserved.append(Preserved(name: "", type: .undefined))
        continue
      }
      preserved.append(
        Preserved(name: member.key, type: type(of: member.value, storedAs: element)))
      rest = rest.dropFirst()
    }
    guard rest.isEmpty else {
      throw .unexpected(key: "tombstone", expectation: "the values of tombstoneRaw")
    }
    return preserved
  }

  private static func type(of json: JSONValue) -> AttributeType {
    switch json {
    case .boolean: .boolean
    case .integer: .integer64
    case .real: .double
    case .string(let text): isDate(text) ? .date : isUUID(text) ? .uuid : .string
    case .object(let object): object["$blob"] == nil ? .string : .binaryData
    case .null, .array: .undefined
    }
  }

  /// The type of a value beside which it stands as it is stored.
  private static func type(of json: JSONValue, storedAs raw: JSONValue) -> AttributeType {
    guard case .string = json else { return type(of: json) }
    return switch raw {
    case .object: .uuid
    // A text that was stored for a date or a UUID: the raw form must stand beside it again.
    default: .date
    }
  }

  /// Whether a text is one that a UUID is written as.
  private static func isUUID(_ text: String) -> Bool {
    UUIDText.bytes(of: text).map { UUIDText.text(of: $0) } == text
  }

  /// Whether a text is one that a date is written as.
  private static func isDate(_ text: String) -> Bool {
    StoreTimestamp(exactISO8601: text)?.exactISO8601 == text
  }
}
