import StoreEditing
import StoreFormat

/// Reads the life of one object, oldest change first, and what its store holds of it now.
///
/// ```swift
/// let reader = try ObjectLifeReader(HistoryObject("Trip/p12"), snapshot: snapshot)
/// while let transaction = try reader.nextTransaction() {
///   while let change = try reader.nextChange() { … }
/// }
/// print(reader.life.state)
/// ```
package final class ObjectLifeReader {
  /// What is known of the object: at first what the store holds of it, and with every change that is
  /// read more of its history.
  package private(set) var life: ObjectLife

  private let reader: TimelineReader?
  private let timeline: HistoryTimeline
  private let entityNumber: Int64
  /// What the store holds under the key, if that is an object of another branch of the hierarchy.
  private let other: PresentObject?
  private let query: HistoryQuery
  private var current: HistoryTransaction?
  /// A change that was read to see whether its transaction has one to give.
  private var pending: HistoryChange?

  /// Prepares to read the life of an object of a store, as ``init(_:in:schema:query:)`` does of a
  /// timeline.
  package convenience init(
    _ object: HistoryObject, snapshot: StoreSnapshot, schema: HistorySchema? = nil,
    query: HistoryQuery = HistoryQuery()
  ) throws {
    try self.init(
      object, in: HistoryTimeline(snapshot), schema: schema ?? HistorySchema(snapshot),
      query: query)
  }

  /// Prepares to read.
  ///
  /// All entities of a hierarchy share their primary keys, so an object may be named by its own entity,
  /// by one that this inherits from, or by one that inherits from it. An archive by itself does not
  /// know which entities inherit from which; there an object is named by its own.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - timeline: The history. Of a store without history tables, only what it holds now is told.
  ///   - schema: The entities of the history.
  ///   - query: Which changes to give; the conditions on entities and objects, the order and the limit
  ///     do not matter. The ``life`` is that of all changes.
  /// - Throws: ``HistoryError/unknownEntity(name:suggestions:)``,
  ///   ``HistoryError/unknownAttribute(name:suggestions:)``,
  ///   ``HistoryError/objectOfOtherStore(object:store:)``, ``/StoreFormat/StoreError``, and what the
  ///   archive throws.
  package init(
    _ object: HistoryObject, in timeline: HistoryTimeline, schema: HistorySchema,
    query: HistoryQuery = HistoryQuery()
  ) throws {
    self.query = query
    self.timeline = timeline
    let snapshot = timeline.snapshot
    try ChangeCondition(objects: [object]).check(in: schema, of: timeline)
    // Looks at the store that the object names, too.
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
    let names = relatives.map { schema.entity(number: $0).name ?? "\($0)" }
    // Tells of an attribute that none of them has.
    let attributes = ChangeCondition(entities: names, attributes: query.change.attributes)
    try attributes.check(in: schema, of: timeline)
    if let snapshot { _ = try attributes.selection(in: schema, of: snapshot) }
    guard snapshot == nil || snapshot?.layout.history != nil else {
      reader = nil
      return
    }
    var whole = HistoryQuery(
      change: ChangeCondition(objects: [object]), keepsOnlyMatchingChanges: true)
    whole.recordedValues = query.recordedValues
    whole.omitsRecordedValues = query.omitsRecordedValues
    reader = try TimelineReader(timeline, query: whole, schema: schema)
  }

  /// The error to be told of where the whole life was read and nothing was found.
  package func unknownObject() throws -> HistoryError {
    let oldest = reader == nil ? nil : try timeline.oldestTransaction()?.number
    return .unknownObject(
      object: life.object.description,
      other: other.map { "\($0.entityName ?? "?")/p\($0.primaryKey)" },
      highestPrimaryKey: timeline.snapshot?.entities.highestPrimaryKey(of: entityNumber),
      oldest: oldest.flatMap { $0 > 1 ? $0 : nil })
  }

  /// What stands next in the life of the object.
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

  /// Goes to the object's next change in the current transaction; `nil` after the last one.
  package func nextChange() throws -> HistoryChange? {
    if let change = pending {
      pending = nil
      return change
    }
    guard let current else { return nil }
    while let change = try reader?.nextChange() {
      life.add(change, in: current)
      if isGiven(change, in: current) { return change }
    }
    return nil
  }

  private func isGiven(_ change: HistoryChange, in transaction: HistoryTransaction) -> Bool {
    var whole = query
    whole.change = ChangeCondition()
    let condition = ChangeCondition(
      kinds: query.change.kinds, attributes: query.change.attributes)
    return whole.matches(transaction) && condition.matches(change)
  }
}
