import StoreFormat

/// Finds the last known values of deleted objects.
///
/// The row in the state of the store before the deletion, which its log may hold, has all of them. Without it, each
/// value is the last one that a change is known to have set: from the log, the file of recorded values or an
/// archive, or else one that the deletion preserved. A change that set an attribute to an unknown value makes it
/// unknown.
package final class LostObjectReader {
  private let timeline: HistoryTimeline
  private let snapshot: StoreSnapshot
  private let schema: HistorySchema
  private let objects: ObjectSchema
  private let largeValues: LargeValueFolder
  private let log: LogValues?
  /// A query for old and new values.
  private let query: HistoryQuery

  /// - Parameters:
  ///   - timeline: The history.
  ///   - snapshot: Its store, which must have a model.
  ///   - schema: The names of the history.
  ///   - values: How to read old and new values.
  package init(
    _ timeline: HistoryTimeline, _ snapshot: StoreSnapshot, schema: HistorySchema,
    values: HistoryQuery
  ) throws {
    self.timeline = timeline
    self.snapshot = snapshot
    self.schema = schema
    objects = try snapshot.objectSchema()
    largeValues = LargeValueFolder(snapshot.location)
    log = values.omitsRecordedValues ? nil : try LogValues(snapshot)
    query = values
  }

  /// Returns an object before its last deletion; `nil` if it is in the store.
  ///
  /// - Throws: ``HistoryError/unknownObject(object:other:highestPrimaryKey:oldest:)``, and errors of reading.
  package func object(_ object: HistoryObject) throws -> LostObject? {
    let reader = try ObjectLifeReader(object, in: timeline, schema: schema, query: query)
    let trail = try ValueTrail(reader, through: nil)
    if reader.life.state == .unknown { throw try reader.unknownObject() }
    guard reader.life.present == nil else { return nil }
    var row: LogRow?
    if let last = trail.deletion, let deletion = Deletion(last.change, last.event) {
      row = try self.row(deletion)
    }
    return lost(reader.life.object, trail, row, trail.deletion?.event)
  }

  /// Calls a closure with each object that a transaction deleted, in recorded order.
  package func objects(
    deletedIn number: Int64, _ body: (LostObject) throws -> Void
  ) throws {
    let rest = try deletions(in: number) { try body(lost($0)) }
    for deletion in rest { try body(lost(deletion)) }
  }

  /// A deletion without the values that it preserved. They may be large and are read again with the life of the object,
  /// so they are not kept meanwhile.
  private struct Deletion {
    let object: HistoryObject
    let number: Int64
    let entityNumber: Int64?
    let event: ObjectLife.Event

    init?(_ change: HistoryChange, _ event: ObjectLife.Event) {
      guard let object = change.object else { return nil }
      self.object = object
      number = change.number
      entityNumber = change.entity?.number
      self.event = event
    }
  }

  /// The maximum number of deletions that are kept.
  private static let maxDeletions = 1024

  /// Reads the deletions of a transaction.
  ///
  /// - Parameter body: Called with the first deletions if there are many.
  /// - Returns: The others, in recorded order. Nothing else is kept of the history.
  private func deletions(
    in number: Int64, _ body: (Deletion) throws -> Void
  ) throws -> [Deletion] {
    var deletions = query
    deletions.after = number == .min ? nil : number - 1
    deletions.until = number
    deletions.change.kinds = [.delete]
    deletions.keepsOnlyMatchingChanges = true
    let reader = try TimelineReader(timeline, query: deletions, schema: schema)
    var found: [Deletion] = []
    while let element = try reader.nextElement() {
      guard case .transaction(let transaction) = element else { continue }
      let event = ObjectLife.Event(transaction)
      while let deletion = try reader.nextChange().map({ Deletion($0, event) }) {
        guard let deletion else { continue }
        found.append(deletion)
        guard found.count == Self.maxDeletions else { continue }
        for deletion in found { try body(deletion) }
        found = []
      }
    }
    return found
  }

  private func lost(_ deletion: Deletion) throws -> LostObject {
    let (object, event) = (deletion.object, deletion.event)
    if let row = try row(deletion) { return lost(object, ValueTrail(), row, event) }
    let life = try ObjectLifeReader(object, in: timeline, schema: schema, query: query)
    return lost(object, try ValueTrail(life, through: deletion.number), nil, event)
  }

  /// Returns the row that a deletion removed; `nil` if the log does not have it.
  private func row(_ deletion: Deletion) throws -> LogRow? {
    guard let log, let number = deletion.entityNumber else { return nil }
    let event = deletion.event
    log.start(TransactionPosition(number: event.transaction, timestamp: event.timestamp))
    return try log.row(
      before: deletion.number, entityNumber: number, primaryKey: deletion.object.primaryKey)
  }

  private func lost(
    _ object: HistoryObject, _ trail: ValueTrail, _ row: LogRow?, _ deletion: ObjectLife.Event?
  ) -> LostObject {
    let schema = objects
    var known: [LostObject.Property] = []
    if schema.tables.table(of: object.entityName) != nil,
      let plan = schema.columns(of: object.entityName)
    {
      known = plan.values.map { property in
        LostObject.Property(
          name: property.path,
          knowledge: row.map { knowledge(of: property, in: $0) }
            ?? trail.knowledge(of: property.path))
      }
    } else {
      known = trail.names.map { .init(name: $0, knowledge: trail.knowledge(of: $0)) }
    }
    for relationship in schema.relationships(of: object.entityName) where relationship.isToMany {
      let members = row?.members[relationship.name]
      known.append(
        LostObject.Property(
          name: relationship.name,
          knowledge: members.map { .known(.objects($0), .log) }
            ?? .unknown(
              reason: row == nil
                ? "only the write-ahead log could have it"
                : "the write-ahead log does not have all of it")))
    }
    return LostObject(
      object: object, entityNumber: schema.numbering.number(of: object.entityName),
      deletion: deletion, row: row, properties: known)
  }

  private func knowledge(
    of property: StoredProperty, in row: LogRow
  ) -> LostObject.Knowledge {
    let values = property.columns.compactMap { row.value($0.name) }
    guard let first = values.first, values.count == property.columns.count else {
      return .unknown(reason: "the table has no column for it")
    }
    let number = values.count > 1 ? values[1] : nil
    guard
      let value = property.content(first, number, objects.numbering)
        .map({ LostObject.Value($0, property.kind) })
    else { return .unknown(reason: "its column neither holds a value nor names a file") }
    if case .file(let name) = value, !largeValues.exists(name) {
      return .unknown(reason: "its file \(name.text) is gone")
    }
    return .known(value, .log)
  }
}

/// The last known values of an object, as its changes set them one after the other.
private struct ValueTrail {
  private typealias Known = (value: LostObject.Value, source: LostObject.Source)

  private var current: [String: Known] = [:]
  /// The values before the last deletion.
  private var known: [String: Known] = [:]
  /// The last deletion.
  private(set) var deletion: (change: HistoryChange, event: ObjectLife.Event)?

  init() {}

  /// Reads the life of an object up to a deletion; up to its end without one.
  init(_ reader: ObjectLifeReader, through last: Int64?) throws {
    while let element = try reader.nextElement() {
      guard case .transaction(let transaction) = element else {
        // Any attribute may have been set in the missing transactions.
        current = [:]
        continue
      }
      while let change = try reader.nextChange() {
        take(change, ObjectLife.Event(transaction), reader.valuePlace.map(LostObject.Source.init))
        if change.number == last { return }
      }
    }
    if deletion == nil { known = current }
  }

  var names: [String] { known.keys.sorted() }

  func knowledge(of name: String) -> LostObject.Knowledge {
    known[name].map { .known($0.value, $0.source) } ?? .unknown(reason: LostObject.nowhere)
  }

  private mutating func take(
    _ change: HistoryChange, _ event: ObjectLife.Event, _ source: LostObject.Source?
  ) {
    switch change.kind {
    case .insert:
      current = [:]
      deletion = nil
      set(change.values, \.new, source)
    case .update:
      // Without names, any attribute may have been set.
      let names = change.attributes.map(Set.init)
      current = current.filter {
        !(names?.contains(RecordedValue.property(of: $0.key)) ?? true)
      }
      set(change.values, \.new, source)
    case .delete:
      for (attribute, value) in change.preservedValues ?? [] {
        current[attribute.name] = (
          .stored(value, RecordedValue.Kind(attribute.type)), .tombstone
        )
      }
      set(change.values, \.old, source)
      (known, current) = (current, [:])
      deletion = (change, event)
    case nil: current = [:]
    }
  }

  private mutating func set(
    _ values: [RecordedValue], _ side: KeyPath<RecordedValue, RecordedContent?>,
    _ source: LostObject.Source?
  ) {
    guard let source else { return }
    for value in values {
      guard let content = value[keyPath: side] else { continue }
      let known = LostObject.Value(content, value.kind)
      // What was preserved as a whole says more than a digest.
      if case .digest = known, current[value.name]?.source == .tombstone { continue }
      current[value.name] = (known, source)
    }
  }
}
