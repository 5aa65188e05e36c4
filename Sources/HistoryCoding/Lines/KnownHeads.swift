import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the heads of lines have in common but for the number and the time of their transaction.
struct KnownHeads {
  /// More authors and programs than a store has; others are decoded.
  private static let mostTails = 64
  /// Longer than the names of authors and programs are; a hostile file may bring ever longer ones.
  private static let longestTail = 4096
  private static let numberKey = Array("\"transaction\":".utf8)
  private static let timeKey = Array(",\"timestamp\":\"".utf8)
  private static let rawKey = Array("\",\"timestampRaw\":".utf8)
  /// The length of a time in ISO 8601 with microseconds.
  private static let timeLength = 27

  private var start: [UInt8] = []
  private var tails: [[UInt8]] = []
  private var last = 0
  private var writer = JSONWriter(capacity: 256)

  /// Takes a head of a known kind, and gives it and its length; nil for all others.
  mutating func take(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> (head: CanonicalLineCheck.Head, length: Int)? {
    guard !start.isEmpty, Self.has(start, text, at: 0) else { return nil }
    var place = start.count
    guard let number = CanonicalNumber.integer(text, &place) else { return nil }
    let timePlace = place
    guard Self.has(Self.timeKey, text, at: place) else { return nil }
    place += Self.timeKey.count + Self.timeLength
    guard Self.has(Self.rawKey, text, at: place) else { return nil }
    place += Self.rawKey.count
    guard let seconds = CanonicalNumber.microseconds(text, &place) else { return nil }
    let timestamp = StoreTimestamp(secondsSinceReferenceDate: seconds)
    writer.removeAll()
    writer.append(timestamp, withStored: true)
    guard writer.count == place - timePlace,
      writer.withUnsafeBytes({
        $0.elementsEqual(
          UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[timePlace..<place]))
      }),
      let tail = tail(text, at: place)
    else { return nil }
    return (.init(number: number, timestamp: timestamp), place + tail)
  }

  /// Remembers a head that was found to be right.
  mutating func learn(_ text: UnsafeBufferPointer<UInt8>) {
    guard let key = text.indices.first(where: { Self.has(Self.numberKey, text, at: $0) }) else {
      return
    }
    var place = key + Self.numberKey.count
    let prefix = Array(text[..<place])
    guard start.isEmpty || start == prefix, CanonicalNumber.integer(text, &place) != nil,
      Self.has(Self.timeKey, text, at: place),
      case let raw = place + Self.timeKey.count + Self.timeLength,
      Self.has(Self.rawKey, text, at: raw)
    else { return }
    place = raw + Self.rawKey.count
    guard CanonicalNumber.microseconds(text, &place) != nil else { return }
    guard text.count - place <= Self.longestTail else { return }
    let tail = Array(text[place...])
    guard tails.count < Self.mostTails, !tails.contains(tail) else { return }
    start = prefix
    tails.append(tail)
  }

  private mutating func tail(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
    if last < tails.count, Self.has(tails[last], text, at: place) { return tails[last].count }
    for index in tails.indices where Self.has(tails[index], text, at: place) {
      last = index
      return tails[index].count
    }
    return nil
  }

  @inline(__always)
  private static func has(
    _ bytes: [UInt8], _ text: UnsafeBufferPointer<UInt8>, at place: Int
  ) -> Bool {
    guard let base = text.baseAddress, text.count - place >= bytes.count else { return false }
    return memcmp(bytes, base + place, bytes.count) == 0
  }
}
