import StoreFormat

/// Merges streams by the times of their elements.
///
/// Each stream keeps its own order, also where a clock was set back. Of elements with the same time, that of the
/// first stream comes first. An element without a time follows the one before it in its stream. Only one element
/// of each stream is kept.
package struct TimeMerge<Element> {
  private typealias Head = (element: Element, seconds: Double)

  private let isAscending: Bool
  private let read: (Int) throws -> (element: Element, time: StoreTimestamp?)?
  private let complete: (Int, Element) throws -> Element?
  private var heads: [Head?]
  /// The times of the last elements, from the streams' beginnings on.
  private var times: [Double]
  /// The streams to read from before the next element is chosen. The one of the last element is among them:
  /// it must not be read further while that element is used.
  private var pending: [Int]

  /// Prepares to merge.
  ///
  /// - Parameters:
  ///   - count: The number of streams.
  ///   - isAscending: Whether the earliest element comes first.
  ///   - complete: Returns the element that comes next, with what was not kept of it; `nil` to leave it out.
  ///   - next: Returns the next element of a stream and its time; `nil` after the last one.
  package init(
    _ count: Int, isAscending: Bool,
    completing complete: @escaping (Int, Element) throws -> Element? = { $1 },
    _ next: @escaping (Int) throws -> (element: Element, time: StoreTimestamp?)?
  ) {
    self.isAscending = isAscending
    read = next
    self.complete = complete
    heads = Array(repeating: nil, count: count)
    times = Array(repeating: isAscending ? -.infinity : .infinity, count: count)
    pending = Array((0..<count).reversed())
  }

  /// Goes to the next element, and returns it with the place of its stream; `nil` after the last one.
  package mutating func next() throws -> (stream: Int, element: Element)? {
    while let (stream, element) = try nextHead() {
      if let element = try complete(stream, element) { return (stream, element) }
    }
    return nil
  }

  private mutating func nextHead() throws -> (stream: Int, element: Element)? {
    while let stream = pending.popLast() {
      guard let (element, time) = try read(stream) else { continue }
      if let seconds = time?.secondsSinceReferenceDate, !seconds.isNaN { times[stream] = seconds }
      heads[stream] = (element, times[stream])
    }
    var first: (stream: Int, head: Head)?
    for (stream, head) in heads.enumerated() {
      guard let head else { continue }
      if let found = first?.head.seconds,
        isAscending ? head.seconds >= found : head.seconds <= found
      {
        continue
      }
      first = (stream, head)
    }
    guard let first else { return nil }
    heads[first.stream] = nil
    pending.append(first.stream)
    return (first.stream, first.head.element)
  }
}
