import PersistentHistory
import StoreFormat

/// What the lines of one entity's plain changes have in common, put together once.
///
/// A plain change is an insert, a delete that left nothing behind, or an update whose mask is one of
/// the few that an app's saves write over and over: of such a change only the two numbers differ. A
/// delete whose tombstone can be lent is written by the way, value by value.
struct PlainChangeText: Sendable {
  /// More masks than one entity's saves have.
  private static let mostMasks = 4096
  private static let startLength = 11

  private let insert: [UInt8]
  private let update: [UInt8]
  private let endOfInsert = Array("}".utf8)
  private let delete: [UInt8]
  private let endOfDelete: [UInt8]
  private let startOfTombstone = Array(",\"tombstone\":{".utf8)
  private let text: EntityText
  private var endsByMask: [UInt64: [UInt8]] = [:]
  private var lastMask: UInt64?
  private var lastEnd: [UInt8] = []

  init(_ entity: HistoryEntity) {
    let text = EntityText(entity)
    func middle(_ kind: String) -> [UInt8] {
      Array(",\"kind\":\"\(kind)\"".utf8) + text.member + Array(",\"pk\":".utf8)
    }
    self.text = text
    insert = middle("insert")
    update = middle("update")
    delete = middle("delete")
    endOfDelete = Array((text.tombstoneTypes == nil ? "}" : ",\"tombstone\":{}}").utf8)
  }

  /// Writes a change; false, and nothing, where it is not plain.
  mutating func append(
    _ row: ChangeCursor, primaryKey: Int64, isFirst: Bool, to writer: inout JSONWriter
  ) -> Bool {
    let mask = row.mask
    if !row.isPlain {
      guard row.kind == .delete, mask == nil else { return false }
      return appendTombstone(of: row, primaryKey: primaryKey, isFirst: isFirst, to: &writer)
    }
    switch row.kind {
    case .insert where mask == nil:
      write(row.number, insert, primaryKey, endOfInsert, isFirst, to: &writer)
    case .delete where mask == nil:
      write(row.number, delete, primaryKey, endOfDelete, isFirst, to: &writer)
    case .update:
      guard let mask, let key = mask.shortKey else { return false }
      if key != lastMask {
        lastEnd = endsByMask[key] ?? remember(mask, key)
        lastMask = key
      }
      write(row.number, update, primaryKey, lastEnd, isFirst, to: &writer)
    default:
      return false
    }
    return true
  }

  /// Writes a delete with the values it left behind; false, and nothing, where they do not say all.
  private func appendTombstone(
    of row: ChangeCursor, primaryKey: Int64, isFirst: Bool, to writer: inout JSONWriter
  ) -> Bool {
    guard let types = text.tombstoneTypes else { return false }
    let start = writer.count
    write(row.number, delete, primaryKey, startOfTombstone, isFirst, to: &writer)
    var next = 0
    let isExact = row.forEachTombstoneValue { slot, value in
      // Members stand in the order of the slots.
      guard slot >= next, slot < types.count else { return false }
      if next > 0 { writer.appendRaw(UInt8(ascii: ",")) }
      next = slot + 1
      writer.appendRaw(text.tombstoneKeys[slot])
      return TombstoneCoding.append(value, of: types[slot], to: &writer)
    }
    if isExact { writer.appendRaw("}}") } else { writer.truncate(to: start) }
    return isExact
  }

  private mutating func remember(_ mask: ColumnMask, _ key: UInt64) -> [UInt8] {
    var writer = JSONWriter()
    writer.append(attributesIn: mask, text)
    writer.append(columns: mask)
    writer.appendRaw("}")
    if endsByMask.count >= Self.mostMasks { endsByMask.removeAll(keepingCapacity: true) }
    let end = Array(writer.bytes)
    endsByMask[key] = end
    return end
  }

  @inline(__always)
  private func write(
    _ number: Int64, _ middle: [UInt8], _ primaryKey: Int64, _ end: [UInt8], _ isFirst: Bool,
    to writer: inout JSONWriter
  ) {
    let capacity = Self.startLength + 20 + middle.count + 20 + end.count
    writer.appendUninitialized(capacity: capacity) { room in
      var place = RoomWriter(room)
      place.append(",{\"change\":", dropping: isFirst ? 1 : 0)
      place.append(number)
      place.append(middle)
      place.append(primaryKey)
      place.append(end)
      return place.count
    }
  }
}

/// Fills memory that is known to be large enough.
private struct RoomWriter {
  private let room: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  @inline(__always)
  init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

  @inline(__always)
  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: room[count...]))
        .copyMemory(from: source)
    }
    count &+= bytes.count
  }

  @inline(__always)
  mutating func append(_ text: StaticString, dropping dropped: Int) {
    text.withUTF8Buffer { source in
      UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: room[count...]))
        .copyMemory(
          from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(source)[dropped...]))
    }
    count &+= text.utf8CodeUnitCount &- dropped
  }

  @inline(__always)
  mutating func append(_ number: Int64) {
    count &+= JSONNumberText.write(
      number, to: UnsafeMutableBufferPointer(rebasing: room[count...]))
  }
}
