import StoreFormat

/// Damaged pages in the middle of a history, as an error that says what can be read on both sides of them.
package struct ReadableRest: Error, Hashable, Sendable {
  /// The error of reading them.
  package let damage: StoreError
  /// The last transaction before the damage that can be read; `nil` without one.
  package private(set) var until: Int64?
  /// The token after which the history can be read again; `nil` without one.
  package private(set) var after: Int64?

  /// Looks for transactions around the place where reading ended with damage.
  ///
  /// It tries single transactions, so there may be more damage farther on.
  ///
  /// - Parameters:
  ///   - damage: The error of reading.
  ///   - reached: The last transaction that was begun or read; `nil` if that is not known.
  ///   - query: What was read.
  ///   - timeLimit: How long to look.
  /// - Returns: `nil` if no damage is found, or nothing beside it can be read.
  fileprivate init?(
    beside damage: StoreError, around reached: Int64?, in timeline: HistoryTimeline,
    query: HistoryQuery, schema: HistorySchema, timeLimit: Duration = .seconds(10)
  ) {
    self.damage = damage
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
      guard var damaged = try reached ?? damagedTransaction(of: query),
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

    /// Returns the transaction at which reading the range of a query ends with an error; `nil` if it does not.
    private func damagedTransaction(of query: HistoryQuery) throws -> Int64? {
      var whole = HistoryQuery(after: query.after)
      (whole.until, whole.order) = (query.until, query.order)
      let reader = try TimelineReader(timeline, query: whole, schema: schema)
      do {
        while hasTime, try reader.nextElement() != nil {
          while try reader.nextChange() != nil {}
        }
        return nil
      } catch {
        return try reader.lastNumber ?? first(of: query)
      }
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

extension HistoryTimeline {
  /// Returns an error of SQLite in terms of the store: one of damage as a ``ReadableRest`` if something beside it can
  /// be read. Any other error stays as it is.
  ///
  /// - Parameters:
  ///   - error: The error that ended the reading.
  ///   - reached: The last transaction that was begun or read; `nil` to read the range again up to the damage.
  ///   - query: What was read.
  package func explaining(
    _ error: any Error, around reached: Int64? = nil, of query: HistoryQuery,
    schema: HistorySchema
  ) -> any Error {
    guard let location = snapshot?.location else { return error }
    let translated = StoreError.translating(error, location: location, busyTimeout: 0)
    guard archive == nil, let damage = translated as? StoreError, case .damaged = damage else {
      return translated
    }
    return ReadableRest(
      beside: damage, around: reached, in: self, query: query, schema: schema) ?? translated
  }
}
