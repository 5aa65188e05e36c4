import StoreFormat

/// What names objects: a key, as `Trip/p12`, or values, as `Trip[name=Olive harvest]`.
package enum ObjectExpression: Hashable, Sendable {
  case object(HistoryObject)
  /// The objects of an entity whose values meet all of some conditions.
  case values(entity: String, [ValueCondition])

  /// Reads `Trip/p12`, an address, or an entity with conditions on values in brackets:
  /// `Trip[name=Olive harvest][score>3]`.
  ///
  /// - Parameter now: The moment that words such as `yesterday` count from.
  /// - Throws: ``HistoryError/malformedObject(text:)``.
  package init(_ text: String, now: StoreTimestamp) throws(HistoryError) {
    guard Self.hasConditions(text), let start = text.firstIndex(of: "[") else {
      self = .object(try HistoryObject(text))
      return
    }
    var conditions: [ValueCondition] = []
    for part in text[text.index(after: start)...].dropLast().split(
      separator: "][", omittingEmptySubsequences: false)
    {
      guard let condition = ValueCondition(String(part), now: now) else {
        throw .malformedObject(text: text)
      }
      conditions.append(condition)
    }
    self = .values(entity: String(text[..<start]), conditions)
  }

  /// Returns whether a text, where tokens are expected too, is an object: it ends in `/p` and a number, is an
  /// address, or has conditions.
  package static func isWritten(as text: String) -> Bool {
    if HistoryObject.isAddress(text) || hasConditions(text) { return true }
    guard let place = text.firstRange(of: "/p")?.upperBound else { return false }
    return (try? HistoryObject(text)) != nil && Int64(text[place...]) != nil
  }

  /// Whether a text is a name with conditions in brackets. No token begins with a letter and ends so.
  private static func hasConditions(_ text: String) -> Bool {
    guard text.hasSuffix("]"), let start = text.firstIndex(of: "[") else { return false }
    let name = text[..<start]
    return name.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
      && !name.contains { $0.isWhitespace || "/@{\"".contains($0) }
  }
}

/// Finds the objects whose values meet conditions: those in the store by their present values, and others by
/// their tombstones and by old and new values as far as they are known.
package struct ObjectSearch {
  package enum State: String, Hashable, Sendable {
    /// It is in the store, and its values meet the conditions.
    case present
    /// It is not in the store, and values of the past meet the conditions.
    case gone
    /// It is in the store, and only values of the past meet the conditions.
    case former
  }

  package struct Hit: Hashable, Sendable {
    package let object: HistoryObject
    package let state: State
  }

  /// The maximum number of objects that are found.
  static let maxHits = 1000
  /// The maximum number of objects whose state is remembered while the history is read.
  private static let maxRemembered = 100_000

  /// The objects in the store by entity and key, then those that are gone; if there are none, those that met the
  /// conditions in the past.
  package let hits: [Hit]
  /// Whether there may be more objects.
  package private(set) var isCut = false

  /// Finds objects.
  ///
  /// - Parameters:
  ///   - entity: The entity; objects of its sub-entities are found as well.
  ///   - conditions: The conditions on values; a single change must meet all of them, or the present values.
  ///   - timeline: The history.
  ///   - schema: Its entities.
  /// - Throws: ``HistoryError`` if the conditions name what the history does not have, errors of the store, and
  ///   of the archive.
  package init(
    _ entity: String, _ conditions: [ValueCondition], in timeline: HistoryTimeline,
    schema: HistorySchema
  ) throws {
    var condition = ChangeCondition(entities: [entity])
    condition.values = conditions
    try condition.check(in: schema, of: timeline)
    var present: [HistoryObject] = []
    if let snapshot = timeline.snapshot {
      _ = try condition.selection(in: schema, of: snapshot)
      present = try Self.present(entity, conditions, snapshot, schema)
    }
    var (gone, former): ([HistoryObject], [HistoryObject]) = ([], [])
    var query = HistoryQuery(change: condition, keepsOnlyMatchingChanges: true)
    // A file of values that cannot be read is reported where values are shown.
    query.recordedValues = timeline.snapshot.flatMap { try? RecordedValues(beside: $0) }
    let objects = try timeline.snapshot?.objects()
    var seen = Set(present)
    let reader = try TimelineReader(timeline, query: query, schema: schema)
    while present.count + gone.count <= Self.maxHits, former.count <= Self.maxHits,
      let element = try reader.nextElement()
    {
      guard case .transaction = element else { continue }
      while let change = try reader.nextChange() {
        guard let object = change.object, seen.insert(object).inserted else { continue }
        if seen.count > Self.maxRemembered { seen = Set(present + gone + former) }
        let isPresent =
          try timeline.snapshot?.entities.number(of: object.entityName).map {
            try objects?.contains(entityNumber: $0, primaryKey: object.primaryKey) ?? false
          } ?? false
        if isPresent { former.append(object) } else { gone.append(object) }
      }
    }
    let found =
      present.map { Hit(object: $0, state: .present) }
      + gone.map { Hit(object: $0, state: .gone) }
    let all = found.isEmpty ? former.map { Hit(object: $0, state: .former) } : found
    isCut = all.count > Self.maxHits
    hits = Array(all.prefix(Self.maxHits))
  }

  /// Returns the objects in the store whose present values meet conditions.
  private static func present(
    _ entity: String, _ conditions: [ValueCondition], _ snapshot: StoreSnapshot,
    _ schema: HistorySchema
  ) throws -> [HistoryObject] {
    let objects = try snapshot.objectSchema()
    let files = LargeValueFolder(snapshot.location)
    let names = Set(conditions.map(\.name))
    var found: [HistoryObject] = []
    let number = try NameLookup(schema: schema).entityNumber(entity)
    for entity in snapshot.entities.entityAndDescendants(of: number) {
      guard let name = snapshot.entities.name(of: entity),
        let rows = try ObjectRows(snapshot, of: name, objects, only: names)
      else { continue }
      let tests = conditions.compactMap { condition in
        rows.properties.firstIndex { $0.path == condition.name }.map { (condition, $0) }
      }
      guard tests.count == conditions.count else { continue }
      while found.count <= maxHits, try rows.next() {
        let isHit = tests.allSatisfy { condition, place in
          let content = rows.content(at: place)?.recorded { files.bytes(of: $0) }
          return content?.value.map { condition.matches($0, rows.properties[place].kind) } ?? false
        }
        if isHit { found.append(HistoryObject(entityName: name, primaryKey: rows.primaryKey)) }
      }
    }
    return found
  }
}
