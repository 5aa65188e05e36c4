/// Writes JSON text to the end of its own buffer: the hot path of every export.
///
/// It adds no commas, colons or brackets of its own: whoever writes a record knows its shape and
/// gives the fixed parts with `appendRaw`. Each `append` of a value writes one complete JSON value.
/// The buffer grows by doubling and is kept between records; nothing else is allocated.
package struct JSONWriter: Sendable {
  // All of the array is capacity, and only the first `count` bytes are text: so a primitive asks
  // for room once and then writes without the bookkeeping that each append to an array costs.
  private var storage: [UInt8]

  /// How many bytes of text have been written.
  package private(set) var count = 0

  /// Makes an empty writer with room for so many bytes before the buffer grows.
  package init(capacity: Int = 4096) {
    storage = [UInt8](repeating: 0, count: max(capacity, 64))
  }

  /// The text so far; valid until the writer is changed, and without a copy.
  package var bytes: ArraySlice<UInt8> { storage[..<count] }

  /// Lends the text so far to a closure, for writing it out without a copy.
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeBufferPointer { buffer throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count])))
    }
  }

  /// The largest buffer that is kept for the next text.
  private static let keptCapacity = 4 << 20

  /// Removes the text. The buffer is kept for the next one, unless a single huge text has made it large.
  package mutating func removeAll(keepingCapacity: Bool = true) {
    count = 0
    if !keepingCapacity || storage.count > Self.keptCapacity {
      storage = [UInt8](repeating: 0, count: 64)
    }
  }

  /// Forgets what was written after the first so many bytes.
  mutating func truncate(to count: Int) { self.count = min(self.count, max(count, 0)) }

  /// Lends room for so many bytes at the end of the text to a closure that answers how many it has
  /// filled; an answer outside 0 to `capacity` is brought into it.
  @inline(__always)
  package mutating func appendUninitialized(
    capacity: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Int
  ) {
    if storage.count &- count < capacity { grow(by: capacity) }
    let start = count
    let filled = storage.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return 0 }
      return fill(UnsafeMutableBufferPointer(start: base + start, count: capacity))
    }
    count = start &+ min(max(filled, 0), capacity)
  }

  /// Makes room for a long text at once: doubling would take up to three times its memory.
  mutating func reserve(_ needed: Int) {
    if storage.count - count < needed { grow(to: count + needed) }
  }

  @inline(never)
  private mutating func grow(by needed: Int) { grow(to: max(storage.count * 2, count + needed)) }

  private mutating func grow(to size: Int) {
    var larger = [UInt8](repeating: 0, count: size)
    larger.replaceSubrange(0..<count, with: storage[..<count])
    storage = larger
  }
}
