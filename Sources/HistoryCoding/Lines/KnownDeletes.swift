import PersistentHistory
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How the deletes of an entity begin, for entities of which one was found to be right.
///
/// The values of their tombstones are other ones in every change, so that they cannot be known; but
/// most have a form of which it can be seen that it is the one that is written.
struct KnownDeletes {
  /// One entity.
  private struct Entry {
    /// What stands between the change's number and the object's.
    let middle: [UInt8]
    /// The preserved attributes in the order of their slots: the name as a key, and the type.
    let attributes: [(key: [UInt8], type: AttributeType)]
    let key: CanonicalLineCheck.Count
    var count: Int64
  }

  /// More entities than most models have; the deletes of others are decoded.
  private static let mostEntries = 64
  private static let start = Array("{\"change\":".utf8)
  private static let keyEnd = Array("\"pk\":".utf8)
  private static let tombstone = Array(",\"tombstone\":{".utf8)

  private var entries: [Entry] = []
  private var last = 0

  /// Takes a delete of a known entity, counts it and gives its length; nil for all others.
  mutating func take(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !entries.isEmpty, Self.has(Self.start, text, at: 0) else { return nil }
    var place = Self.start.count
    guard CanonicalNumber.integer(text, &place) != nil, let index = entry(text, at: place) else {
      return nil
    }
    place += entries[index].middle.count
    guard CanonicalNumber.integer(text, &place) != nil, Self.has(Self.tombstone, text, at: place)
    else { return nil }
    place += Self.tombstone.count
    guard Self.skipMembers(text, &place, entries[index].attributes),
      text.count - place >= 2, text[place] == UInt8(ascii: "}"),
      text[place + 1] == UInt8(ascii: "}")
    else { return nil }
    entries[index].count += 1
    return place + 2
  }

  /// Remembers the entity of a delete that was found to be right.
  mutating func learn(
    _ text: UnsafeBufferPointer<UInt8>, _ entity: HistoryEntity, as key: CanonicalLineCheck.Count
  ) {
    guard entries.count < Self.mostEntries, Self.has(Self.start, text, at: 0) else { return }
    let known = EntityText(entity)
    // Of two attributes with one name, only the first would be found by it.
    guard let types = known.tombstoneTypes, !types.isEmpty,
      Set(known.tombstoneKeys).count == types.count
    else { return }
    var place = Self.start.count
    guard CanonicalNumber.integer(text, &place) != nil else { return }
    let expected = Array(",\"kind\":\"delete\"".utf8) + known.member + Array(",".utf8) + Self.keyEnd
    guard Self.has(expected, text, at: place), entry(text, at: place) == nil else { return }
    entries.append(
      Entry(
        middle: expected, attributes: Array(zip(known.tombstoneKeys, types)), key: key, count: 0))
  }

  /// Adds how many were taken of each entity to other counts, and begins anew.
  mutating func takeCounts(into counts: inout [CanonicalLineCheck.Count: Int64]) {
    for index in entries.indices where entries[index].count > 0 {
      counts[entries[index].key, default: 0] += entries[index].count
      entries[index].count = 0
    }
  }

  private mutating func entry(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
    if last < entries.count, Self.has(entries[last].middle, text, at: place) { return last }
    for index in entries.indices where Self.has(entries[index].middle, text, at: place) {
      last = index
      return index
    }
    return nil
  }

  /// Passes over members in the order of the slots, at least one; false where one is not usual.
  @inline(__always)
  private static func skipMembers(
    _ text: UnsafeBufferPointer<UInt8>, _ place: inout Int,
    _ attributes: [(key: [UInt8], type: AttributeType)]
  ) -> Bool {
    var isFirst = true
    for attribute in attributes {
      var start = place
      if !isFirst {
        guard start < text.count, text[start] == UInt8(ascii: ",") else { break }
        start += 1
      }
      guard has(attribute.key, text, at: start) else { continue }
      place = start + attribute.key.count
      guard CanonicalValue.skip(text, &place, of: attribute.type) else { return false }
      isFirst = false
    }
    return !isFirst
  }

  @inline(__always)
  private static func has(
    _ bytes: [UInt8], _ text: UnsafeBufferPointer<UInt8>, at place: Int
  ) -> Bool {
    guard let base = text.baseAddress, text.count - place >= bytes.count else { return false }
    return memcmp(bytes, base + place, bytes.count) == 0
  }
}
