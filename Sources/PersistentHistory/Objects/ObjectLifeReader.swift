import StoreFormat

/// Reads the life of one object, oldest change first, and its present state in the store.
///
/// ```swift
/// let reader = try ObjectLifeReader(HistoryObject("Trip/p12"), snapshot: snapshot)
/// while let transaction = try reader.nextTransaction() {
///   while let change = try reader.nextChange() { … }
/// }
/// print(reader.life.state)
/// ```
package final class ObjectLifeReader {
  /// The life of the object: its present state, and its history as far as it was read.
  package private(set) var life: ObjectLife

  private let reader: TimelineReader?
  private let timeline: HistoryTimeline
  private let schema: HistorySchema
  private let entityNumber: Int64
  /// The names of its entity and of those that share its primary keys.
  private let entityNames: [String]
  /// The object that has the primary key in the store, if it is of another branch of the hierarchy.
  private let other: PresentObject?
  private let query: HistoryQuery
  private var current: HistoryTransaction?
  /// A change that was read to find out whether its transaction has a matching one.
  private var pending: HistoryChange?

  /// Prepares to read the life of an object of a store.
  package convenience init(
    _ object: HistoryObject, snapshot: StoreSnapshot, schema: HistorySchema? = nil,
    query: HistoryQuery = HistoryQuery()
  ) throws {
    try self.init(
      object, in: HistoryTimeline(snapshot), schema: schema ?? HistorySchema(snapshot),
      query: query)
  }

  /// Prepares to read the life of an object of a timeline.
  ///
  /// All entities of a hierarchy share their primary keys, so an object may be named by its own entity,
  /// by an ancestor or by a descendant of it. In an archive without a store, inheritance is unknown, and
  /// an object is named by its own entity.
  ///
  /// - Parameters:
  ///   - timeline: The history. Of a store without history tables, only the present state is known.
  ///   - query: The changes to return. Its entities, objects, order and limit are ignored. The ``life``
  ///     is of all changes.
  /// - Throws: ``HistoryError/unknownEntity(name:suggestions:)``,
  ///   ``HistoryError/unknownAttribute(name:suggestions:)``,
  ///   ``HistoryError/objectOfOtherStore(object:store:)``, and errors of the store and the archive.
  package init(
    _ object: HistoryObject, in timeline: HistoryTimeline, schema: HistorySchema,
    query: HistoryQuery = HistoryQuery()
  ) throws {
    self.query = query
    self.timeline = timeline
    let snapshot = timeline.snapshot
    try ChangeCondition(objects: [object]).check(in: schema, of: timeline)
    // Checks the store that the object names, too.
    let selection = try snapshot.flatMap {
      try ChangeCondition(objects: [object]).selection(in: schema, of: $0)
    }
    let number =
      try selection?.objects?.first?.entityNumber
      ?? NameLookup(schema: schema).entityNumber(object.entityName)
    entityNumber = number
    let relatives = snapshot?.entities.relatives(of: number) ?? [number]
    let found = try snapshot?.objects()
      .object(entityNumber: number, primaryKey: object.primaryKey)
    let isMeant = found.map { relatives.contains($0.entityNumber) } ?? false
    other = isMeant ? nil : found
    life = ObjectLife(object, present: isMeant ? found : nil, hasStore: snapshot != nil)
    self.schema = schema
    entityNames = relatives.map { schema.entity(number: $0).name ?? "\($0)" }
    guard snapshot == nil || snapshot?.layout.history != nil else {
      reader = nil
      try check(attributes: query.change.attributes)
      return
    }
    var whole = HistoryQuery(
      change: ChangeCondition(objects: [object]), keepsOnlyMatchingChanges: true)
    whole.recordedValues = query.recordedValues
    whole.omitsRecordedValues = query.omitsRecordedValues
    reader = try TimelineReader(timeline, query: whole, schema: schema)
    try check(attributes: query.change.attributes)
  }

  /// Checks that the object's entity, or one related to it, has each of some attributes.
  ///
  /// - Throws: ``HistoryError/unknownAttribute(name:suggestions:)``, and errors of the store.
  package func check(attributes: [String]) throws {
    let condition = ChangeCondition(entities: entityNames, attributes: attributes)
    try condition.check(in: schema, of: timeline)
    if let snapshot = timeline.snapshot { _ = try condition.selection(in: schema, of: snapshot) }
  }

  /// The attributes that the store calculates, so that no change of them is recorded.
  func derivedAttributes() throws -> Set<String> {
    guard case .model(let model)? = try timeline.snapshot?.modelCache() else { return [] }
    return model.derivedAttributes(of: life.object.entityName)
  }

  /// Whether no transaction follows a position; `nil` is the newest.
  func isNewest(_ position: Int64?) throws -> Bool {
    guard let position else { return true }
    return try timeline.newestTransaction().map { $0.number <= position } ?? true
  }

  /// Returns the error to report if the whole life was read and nothing was found.
  package func unknownObject() throws -> HistoryError {
    let oldest = reader == nil ? nil : try timeline.oldestTransaction()?.number
    return .unknownObject(
      object: life.object.description,
      other: other.map { "\($0.entityName ?? "?")/p\($0.primaryKey)" },
      highestPrimaryKey: timeline.snapshot?.entities.highestPrimaryKey(of: entityNumber),
      oldest: oldest.flatMap { $0 > 1 ? $0 : nil })
  }

  package typealias Element = TimelineReader.Element

  /// Returns the next transaction with a matching change, or the next gap in the history, or `nil`
  /// after the last one. The transaction comes without its changes; ``nextChange()`` returns them.
  package func nextElement() throws -> Element? {
    pending = nil
    while let element = try reader?.nextElement() {
      guard case .transaction(let transaction) = element else { return element }
      current = transaction
      if let change = try nextChange() {
        pending = change
        return element
      }
    }
    current = nil
    return nil
  }

  /// Returns the next transaction with a matching change, without its changes, or `nil` after the last
  /// one. It skips gaps, which ``nextElement()`` returns.
  package func nextTransaction() throws -> HistoryTransaction? {
    while let element = try nextElement() {
      if case .transaction(let transaction) = element { return transaction }
    }
    return nil
  }

  /// Returns the object's next change in the current transaction, or `nil` after the last one.
  package func nextChange() throws -> HistoryChange? {
    if let change = pending {
      pending = nil
      return change
    }
    guard let current else { return nil }
    while let change = try reader?.nextChange() {
      life.add(change, in: current)
      if isWanted(change, in: current) { return change }
    }
    return nil
  }

  /// Where the values of the last change were found; `nil` if none were read.
  var valuePlace: ValuePlace? { reader?.valuePlace }

  private func isWanted(_ change: HistoryChange, in transaction: HistoryTransaction) -> Bool {
    var whole = query
    whole.change = ChangeCondition()
    let condition = ChangeCondition(
      kinds: query.change.kinds, attributes: query.change.attributes)
    return whole.matches(transaction) && condition.matches(change)
  }
}
