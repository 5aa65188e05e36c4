#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The texts of changes that were found to be right, without their two numbers, and what they mean.
///
/// Such a text is looked up by a hash of it, and compared with the known one byte by byte.
struct KnownChanges<Meaning> {
  /// One text: what stands between the two numbers, and what stands behind the second.
  private struct Entry {
    let hash: UInt64
    /// Where in the store of texts it begins.
    let start: Int
    let middleCount: Int
    let tailCount: Int
    let meaning: Meaning
    var count: Int64
  }

  /// A text that is known.
  struct Found {
    /// Which one it is.
    let index: Int
    /// How many bytes it has.
    let length: Int
    /// Its two numbers: that of the change, and the primary key.
    let number: Int64
    let primaryKey: Int64
  }

  /// Where in a text its parts are.
  private struct Parts {
    let middle: Range<Int>
    let tail: Range<Int>
    let number: Int64
    let primaryKey: Int64
  }

  /// More texts than an app's saves have; others are decoded.
  private static var mostEntries: Int { 4096 }
  private static var slotCount: Int { 16_384 }
  /// More bytes than those have together; a hostile file may bring ever longer ones.
  private static var mostBytes: Int { 1 << 20 }
  private static var longestMiddle: Int { 2048 }
  private static var longestTail: Int { 16_384 }

  private let start = Array("{\"change\":".utf8)
  private var texts: [UInt8] = []
  private var entries: [Entry] = []
  /// The entries by hash; empty until there is one.
  private var slots: [Int32] = []

  /// Takes a change of a known text, counts it and gives its length; nil for all others.
  @inline(__always)
  mutating func take(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let found = find(text) else { return nil }
    entries[found.index].count &+= 1
    return found.length
  }

  /// What a text that was found means.
  subscript(index: Int) -> Meaning { entries[index].meaning }

  /// Looks up what a text begins with; nil where that is no change that is known.
  @inline(__always)
  func find(_ text: UnsafeBufferPointer<UInt8>) -> Found? {
    guard !slots.isEmpty, let base = text.baseAddress, let parts = parts(of: text) else {
      return nil
    }
    let hash = Self.hash(text, parts)
    var slot = Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)
    while case let index = Int(slots[slot]), index >= 0 {
      let entry = entries[index]
      if entry.hash == hash, entry.middleCount == parts.middle.count,
        entry.tailCount == parts.tail.count,
        texts.withUnsafeBufferPointer({ known in
          guard let known = known.baseAddress else { return false }
          return memcmp(known + entry.start, base + parts.middle.lowerBound, entry.middleCount) == 0
            && memcmp(
              known + entry.start + entry.middleCount, base + parts.tail.lowerBound,
              entry.tailCount) == 0
        })
      {
        return Found(
          index: index, length: parts.tail.upperBound, number: parts.number,
          primaryKey: parts.primaryKey)
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Remembers a change that was found to be right, and counts it; false where it is not one of those
  /// that can be known.
  mutating func learn(
    _ text: UnsafeBufferPointer<UInt8>, as meaning: Meaning
  ) -> Bool {
    guard entries.count < Self.mostEntries, texts.count < Self.mostBytes,
      let parts = parts(of: text), parts.tail.upperBound == text.count
    else { return false }
    if slots.isEmpty { slots = [Int32](repeating: -1, count: Self.slotCount) }
    let hash = Self.hash(text, parts)
    var slot = Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)
    while slots[slot] >= 0 { slot = (slot &+ 1) & (Self.slotCount - 1) }
    slots[slot] = Int32(entries.count)
    entries.append(
      Entry(
        hash: hash, start: texts.count, middleCount: parts.middle.count,
        tailCount: parts.tail.count, meaning: meaning, count: 1))
    texts += text[parts.middle]
    texts += text[parts.tail]
    return true
  }

  /// Divides a text at its two numbers; nil where they are not where they are in most changes.
  ///
  /// What is divided wrongly, because a name looks like the end of a change, is none that is known.
  @inline(__always)
  private func parts(of text: UnsafeBufferPointer<UInt8>) -> Parts? {
    guard let base = text.baseAddress, text.count > start.count,
      memcmp(start, base, start.count) == 0
    else { return nil }
    let raw = UnsafeRawPointer(base)
    var place = start.count
    guard let number = CanonicalNumber.integer(text, &place) else { return nil }
    let middle = place
    let key = UInt32(littleEndian: 0x226B_7022)
    let limit = min(text.count &- 5, middle &+ Self.longestMiddle)
    while place < limit, raw.loadUnaligned(fromByteOffset: place, as: UInt32.self) != key {
      place &+= 1
    }
    guard place < limit, text[place &+ 4] == UInt8(ascii: ":") else { return nil }
    place &+= 5
    let middleEnd = place
    guard let primaryKey = CanonicalNumber.integer(text, &place) else { return nil }
    guard
      let brace = memchr(
        raw + place, Int32(UInt8(ascii: "}")), min(text.count &- place, Self.longestTail))
    else { return nil }
    var end = (UnsafeRawPointer(brace) - raw) &+ 1
    while end < text.count, text[end] == UInt8(ascii: "}") { end &+= 1 }
    return Parts(
      middle: middle..<middleEnd, tail: place..<end, number: number, primaryKey: primaryKey)
  }

  @inline(__always)
  private static func hash(_ text: UnsafeBufferPointer<UInt8>, _ parts: Parts) -> UInt64 {
    mix(text, parts.tail, mix(text, parts.middle, 0x9E37_79B9_7F4A_7C15))
  }

  @inline(__always)
  private static func mix(
    _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ seed: UInt64
  ) -> UInt64 {
    guard let base = text.baseAddress else { return seed }
    let raw = UnsafeRawPointer(base)
    var hash = seed ^ UInt64(truncatingIfNeeded: range.count)
    var place = range.lowerBound
    while place &+ 8 <= range.upperBound {
      hash =
        (hash ^ raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 32
      place &+= 8
    }
    var rest: UInt64 = 0
    while place < range.upperBound {
      rest = rest << 8 | UInt64(text[place])
      place &+= 1
    }
    hash = (hash ^ rest) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 29
  }
}

extension KnownChanges where Meaning == CanonicalLineCheck.Count {
  /// Adds how often each text was taken to other counts, and begins anew.
  mutating func takeCounts(into counts: inout [CanonicalLineCheck.Count: Int64]) {
    for index in entries.indices where entries[index].count > 0 {
      counts[entries[index].meaning, default: 0] += entries[index].count
      entries[index].count = 0
    }
  }
}
