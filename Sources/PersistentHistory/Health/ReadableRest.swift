import StoreFormat

/// What can be read of a history on both sides of damaged pages.
package struct ReadableRest: Hashable, Sendable {
  /// The last transaction before the damage that can be read; `nil` without one.
  package private(set) var until: Int64?
  /// The token after which the history can be read again; `nil` without one.
  package private(set) var after: Int64?

  /// Looks for transactions around the place where reading ended with damage.
  ///
  /// It tries single transactions, so there may be more damage farther on.
  ///
  /// - Parameters:
  ///   - reached: The last transaction that was begun or read; `nil` for none.
  ///   - query: What was read.
  ///   - timeLimit: How long to look.
  /// - Returns: `nil` if no damage is found, nothing beside it can be read, or there is no store.
  package init?(
    around reached: Int64?, in timeline: HistoryTimeline, query: HistoryQuery,
    schema: HistorySchema, timeLimit: Duration = .seconds(10)
  ) {
    guard timeline.snapshot != nil, timeline.archive == nil else { return nil }
    let search = Search(
      timeline: timeline, schema: schema, isAscending: query.order == .ascending,
      end: .now + timeLimit)
    guard let sides = try? search.sides(from: reached, query) else { return nil }
    until = search.isAscending ? sides.near : sides.far
    // The token is that of the last transaction that cannot be read.
    after = (search.isAscending ? sides.far : sides.near)
      .flatMap { try? timeline.lastTransaction(before: $0)?.number ?? 0 }
    if until == nil, after == nil { return nil }
  }

  /// The numbers among which it looks; those of a forged history can be any.
  private static let usualNumbers: Range<Int64> = 0..<(1 << 60)

  /// The transactions next to damage, in the direction of reading.
  private struct Search {
    let timeline: HistoryTimeline
    let schema: HistorySchema
    var isAscending: Bool
    let end: ContinuousClock.Instant

    /// Returns the readable transactions before and after damage, in the direction of reading; `nil` if there is no
    /// damage.
    func sides(from reached: Int64?, _ query: HistoryQuery) throws -> (near: Int64?, far: Int64?)? {
      var near: Int64?
      guard var damaged = try reached ?? first(of: query),
        ReadableRest.usualNumbers.contains(damaged)
      else {
        return nil
      }
      while canRead(damaged) {
        guard hasTime, let next = try transaction(beyond: damaged, by: 1) else { return nil }
        (near, damaged) = (damaged, next)
      }
      // Several transactions before it may be damaged too, if their changes were read together.
      if near == nil {
        var backwards = self
        backwards.isAscending.toggle()
        near = try backwards.readable(beyond: damaged)
      }
      return (near, try readable(beyond: damaged))
    }

    /// Returns the readable transaction that is nearest to a damaged one, in the direction of reading.
    private func readable(beyond start: Int64) throws -> Int64? {
      var damaged = start
      var distance: Int64 = 1
      var found: Int64?
      while found == nil, hasTime {
        guard
          let next = try transaction(beyond: start, by: distance)
            ?? (isAscending ? timeline.newestTransaction() : timeline.oldestTransaction())?.number,
          ReadableRest.usualNumbers.contains(next), isBeyond(next, damaged)
        else { return nil }
        if canRead(next) { found = next } else { damaged = next }
        distance *= 2
      }
      guard var found else { return nil }
      var limit = found
      while abs(limit - damaged) > 1, hasTime {
        let middle = damaged + (limit - damaged) / 2
        guard let next = try transaction(beyond: middle, by: 0), isBeyond(limit, next) else {
          limit = middle
          continue
        }
        if canRead(next) { (found, limit) = (next, middle) } else { damaged = next }
      }
      return found
    }

    private var hasTime: Bool { ContinuousClock.now < end }

    private func isBeyond(_ number: Int64, _ other: Int64) -> Bool {
      isAscending ? number > other : number < other
    }

    private func first(of query: HistoryQuery) throws -> Int64? {
      isAscending
        ? try timeline.firstTransaction(after: query.after ?? .min)?.number
        : try query.until.flatMap {
          $0 == .max ? nil : try timeline.lastTransaction(before: $0 + 1)
        }?
        .number ?? timeline.newestTransaction()?.number
    }

    /// Returns the first transaction at a distance from a number or farther, in the direction of reading.
    private func transaction(beyond number: Int64, by distance: Int64) throws -> Int64? {
      let moved = isAscending ? distance : -distance
      let (place, overflow) = number.addingReportingOverflow(moved)
      guard !overflow, place > .min, place < .max else { return nil }
      let found =
        isAscending
        ? try timeline.firstTransaction(after: place - 1)?.number
        : try timeline.lastTransaction(before: place + 1)?.number
      return found.flatMap { ReadableRest.usualNumbers.contains($0) ? $0 : nil }
    }

    private func canRead(_ number: Int64) -> Bool {
      guard number > .min else { return false }
      var query = HistoryQuery(after: number - 1)
      query.until = number
      do {
        let reader = try TimelineReader(timeline, query: query, schema: schema)
        while try reader.nextElement() != nil {
          while try reader.nextChange() != nil {}
        }
        return true
      } catch {
        return false
      }
    }
  }
}
