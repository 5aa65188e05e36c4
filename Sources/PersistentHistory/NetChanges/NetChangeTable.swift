import StoreFormat

/// What the changes of many objects come to, in some thirty bytes for each object.
///
/// `Number` is what primary keys, transaction and change numbers are kept in: 32 bits hold those of
/// every store that an app can have written, and whoever meets another number starts again with 64.
struct NetChangeTable<Number: FixedWidthInteger & Sendable> {
  /// One object.
  private struct Entry {
    let primaryKey: Number
    let firstTransaction: Number
    var lastTransaction: Number
    /// The first delete, where ``NetChangeMarks/wasDeleted`` says that there was one; else the number
    /// of the mask of touched columns in the pool. Nobody wants both.
    var detail: Number
    var changeCount: UInt32
    /// The place of the entity in the list, and above it the marks.
    private var entityAndMarks: UInt32

    init(_ row: NetChangeRow, entity: Int, primaryKey: Number, transaction: Number) {
      self.primaryKey = primaryKey
      firstTransaction = transaction
      lastTransaction = transaction
      detail = Number(MaskPool.none)
      changeCount = 1
      entityAndMarks = UInt32(truncatingIfNeeded: entity)
      marks = NetChangeMarks(NetEffect(row.kind))
    }

    var entity: Int {
      get { Int(entityAndMarks & 0xff_ffff) }
      set {
        entityAndMarks =
          entityAndMarks & 0xff00_0000 | UInt32(truncatingIfNeeded: newValue) & 0xff_ffff
      }
    }
    var marks: NetChangeMarks {
      get { NetChangeMarks(rawValue: UInt8(entityAndMarks >> 24)) }
      set { entityAndMarks = entityAndMarks & 0xff_ffff | UInt32(newValue.rawValue) << 24 }
    }
  }

  /// A place in the order of objects, for sorting.
  private struct Place {
    let primaryKey: Number
    let index: UInt32
  }

  /// Bytes, for each object that the table is made for, of what objects have in common: masks and
  /// entities. Of a million objects most share theirs; where they do not, there is room for fewer.
  private static var commonBytesPerObject: Int { 12 }
  private static var bytesPerEntity: Int { 64 }
  private static var free: UInt32 { .max }
  /// How many bits of a cell are the index of an entry; the others are some of its hash, so that the
  /// entries of other objects are mostly not looked at.
  private static var indexBits: UInt32 { 22 }

  private let capacity: Int
  private var entries: [Entry] = []
  /// Open addressing: entries by the hash of entity and primary key.
  private var cells: [UInt32]
  private var masks = MaskPool()
  private var entityNumbers: [Int64] = []
  private var entityPlaces: [Int64: Int] = [:]
  private var lastEntity: (number: Int64, place: Int)?

  /// A table for at most so many objects, and perhaps as many as are expected.
  init(capacity: Int, expectedCount: Int) {
    self.capacity = min(max(capacity, 2), 1 << 21)
    var cellCount = 1 << 10
    while min(expectedCount, self.capacity) > cellCount / 4 * 3 { cellCount *= 2 }
    cells = Array(repeating: Self.free, count: cellCount)
    // Memory that is only reserved costs nothing; growing would need it twice.
    entries.reserveCapacity(self.capacity)
  }

  /// Whether ``shrink()`` must be called before the next change.
  var isFull: Bool {
    entries.count >= capacity
      || entries.count > 1
        && masks.byteCount + entityNumbers.count * Self.bytesPerEntity
          > max(capacity * Self.commonBytesPerObject, 1 << 16)
  }

  /// Whether ``shrink()`` would leave anything.
  var canShrink: Bool { entries.count > 1 }

  /// Folds a change and gives what its object's changes come to by now; nil where one of its numbers
  /// does not fit.
  mutating func fold(_ row: NetChangeRow) -> NetEffect? {
    guard let primaryKey = Number(exactly: row.object.primaryKey),
      let transaction = Number(exactly: row.transaction), let change = Number(exactly: row.change)
    else { return nil }
    let entity = place(of: row.object.entityNumber)
    let hash = hash(entity: entity, primaryKey: primaryKey)
    let cell = cell(hash) { $0.primaryKey == primaryKey && $0.entity == entity }
    let index: Int
    if cells[cell] == Self.free {
      index = entries.count
      cells[cell] = content(index, hash)
      entries.append(
        Entry(row, entity: entity, primaryKey: primaryKey, transaction: transaction))
      if entries.count * 4 > cells.count * 3 { makeCells(cells.count * 2) }
    } else {
      index = self.index(inCell: cells[cell])
      entries[index].lastTransaction = transaction
      entries[index].changeCount += entries[index].changeCount == .max ? 0 : 1
      let effect = entries[index].marks.effect.followed(by: NetEffect(row.kind))
      entries[index].marks.replace(effect)
    }
    switch row.kind {
    case .insert: break
    case .update:
      if !entries[index].marks.contains(.changesIdentity) {
        touch(TouchedColumns(updateWith: row.mask), at: index)
      }
    case .delete:
      guard !entries[index].marks.contains(.wasDeleted) else { break }
      entries[index].detail = change
      entries[index].marks.formUnion(row.hasTombstone ? [.wasDeleted, .hasTombstone] : .wasDeleted)
    }
    return entries[index].marks.effect
  }

  /// The columns that the updates of an object touched.
  private func columns(of entry: Entry) -> TouchedColumns {
    if entry.marks.contains(.changesIdentity) { return .none }
    return TouchedColumns(
      mask: masks[UInt32(entry.detail)], isComplete: !entry.marks.contains(.lacksColumns))
  }

  private mutating func touch(_ columns: TouchedColumns, at index: Int) {
    let known = self.columns(of: entries[index])
    guard known.mask == nil || known != columns else { return }
    let merged = known.merged(with: columns)
    if let mask = merged.mask { entries[index].detail = Number(masks.number(of: mask)) }
    if !merged.isComplete { entries[index].marks.insert(.lacksColumns) }
  }

  // MARK: - Finding objects

  private mutating func place(of entityNumber: Int64) -> Int {
    if let lastEntity, lastEntity.number == entityNumber { return lastEntity.place }
    let place: Int
    if let known = entityPlaces[entityNumber] {
      place = known
    } else {
      place = entityNumbers.count
      entityNumbers.append(entityNumber)
      entityPlaces[entityNumber] = place
    }
    lastEntity = (entityNumber, place)
    return place
  }

  private func hash(entity: Int, primaryKey: Number) -> Int {
    // Keyed anew in every run, so that no store can be made whose objects all fall on one cell.
    var hasher = Hasher()
    hasher.combine(entity)
    hasher.combine(primaryKey)
    return hasher.finalize()
  }

  /// What stands in the cell of an entry.
  private func content(_ index: Int, _ hash: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: index) | UInt32(truncatingIfNeeded: hash >> 32) << Self.indexBits
  }

  private func index(inCell content: UInt32) -> Int {
    Int(content & (1 << Self.indexBits - 1))
  }

  /// The cell of an object, or the free one where it belongs.
  @inline(__always)
  private func cell(_ hash: Int, isObject: (Entry) -> Bool) -> Int {
    let last = cells.count - 1
    let mark = content(0, hash)
    var cell = hash & last
    while cells[cell] != Self.free {
      if cells[cell] >> Self.indexBits == mark >> Self.indexBits,
        isObject(entries[index(inCell: cells[cell])])
      {
        return cell
      }
      cell = (cell + 1) & last
    }
    return cell
  }

  private mutating func makeCells(_ count: Int) {
    cells = []
    cells = Array(repeating: Self.free, count: count)
    for (index, entry) in entries.enumerated() {
      let hash = hash(entity: entry.entity, primaryKey: entry.primaryKey)
      // No object is there twice.
      cells[cell(hash) { _ in false }] = content(index, hash)
    }
  }

  // MARK: - Making room

  /// Lets go of three eighths of the objects, those that come last in the order of objects.
  ///
  /// - Returns: The last object that was kept. The table knows nothing of those behind it any more,
  ///   so their further changes must not be folded.
  mutating func shrink() -> NetChangeRow.Object {
    let cellCount = cells.count
    cells = []
    let order = order()
    let last = order[max(order.count / 8 * 5, 1) - 1]
    let ceiling = object(of: entries[Int(last)])
    let (numbers, pool) = (entityNumbers, masks)
    entries.removeAll { entry in
      ceiling < Self.object(entityNumber: numbers[entry.entity], entry)
    }
    // What only the others had goes with them.
    (entityNumbers, entityPlaces, lastEntity, masks) = ([], [:], nil, MaskPool())
    for index in entries.indices {
      entries[index].entity = place(of: numbers[entries[index].entity])
      if !entries[index].marks.contains(.changesIdentity),
        let mask = pool[UInt32(entries[index].detail)]
      {
        entries[index].detail = Number(masks.number(of: mask))
      }
    }
    makeCells(cellCount)
    return ceiling
  }

  private func object(of entry: Entry) -> NetChangeRow.Object {
    Self.object(entityNumber: entityNumbers[entry.entity], entry)
  }

  private static func object(entityNumber: Int64, _ entry: Entry) -> NetChangeRow.Object {
    NetChangeRow.Object(entityNumber: entityNumber, primaryKey: Int64(entry.primaryKey))
  }

  /// The indices of the entries by entity number and primary key.
  private func order() -> [UInt32] {
    let entitiesInOrder = entityNumbers.indices.sorted { entityNumbers[$0] < entityNumbers[$1] }
    var counts = Array(repeating: 0, count: entityNumbers.count)
    for entry in entries { counts[entry.entity] += 1 }
    var starts = counts
    var start = 0
    for entity in entitiesInOrder {
      starts[entity] = start
      start += counts[entity]
    }
    var places = Array(repeating: Place(primaryKey: 0, index: 0), count: entries.count)
    var next = starts
    for (index, entry) in entries.enumerated() {
      places[next[entry.entity]] = Place(
        primaryKey: entry.primaryKey, index: UInt32(truncatingIfNeeded: index))
      next[entry.entity] += 1
    }
    places.withUnsafeMutableBufferPointer { places in
      for entity in entitiesInOrder {
        var part = UnsafeMutableBufferPointer(rebasing: places[starts[entity]..<next[entity]])
        part.sort { $0.primaryKey < $1.primaryKey }
      }
    }
    return places.map(\.index)
  }

  // MARK: - What they come to

  /// Ends folding and gives the objects in their order.
  mutating func finish() -> [UInt32] {
    cells = []
    return order()
  }

  /// One of the objects.
  func outline(at index: UInt32) -> NetChangeOutline {
    let entry = entries[Int(index)]
    return NetChangeOutline(
      object: object(of: entry), effect: entry.marks.effect, columns: columns(of: entry),
      deletion: entry.marks.contains(.wasDeleted) ? Int64(entry.detail) : nil,
      hasTombstone: entry.marks.contains(.hasTombstone),
      firstTransaction: Int64(entry.firstTransaction),
      lastTransaction: Int64(entry.lastTransaction), changeCount: Int(entry.changeCount))
  }
}

/// What else is known of an object, a bit each.
private struct NetChangeMarks: OptionSet {
  let rawValue: UInt8
  static let existedBefore = NetChangeMarks(rawValue: 1)
  static let existsAfter = NetChangeMarks(rawValue: 2)
  static let changesIdentity = NetChangeMarks(rawValue: 4)
  static let lacksColumns = NetChangeMarks(rawValue: 8)
  static let wasDeleted = NetChangeMarks(rawValue: 16)
  static let hasTombstone = NetChangeMarks(rawValue: 32)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ effect: NetEffect) {
    self = []
    if effect.existedBefore { insert(.existedBefore) }
    if effect.existsAfter { insert(.existsAfter) }
    if effect.changesIdentity { insert(.changesIdentity) }
  }

  var effect: NetEffect {
    NetEffect(
      existedBefore: contains(.existedBefore), existsAfter: contains(.existsAfter),
      changesIdentity: contains(.changesIdentity))
  }

  /// Puts another effect in the place of this one and keeps the other marks.
  mutating func replace(_ effect: NetEffect) {
    subtract([.existedBefore, .existsAfter, .changesIdentity])
    formUnion(NetChangeMarks(effect))
  }
}
