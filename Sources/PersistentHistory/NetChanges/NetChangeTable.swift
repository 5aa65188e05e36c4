import StoreFormat

/// The net effects of changes on many objects, in 24 bytes for each object and its cell.
///
/// `Number` holds primary keys, transaction and change numbers: 32 bits suffice for every store
/// that an app can have written, and 64 for any other.
struct NetChangeTable<Number: FixedWidthInteger & Sendable> {
  /// One object.
  private struct Entry {
    let primaryKey: Number
    let firstTransaction: Number
    var lastTransaction: Number
    /// The first delete if ``wasDeleted``, or else the number of the mask of touched columns in the
    /// pool. An object never needs both.
    var detail: Number
    var changeCount: UInt32 = 1
    var entity: UInt16
    var effect: NetEffect
    private var facts: UInt8 = 0

    var lacksColumns: Bool {
      get { facts & 1 != 0 }
      set { facts = newValue ? facts | 1 : facts & ~1 }
    }
    var wasDeleted: Bool {
      get { facts & 2 != 0 }
      set { facts = newValue ? facts | 2 : facts & ~2 }
    }
    var hasTombstone: Bool {
      get { facts & 4 != 0 }
      set { facts = newValue ? facts | 4 : facts & ~4 }
    }

    init(_ row: NetChangeRow, entity: Int, primaryKey: Number, transaction: Number) {
      self.primaryKey = primaryKey
      self.entity = UInt16(truncatingIfNeeded: entity)
      firstTransaction = transaction
      lastTransaction = transaction
      detail = Number(MaskPool.none)
      effect = NetEffect(row.kind)
    }
  }

  /// A place in the order of objects, for sorting.
  private struct Place {
    let primaryKey: Number
    let index: UInt32
  }

  /// The maximum number of bytes of masks and entities for each object of the capacity. Most
  /// objects share theirs; otherwise the table holds fewer objects.
  private static var commonBytesPerObject: Int { 12 }
  private static var bytesPerEntity: Int { 64 }
  /// Entries count their entities in 16 bits.
  private static var maxEntities: Int { 1 << 16 }
  private static var free: UInt32 { .max }
  /// The number of bits of a cell that are the index of an entry. The others are a part of its
  /// hash, so that entries of other objects are rarely compared.
  private static var indexBits: UInt32 { 22 }

  private let capacity: Int
  private var entries: [Entry] = []
  /// Open addressing: entries by the hash of entity and primary key.
  private var cells: [UInt32]
  private var masks = MaskPool()
  private var entityNumbers: [Int64] = []
  private var entityPlaces: [Int64: Int] = [:]
  private var lastEntity: (number: Int64, place: Int)?

  init(capacity: Int, expectedCount: Int) {
    self.capacity = min(max(capacity, 2), 1 << 21)
    var cellCount = 1 << 10
    while min(expectedCount, self.capacity) > cellCount / 4 * 3 { cellCount *= 2 }
    cells = Array(repeating: Self.free, count: cellCount)
    // Reserved memory is not used until it is written; growing would need twice as much.
    entries.reserveCapacity(self.capacity)
  }

  /// Whether ``shrink()`` must be called before the next change.
  var isFull: Bool {
    entries.count >= capacity || entityNumbers.count >= Self.maxEntities
      || entries.count > 1
        && masks.byteCount + entityNumbers.count * Self.bytesPerEntity
          > max(capacity * Self.commonBytesPerObject, 1 << 16)
  }

  /// Whether ``shrink()`` would leave an object.
  var canShrink: Bool { entries.count > 1 }

  /// Folds a change and returns the effect on its object so far; `nil` if one of its numbers does
  /// not fit.
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
      entries[index].effect = entries[index].effect.followed(by: NetEffect(row.kind))
    }
    switch row.kind {
    case .insert: break
    case .update:
      if !entries[index].effect.changesIdentity {
        touch(TouchedColumns(updateWith: row.mask), at: index)
      }
    case .delete:
      guard !entries[index].wasDeleted else { break }
      entries[index].detail = change
      entries[index].wasDeleted = true
      entries[index].hasTombstone = row.hasTombstone
    }
    return entries[index].effect
  }

  /// Returns the columns that the updates of an object have touched so far.
  func columns(of object: NetChangeRow.Object) -> TouchedColumns {
    guard let primaryKey = Number(exactly: object.primaryKey),
      let entity = entityPlaces[object.entityNumber]
    else { return .none }
    let cell = cell(hash(entity: entity, primaryKey: primaryKey)) {
      $0.primaryKey == primaryKey && $0.entity == entity
    }
    return cells[cell] == Self.free ? .none : columns(of: entries[index(inCell: cells[cell])])
  }

  /// The columns that the updates of an object touched.
  private func columns(of entry: Entry) -> TouchedColumns {
    if entry.effect.changesIdentity { return .none }
    return TouchedColumns(mask: masks[UInt32(entry.detail)], isComplete: !entry.lacksColumns)
  }

  private mutating func touch(_ columns: TouchedColumns, at index: Int) {
    let known = self.columns(of: entries[index])
    guard known != columns else { return }
    let merged = known.merged(with: columns)
    if let mask = merged.mask { entries[index].detail = Number(masks.number(of: mask)) }
    if !merged.isComplete { entries[index].lacksColumns = true }
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
    // The key of the hash changes with each run, so that no store can have all its objects in one
    // cell.
    var hasher = Hasher()
    hasher.combine(entity)
    hasher.combine(primaryKey)
    return hasher.finalize()
  }

  /// Returns the content of an entry's cell.
  private func content(_ index: Int, _ hash: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: index) | UInt32(truncatingIfNeeded: hash >> 32) << Self.indexBits
  }

  private func index(inCell content: UInt32) -> Int {
    Int(content & (1 << Self.indexBits - 1))
  }

  /// Returns the cell of an object, or the free one where it belongs.
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
      let hash = hash(entity: Int(entry.entity), primaryKey: entry.primaryKey)
      // Each object has one entry.
      cells[cell(hash) { _ in false }] = content(index, hash)
    }
  }

  // MARK: - Shrinking

  /// Removes three eighths of the objects, those that come last in the order of objects.
  ///
  /// - Returns: The last object that was kept. Further changes of objects after it must not be
  ///   folded.
  mutating func shrink() -> NetChangeRow.Object {
    let cellCount = cells.count
    cells = []
    let order = order()
    let last = order[max(order.count / 8 * 5, 1) - 1]
    let ceiling = object(of: entries[Int(last)])
    let (numbers, pool) = (entityNumbers, masks)
    entries.removeAll { entry in
      ceiling < Self.object(entityNumber: numbers[Int(entry.entity)], entry)
    }
    // Entities and masks that only the others had are removed too.
    (entityNumbers, entityPlaces, lastEntity, masks) = ([], [:], nil, MaskPool())
    for index in entries.indices {
      entries[index].entity = UInt16(
        truncatingIfNeeded: place(of: numbers[Int(entries[index].entity)]))
      if !entries[index].effect.changesIdentity,
        let mask = pool[UInt32(entries[index].detail)]
      {
        entries[index].detail = Number(masks.number(of: mask))
      }
    }
    makeCells(cellCount)
    return ceiling
  }

  private func object(of entry: Entry) -> NetChangeRow.Object {
    Self.object(entityNumber: entityNumbers[Int(entry.entity)], entry)
  }

  private static func object(entityNumber: Int64, _ entry: Entry) -> NetChangeRow.Object {
    NetChangeRow.Object(entityNumber: entityNumber, primaryKey: Int64(entry.primaryKey))
  }

  /// The indices of the entries by entity number and primary key.
  private func order() -> [UInt32] {
    let entitiesInOrder = entityNumbers.indices.sorted { entityNumbers[$0] < entityNumbers[$1] }
    var counts = Array(repeating: 0, count: entityNumbers.count)
    for entry in entries { counts[Int(entry.entity)] += 1 }
    var starts = counts
    var start = 0
    for entity in entitiesInOrder {
      starts[entity] = start
      start += counts[entity]
    }
    var places = Array(repeating: Place(primaryKey: 0, index: 0), count: entries.count)
    var next = starts
    for (index, entry) in entries.enumerated() {
      places[next[Int(entry.entity)]] = Place(
        primaryKey: entry.primaryKey, index: UInt32(truncatingIfNeeded: index))
      next[Int(entry.entity)] += 1
    }
    places.withUnsafeMutableBufferPointer { places in
      for entity in entitiesInOrder {
        var part = UnsafeMutableBufferPointer(rebasing: places[starts[entity]..<next[entity]])
        part.sort { $0.primaryKey < $1.primaryKey }
      }
    }
    return places.map(\.index)
  }

  // MARK: - Results

  /// Ends folding and returns the objects in their order.
  mutating func finish() -> [UInt32] {
    cells = []
    return order()
  }

  /// Returns the net effect on one of the objects.
  ///
  /// - Parameter entity: Returns the entity with a number.
  func change(at index: UInt32, entity: (Int64) -> HistoryEntity) -> FoldedChange {
    let entry = entries[Int(index)]
    let object = object(of: entry)
    let change = NetChange(
      entity: entity(object.entityNumber), primaryKey: object.primaryKey, effect: entry.effect,
      columns: columns(of: entry),
      deletion: entry.wasDeleted
        ? NetChange.Deletion(change: Int64(entry.detail), tombstone: []) : nil,
      firstTransaction: Int64(entry.firstTransaction),
      lastTransaction: Int64(entry.lastTransaction), changeCount: Int(entry.changeCount))
    return (object, change, entry.hasTombstone)
  }
}

/// The net effect on an object, without what its deletion preserved, and whether it preserved something.
typealias FoldedChange = (object: NetChangeRow.Object, change: NetChange, hasTombstone: Bool)

/// A change to be folded, of a known object and kind.
struct NetChangeRow {
  /// An object by numbers of a store, in the order of results.
  struct Object: Hashable, Comparable {
    let entityNumber: Int64
    let primaryKey: Int64

    static func < (left: Object, right: Object) -> Bool {
      left.entityNumber == right.entityNumber
        ? left.primaryKey < right.primaryKey : left.entityNumber < right.entityNumber
    }
  }

  let object: Object
  let kind: ChangeKind
  let transaction: Int64
  let change: Int64
  let mask: ColumnMask?
  let hasTombstone: Bool
}
