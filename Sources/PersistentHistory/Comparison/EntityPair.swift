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
      let content = value.map(RecordedContent.init)
      add(name, old: kind == .delete ? content : nil, new: kind == .delete ? nil : content)
    }

    mutating func add(_ name: String, old: RecordedContent?, new: RecordedContent?) {
      columns.append(RecordedValue(name: name, kind: .other, old: old, new: new))
    }
  }

  private typealias Side = ObjectComparison.Side

  let entity: HistoryEntity
  /// The properties that only one copy has.
  private(set) var skipped: [String] = []

  private let sides: (old: Side, new: Side)
  private let rows: (old: ObjectRows?, new: ObjectRows?)
  /// The places of the properties that both have, by path.
  private var properties: [(old: Int?, new: Int?)] = []
  /// The other columns that both have, and their places.
  private var columns: [(name: String, old: Int?, new: Int?)] = []
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
        (rows.old?.properties ?? []).indices.map { ($0, nil) }
        + (rows.new?.properties ?? []).indices.map { (nil, $0) }
      let names = rows.old?.otherColumns ?? rows.new?.otherColumns ?? []
      columns = names.enumerated().map { ($1, $0, $0) }
      return
    }
    let places = Dictionary(keepingFirst: right.properties.enumerated().map { ($1.path, $0) })
    properties = left.properties.enumerated().compactMap { place, property in
      places[property.path].map { (place, $0) }
    }
    let common = Set(properties.compactMap { $0.old.map { left.properties[$0].path } })
    skipped = (left.properties + right.properties).map(\.path).filter { !common.contains($0) }
    let others = Dictionary(keepingFirst: right.otherColumns.enumerated().map { ($1, $0) })
    columns = left.otherColumns.enumerated().compactMap { place, name in
      others[name].map { (name, place, $0) }
    }
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

  /// Compares the rows of one object. Values may be large: of those that differ one is read at a time.
  private func update(_ primaryKey: Int64) -> Found? {
    var found = Found(primaryKey: primaryKey, kind: .update)
    guard let left = rows.old, let right = rows.new else { return nil }
    for case (let oldPlace?, let newPlace?) in properties
    where !left.hasSameValues(at: oldPlace, as: newPlace, of: right) {
      let (old, new) = (left.properties[oldPlace], right.properties[newPlace])
      let content = sides.old.recorded(left.content(at: oldPlace))
      let newContent = sides.new.recorded(right.content(at: newPlace))
      // The same bytes may be in a file of another name.
      if content != newContent {
        found.values.append(
          RecordedValue(
            name: new.path, kind: old.kind == new.kind ? new.kind : .other, old: content,
            new: newContent))
      } else {
        let (before, after) = (left.values(at: oldPlace), right.values(at: newPlace))
        for (column, (before, after)) in zip(new.columns, zip(before, after)) where before != after
        {
          found.add(column.name, old: RecordedContent(before), new: RecordedContent(after))
        }
      }
    }
    for case (let name, let oldPlace?, let newPlace?) in columns
    where !left.hasSameOtherValue(at: oldPlace, as: newPlace, of: right) {
      let content = RecordedContent(left.otherValue(at: oldPlace))
      found.add(name, old: content, new: RecordedContent(right.otherValue(at: newPlace)))
    }
    return found.values.isEmpty && found.columns.isEmpty ? nil : found
  }

  /// Describes an object that only one copy has.
  private func only(_ primaryKey: Int64, _ kind: NetChangeKind) -> Found {
    var found = Found(primaryKey: primaryKey, kind: kind)
    let (side, rows) = kind == .delete ? (sides.old, rows.old) : (sides.new, rows.new)
    guard let rows else { return found }
    for pair in properties {
      guard let place = kind == .delete ? pair.old : pair.new else { continue }
      let property = rows.properties[place]
      guard let content = side.recorded(rows.content(at: place)) else {
        for (column, value) in zip(property.columns, rows.values(at: place)) {
          found.add(column.name, value)
        }
        continue
      }
      found.values.append(
        RecordedValue(
          name: property.path, kind: property.kind, old: kind == .delete ? content : nil,
          new: kind == .delete ? nil : content))
    }
    for column in columns {
      guard let place = kind == .delete ? column.old : column.new else { continue }
      found.add(column.name, rows.otherValue(at: place))
    }
    return found
  }
}
