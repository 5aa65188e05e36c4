import PersistentHistory
import StoreFormat

/// What changes come to, worked out in the plainest way: every change of an object is kept, and an
/// object that is there has a number of its own.
struct NaiveNetChanges {
  /// A change as its row holds it.
  struct Row: Hashable {
    var transaction: Int64
    var number: Int64
    var kind: Int64?
    var entity: Int64?
    var primaryKey: Int64?
    var mask: [UInt8]?
    var tombstone: [StoredValue] = []
  }

  struct Object: Hashable {
    let entity: Int64
    let primaryKey: Int64
  }

  /// What the changes of one object come to.
  struct Outcome: Hashable {
    let object: Object
    let kind: String
    /// The slots that updates touched, where that is the whole story.
    var slots: Set<Int>?
    /// What the object that is gone left behind.
    var tombstone: [StoredValue]
    let first: Int64
    let last: Int64
    let count: Int
  }

  private var rows: [Object: [Row]] = [:]

  init(_ rows: [Row]) {
    for row in rows {
      guard let entity = row.entity, let key = row.primaryKey, let kind = row.kind,
        (0...2).contains(kind)
      else { continue }
      self.rows[Object(entity: entity, primaryKey: key), default: []].append(row)
    }
  }

  /// The outcomes by entity number and primary key.
  var outcomes: [Outcome] {
    rows.compactMap { Self.outcome($0.key, $0.value) }.sorted {
      ($0.object.entity, $0.object.primaryKey) < ($1.object.entity, $1.object.primaryKey)
    }
  }

  private static func outcome(_ object: Object, _ rows: [Row]) -> Outcome? {
    // Who is there: nobody, or somebody by number.
    let before: Int? = rows[0].kind == 0 ? nil : 0
    var present = before
    var nextNumber = 1
    for row in rows {
      switch row.kind {
      case 0: (present, nextNumber) = (nextNumber, nextNumber + 1)
      case 1 where present == nil: (present, nextNumber) = (nextNumber, nextNumber + 1)
      case 2: present = nil
      default: break
      }
    }
    let kind: String
    switch (before, present) {
    case (nil, nil): return nil
    case (nil, _?): kind = "insert"
    case (_?, nil): kind = "delete"
    case (let before?, let present?): kind = before == present ? "update" : "replace"
    }
    return Outcome(
      object: object, kind: kind, slots: kind == "update" ? slots(rows) : nil,
      tombstone: kind == "delete" || kind == "replace"
        ? rows.first { $0.kind == 2 }?.tombstone ?? [] : [],
      first: rows[0].transaction, last: rows[rows.count - 1].transaction, count: rows.count)
  }

  private static func slots(_ rows: [Row]) -> Set<Int>? {
    let masks = rows.map(\.mask)
    guard Set(masks.map { $0?.count ?? -1 }).count == 1, masks[0] != nil else { return nil }
    guard masks.allSatisfy({ ($0?.count ?? 0) <= 1024 }) else { return nil }
    var slots: Set<Int> = []
    for mask in masks.compactMap({ $0 }) {
      for slot in 0..<mask.count * 8 where mask[slot / 8] >> (7 - slot % 8) & 1 == 1 {
        slots.insert(slot)
      }
    }
    return slots
  }
}

extension NaiveNetChanges.Outcome {
  /// What was really worked out, in the same terms.
  init?(_ change: NetChange) {
    guard let kind = change.kind, let entity = change.entity.number else { return nil }
    self.init(
      object: .init(entity: entity, primaryKey: change.primaryKey), kind: kind.name,
      slots: kind == .update && change.columns.isComplete
        ? Set(change.columns.mask?.setSlots ?? []) : nil,
      tombstone: change.tombstone, first: change.firstTransaction, last: change.lastTransaction,
      count: change.changeCount)
  }
}
