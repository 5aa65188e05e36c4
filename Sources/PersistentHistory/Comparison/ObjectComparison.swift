import StoreFormat

/// The differences of an object between two copies of a store.
package struct ObjectDifference: Hashable, Sendable {
  package let entity: HistoryEntity
  package let primaryKey: Int64
  /// An insert if only the newer copy has the object, a delete if only the older one has it, or an update.
  package let kind: NetChangeKind
  /// The properties that differ, or of an object that only one copy has, all of them.
  package let values: [RecordedValue]
  /// The other columns that differ, such as the version that each save counts.
  package let columns: [RecordedValue]
  /// The properties and columns that no transaction after the last common one changed.
  package let unexplained: [String]
  /// The first and the last transaction that changed the object since; `nil` if none did.
  package let transactions: ClosedRange<Int64>?
}

/// Compares the objects in two copies of a store row by row, and says which differences their histories explain.
///
/// Objects are sorted by the number of their entity and then by their primary key. Memory does not grow with the
/// number of objects.
package final class ObjectComparison {
  /// The properties that only one copy has, as `Trip.name`; they are not compared.
  package private(set) var skippedProperties: [String] = []

  private let older: Side
  private let newer: Side
  private let query: HistoryQuery
  private let explanations: [Explanations]
  private let names: [String]
  private var pair: EntityPair?
  private var place = 0

  /// Prepares to compare.
  ///
  /// - Parameters:
  ///   - older: The copy with the old values.
  ///   - newer: The copy with the new values.
  ///   - common: The last transaction up to which their histories agree; `nil` if that is not known, and no
  ///     difference is called unexplained.
  ///   - query: Which entities, objects, kinds and attributes to compare.
  /// - Throws: ``HistoryError`` if the query names something that the newer copy does not have, and
  ///   ``/StoreFormat/StoreError``.
  package init(
    from older: StoreSnapshot, to newer: StoreSnapshot, common: Int64?, _ query: HistoryQuery
  ) throws {
    let schema = try HistorySchema(newer)
    self.older = try Side(older)
    self.newer = try Side(newer)
    var query = query
    _ = try query.change.selection(in: schema, of: newer)
    query.change = try query.change.namingRelatives(in: schema, of: newer)
    self.query = query
    let numberings = (older.entities.modelEntries, newer.entities.modelEntries)
    let isSame =
      numberings.0.map(\.name) == numberings.1.map(\.name)
      && numberings.0.map(\.number) == numberings.1.map(\.number)
    explanations =
      try common.map { common in
        try [newer, older].map { try Explanations($0, after: common, isInOrder: isSame) }
      } ?? []
    let known = Set(numberings.1.map(\.name))
    names = numberings.1.map(\.name) + numberings.0.map(\.name).filter { !known.contains($0) }
  }

  /// Returns the next object that differs; `nil` after the last one.
  ///
  /// - Throws: ``HistoryError``, ``/StoreFormat/StoreError``.
  package func next() throws -> ObjectDifference? {
    while true {
      if let pair {
        while let found = try pair.next() {
          if let difference = try difference(found, pair.entity), matches(difference) {
            return difference
          }
        }
        self.pair = nil
      }
      guard place < names.count else { return nil }
      let name = names[place]
      place += 1
      let entity = newer.schema.entity(named: name) ?? older.schema.entity(named: name)
      guard let entity, mayMatch(entity) else { continue }
      let pair = try EntityPair(entity, older, newer)
      skippedProperties += pair.skipped.map { "\(name).\($0)" }
      self.pair = pair
    }
  }

  private func mayMatch(_ entity: HistoryEntity) -> Bool {
    var condition = query.change
    condition.objects = []
    return condition.matches(entity, nil)
  }

  private func matches(_ difference: ObjectDifference) -> Bool {
    let condition = query.change
    guard condition.matches(difference.entity, difference.primaryKey),
      condition.kinds.isEmpty
        || condition.kinds.contains(where: { $0.name == difference.kind.name })
    else { return false }
    return condition.attributes.isEmpty
      || difference.kind == .update
        && difference.values.contains { condition.attributes.contains($0.property) }
  }

  /// Returns a difference with the transactions that changed the object, and what they leave unexplained.
  private func difference(
    _ found: EntityPair.Found, _ entity: HistoryEntity
  ) throws -> ObjectDifference? {
    let changes = try explanations.compactMap {
      try $0.change(of: entity.name ?? "", found.primaryKey)
    }
    let isWhole = changes.contains { $0.kind != .update || $0.attributes == nil }
    let touched = Set(changes.flatMap { $0.attributes ?? [] })
    var unexplained: [String] = []
    if !explanations.isEmpty, !isWhole {
      for property in found.values.map(\.property)
      where !touched.contains(property) && unexplained.last != property {
        unexplained.append(property)
      }
      // Each save of an object counts its version, and orders it in its relationships.
      if changes.isEmpty { unexplained += found.columns.map(\.name) }
    }
    let first = changes.map(\.firstTransaction).min()
    let last = changes.map(\.lastTransaction).max()
    return ObjectDifference(
      entity: entity, primaryKey: found.primaryKey, kind: found.kind, values: found.values,
      columns: found.columns, unexplained: unexplained,
      transactions: first.flatMap { first in last.map { first...$0 } })
  }

  /// One of the two copies.
  final class Side {
    let snapshot: StoreSnapshot
    let objects: ObjectSchema
    let schema: HistorySchema
    private let largeValues: LargeValueFolder

    init(_ snapshot: StoreSnapshot) throws {
      self.snapshot = snapshot
      objects = try snapshot.objectSchema()
      schema = try HistorySchema(snapshot)
      largeValues = LargeValueFolder(snapshot.location)
    }

    /// Returns a value as it is recorded; `nil` if it is in a file that cannot be read.
    func recorded(_ content: ColumnContent?) -> RecordedContent? {
      content?.recorded { largeValues.bytes(of: $0) }
    }
  }
}

/// The net changes of a copy since the last common transaction, found in the order of objects.
private final class Explanations {
  private let snapshot: StoreSnapshot
  private let schema: HistorySchema
  private let after: Int64
  /// Whether objects are asked for in the order of the copy's own entities.
  private let isInOrder: Bool
  private var reader: NetChangeReader?
  private var entityName: String?
  private var change: NetChange?

  init(_ snapshot: StoreSnapshot, after: Int64, isInOrder: Bool) throws {
    self.snapshot = snapshot
    self.after = after
    self.isInOrder = isInOrder
    schema = try HistorySchema(snapshot)
  }

  /// Returns the net change of an object; `nil` if it has none.
  func change(of entityName: String, _ primaryKey: Int64) throws -> NetChange? {
    guard let number = schema.entity(named: entityName)?.number else { return nil }
    if reader == nil || !isInOrder && entityName != self.entityName {
      var query = HistoryQuery(after: after)
      if !isInOrder { query.change.exactEntities = [entityName] }
      let reader = try NetChangeReader(
        snapshot: snapshot, query: query, schema: schema, readsTombstones: false)
      change = try reader.next()
      self.reader = reader
      self.entityName = entityName
    }
    while let found = change,
      (found.entity.number ?? .max, found.primaryKey) < (number, primaryKey)
    {
      change = try reader?.next()
    }
    guard let change, change.entity.number == number, change.primaryKey == primaryKey else {
      return nil
    }
    return change
  }
}
