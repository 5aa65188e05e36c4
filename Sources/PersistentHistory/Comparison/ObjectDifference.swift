import StoreFormat

/// What differs of an object in two copies of a store.
package struct ObjectDifference: Hashable, Sendable {
  /// The values of a column that holds no property.
  package struct Column: Hashable, Sendable {
    package let name: String
    /// The value in the older copy; `nil` if it does not have the object.
    package let old: StoredValue?
    /// The value in the newer copy; `nil` if it does not have the object.
    package let new: StoredValue?
  }

  package let entity: HistoryEntity
  package let primaryKey: Int64
  /// An insert if only the newer copy has the object, a delete if only the older one has it, or an update.
  package let kind: NetChangeKind
  /// The properties that differ, or of an object that only one copy has, all of them.
  package let values: [RecordedValue]
  /// The other columns that differ, such as the version that each save counts.
  package let columns: [Column]
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
    (condition.kinds, condition.attributes, condition.objects) = ([], [], [])
    return condition.matches(Self.change(of: entity, nil))
  }

  private func matches(_ difference: ObjectDifference) -> Bool {
    var condition = query.change
    let kinds = condition.kinds
    let attributes = condition.attributes
    (condition.kinds, condition.attributes) = ([], [])
    guard condition.matches(Self.change(of: difference.entity, difference.primaryKey)),
      kinds.isEmpty || kinds.contains(where: { $0.name == difference.kind.name })
    else { return false }
    return attributes.isEmpty
      || difference.kind == .update
        && difference.values.contains { attributes.contains($0.property) }
  }

  private static func change(of entity: HistoryEntity, _ primaryKey: Int64?) -> HistoryChange {
    HistoryChange(
      number: 0, kind: nil, entity: entity, primaryKey: primaryKey, mask: nil, tombstone: [],
      extra: [])
  }

  /// Returns a difference with what the histories say of it.
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

  /// One copy.
  fileprivate final class Side {
    let snapshot: StoreSnapshot
    let columns: PropertyColumns
    let schema: HistorySchema
    private let largeValues: LargeValueFolder

    init(_ snapshot: StoreSnapshot) throws {
      self.snapshot = snapshot
      columns = PropertyColumns(try snapshot.objectSchema())
      schema = try HistorySchema(snapshot)
      largeValues = LargeValueFolder(snapshot.location)
    }

    /// Returns the value of a property in a row; `nil` if it is in a file that cannot be read.
    func content(_ column: PropertyColumns.Column, _ values: [StoredValue]) -> RecordedContent? {
      columns.content(column, values) { largeValues.bytes(of: $0) }
    }
  }
}

/// The objects of one entity in both copies.
private final class EntityPair {
  /// A row that differs.
  struct Found {
    let primaryKey: Int64
    let kind: NetChangeKind
    var values: [RecordedValue] = []
    var columns: [ObjectDifference.Column] = []

    /// Adds a column of an object that only one copy has.
    mutating func add(_ name: String, _ value: StoredValue?) {
      columns.append(
        .init(name: name, old: kind == .delete ? value : nil, new: kind == .delete ? nil : value))
    }
  }

  private typealias Side = ObjectComparison.Side

  let entity: HistoryEntity
  /// The properties that only one copy has.
  private(set) var skipped: [String] = []

  private let sides: (old: Side, new: Side)
  private let rows: (old: ObjectRows?, new: ObjectRows?)
  /// The properties that both have, by path.
  private var properties: [(old: PropertyColumns.Column?, new: PropertyColumns.Column?)] = []
  private var columns: [String] = []
  private var hasOld: Bool
  private var hasNew: Bool

  init(_ entity: HistoryEntity, _ old: ObjectComparison.Side, _ new: ObjectComparison.Side) throws {
    self.entity = entity
    sides = (old, new)
    let name = entity.name ?? ""
    rows = (
      try ObjectRows(old.snapshot, of: name, old.columns),
      try ObjectRows(new.snapshot, of: name, new.columns)
    )
    hasOld = try rows.old?.next() ?? false
    hasNew = try rows.new?.next() ?? false
    guard let left = rows.old, let right = rows.new else {
      properties =
        (rows.old?.properties ?? []).map { ($0, nil) }
        + (rows.new?.properties ?? []).map { (nil, $0) }
      columns = rows.old?.otherColumns ?? rows.new?.otherColumns ?? []
      return
    }
    let others = Dictionary(
      right.properties.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    properties = left.properties.compactMap { column in others[column.path].map { (column, $0) } }
    let common = Set(properties.compactMap { $0.old?.path })
    skipped = (left.properties + right.properties).map(\.path).filter { !common.contains($0) }
    columns = left.otherColumns.filter(Set(right.otherColumns).contains)
  }

  func next() throws -> Found? {
    while hasOld || hasNew {
      let left = hasOld ? rows.old?.primaryKey : nil
      let right = hasNew ? rows.new?.primaryKey : nil
      var found: Found?
      if let left, let right, left == right {
        found = update(left)
      } else if let left, right.map({ left < $0 }) ?? true {
        found = only(left, .delete)
      } else if let right {
        found = only(right, .insert)
      }
      if let left, right.map({ left <= $0 }) ?? true { hasOld = try rows.old?.next() ?? false }
      if let right, left.map({ right <= $0 }) ?? true { hasNew = try rows.new?.next() ?? false }
      if let found { return found }
    }
    return nil
  }

  private func values(_ column: PropertyColumns.Column?, _ rows: ObjectRows?) -> [StoredValue]? {
    column.flatMap { column in rows.map { rows in column.names.map(rows.value) } }
  }

  /// Compares the rows of one object.
  private func update(_ primaryKey: Int64) -> Found? {
    var found = Found(primaryKey: primaryKey, kind: .update)
    for (old, new) in properties {
      guard let old, let new, let before = values(old, rows.old), let after = values(new, rows.new),
        before != after
      else { continue }
      let contents = (sides.old.content(old, before), sides.new.content(new, after))
      // The same bytes may be in a file of another name.
      if contents.0 != contents.1 {
        found.values.append(
          RecordedValue(
            name: new.path, kind: old.kind == new.kind ? new.kind : .other, old: contents.0,
            new: contents.1))
      } else {
        for (name, (before, after)) in zip(new.names, zip(before, after)) where before != after {
          found.columns.append(.init(name: name, old: before, new: after))
        }
      }
    }
    for name in columns {
      guard let before = rows.old?.value(name), let after = rows.new?.value(name), before != after
      else { continue }
      found.columns.append(.init(name: name, old: before, new: after))
    }
    return found.values.isEmpty && found.columns.isEmpty ? nil : found
  }

  /// Describes an object that only one copy has.
  private func only(_ primaryKey: Int64, _ kind: NetChangeKind) -> Found {
    var found = Found(primaryKey: primaryKey, kind: kind)
    let (side, rows) = kind == .delete ? (sides.old, rows.old) : (sides.new, rows.new)
    for pair in properties {
      guard let column = kind == .delete ? pair.old : pair.new, let values = values(column, rows)
      else { continue }
      guard let content = side.content(column, values) else {
        for (name, value) in zip(column.names, values) { found.add(name, value) }
        continue
      }
      found.values.append(
        RecordedValue(
          name: column.path, kind: column.kind, old: kind == .delete ? content : nil,
          new: kind == .delete ? nil : content))
    }
    for name in columns { found.add(name, rows?.value(name)) }
    return found
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
