import StoreFormat

/// The objects of one entity in both copies.
final class EntityPair {
  /// A row that differs.
  struct Found {
    let primaryKey: Int64
    let kind: NetChangeKind
    var values: [RecordedValue] = []
    var columns: [RecordedValue] = []

    /// Adds a column of an object that only one copy has.
    mutating func add(_ name: String, _ value: StoredValue?) {
      add(name, old: kind == .delete ? value : nil, new: kind == .delete ? nil : value)
    }

    mutating func add(_ name: String, old: StoredValue?, new: StoredValue?) {
      columns.append(
        RecordedValue(
          name: name, kind: .other, old: old.map(RecordedContent.init),
          new: new.map(RecordedContent.init)))
    }
  }

  private typealias Side = ObjectComparison.Side

  let entity: HistoryEntity
  /// The properties that only one copy has.
  private(set) var skipped: [String] = []

  private let sides: (old: Side, new: Side)
  private let rows: (old: ObjectRows?, new: ObjectRows?)
  /// The properties that both have, by path.
  private var properties: [(old: EntityTables.Column?, new: EntityTables.Column?)] = []
  private var columns: [String] = []
  private var hasOld: Bool
  private var hasNew: Bool

  init(_ entity: HistoryEntity, _ old: ObjectComparison.Side, _ new: ObjectComparison.Side) throws {
    self.entity = entity
    sides = (old, new)
    let name = entity.name ?? ""
    rows = (
      try ObjectRows(old.snapshot, of: name, old.objects),
      try ObjectRows(new.snapshot, of: name, new.objects)
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
    let others = Dictionary(keepingFirst: right.properties.map { ($0.path, $0) })
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

  private func values(_ column: EntityTables.Column?, _ rows: ObjectRows?) -> [StoredValue]? {
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
          found.add(name, old: before, new: after)
        }
      }
    }
    for name in columns {
      guard let before = rows.old?.value(name), let after = rows.new?.value(name), before != after
      else { continue }
      found.add(name, old: before, new: after)
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
