import StoreEditing
import StoreFormat

/// The whole history of a store: what an archive holds of it, then what the store keeps.
///
/// Both are joined by transaction number. From the oldest transaction of the store on, the store
/// counts and the archive is not looked at; where the archive ends before that, there is a gap.
/// A timeline of a store alone costs nothing over the store.
///
/// ```swift
/// try store.read { snapshot in
///   let timeline = try HistoryTimeline(snapshot, behind: archive)
///   let reader = try TimelineReader(timeline, query: HistoryQuery(), schema: timeline.schema())
///   while let element = try reader.nextElement() { … }
/// }
/// ```
package struct HistoryTimeline {
  /// The store; nil for an archive by itself.
  package let snapshot: StoreSnapshot?
  /// What stands before the store's history; nil for a store by itself.
  package let archive: (any ArchivedHistory)?
  /// Where archive and store remember one transaction with different times; nil where they agree.
  package let divergence: ArchiveDivergence?

  /// From this number on the store counts; nil where it keeps no transaction, or there is no store.
  let seam: Int64?
  /// The highest number that was issued, for the end of an archive behind which a store keeps nothing.
  private let issued: Int64?
  /// Whether the store is known to go on right where the archive ends, whatever numbers lie between.
  private let isJoined: Bool

  /// No history.
  init() {
    (snapshot, archive, divergence, seam, issued) = (nil, nil, nil, nil, nil)
    isJoined = false
  }

  /// The history that a store keeps.
  package init(_ snapshot: StoreSnapshot) {
    self.snapshot = snapshot
    (archive, divergence, seam, issued) = (nil, nil, nil, nil)
    isJoined = false
  }

  /// The history that an archive holds.
  package init(_ archive: any ArchivedHistory) {
    self.archive = archive
    (snapshot, divergence, seam, issued) = (nil, nil, nil, nil)
    isJoined = false
  }

  /// The history that a store keeps, behind what an archive holds of it.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, or what the archive throws.
  package init(_ snapshot: StoreSnapshot, behind archive: any ArchivedHistory) throws {
    self.snapshot = snapshot
    self.archive = archive
    _ = try snapshot.historyTables()
    seam = try snapshot.oldestTransaction()?.number
    let issued = try snapshot.highestIssued()
    self.issued = issued
    divergence = try ArchiveDivergence(archive, snapshot, seam: seam, issued: issued)
    if let seam, let last = archive.stretches.last?.upperBound, last < seam, seam - last > 1 {
      isJoined = try archive.successor()?.number == seam
    } else {
      isJoined = false
    }
  }

  /// The path of the store or, without one, of the archive; for messages.
  package var path: String { snapshot?.location.path ?? archive?.path ?? "" }

  /// The identifier of the store; nil where it has none.
  package var storeIdentifier: String? {
    snapshot.map { $0.metadata.storeIdentifier } ?? archive?.storeIdentifier
  }

  /// The entities that it names, by the store's numbers where the store knows them.
  ///
  /// - Parameter store: The entities of the store; nil to read them.
  package func schema(_ store: HistorySchema? = nil) throws -> HistorySchema {
    let own = try store ?? snapshot.map { try HistorySchema($0) }
    guard let archive else { return own ?? HistorySchema(entities: []) }
    return try HistorySchema(own, and: archive.entities())
  }

  /// Whether any transaction may have an author: of a store all are looked at, of an archive the
  /// newest.
  package func hasAuthors() throws -> Bool {
    try snapshot?.hasText(.author) ?? false || archive?.hasAuthors() ?? false
  }

  // MARK: - Its pieces

  /// A part of the timeline that comes from one place, or is missing.
  package enum Piece: Hashable, Sendable {
    /// Transactions that the archive holds, between two numbers.
    case archived(ClosedRange<Int64>)
    /// Transactions that nobody holds.
    case gap(HistoryGap)
    /// What the store keeps.
    case store
  }

  /// The pieces that a range of numbers touches, in order.
  ///
  /// - Parameters:
  ///   - after: The number before the range; nil for the beginning.
  ///   - until: The last number of the range; nil for the end.
  /// - Throws: ``HistoryError/divergedArchive(_:)`` where store and archive do not belong together.
  package func pieces(after: Int64? = nil, until: Int64? = nil) throws(HistoryError) -> [Piece] {
    guard archive != nil else { return [.store] }
    if let divergence { throw .divergedArchive(divergence) }
    let lowest = after.map { $0 == .max ? .max : $0 + 1 } ?? .min
    let highest = until ?? .max
    var pieces: [Piece] = []
    func add(_ piece: Piece, _ first: Int64, _ last: Int64) {
      if first <= highest, last >= lowest, lowest <= highest { pieces.append(piece) }
    }
    var last: Int64?
    func fill(upTo next: Int64) {
      guard let last, next - 1 > last else { return }
      add(
        .gap(HistoryGap(store: storeIdentifier, after: last, oldest: next)), last + 1, next - 1)
    }
    for stretch in archivedStretches {
      fill(upTo: stretch.lowerBound)
      add(.archived(stretch), stretch.lowerBound, stretch.upperBound)
      last = stretch.upperBound
    }
    if let seam {
      if !isJoined { fill(upTo: seam) }
      add(.store, seam, .max)
    } else if let last, let issued, issued > last {
      add(.gap(HistoryGap(store: storeIdentifier, after: last, oldest: nil)), last + 1, issued)
    }
    return pieces
  }

  /// The gaps in a range of numbers, in order.
  package func gaps(after: Int64? = nil, until: Int64? = nil) throws(HistoryError) -> [HistoryGap] {
    var gaps: [HistoryGap] = []
    for case .gap(let gap) in try pieces(after: after, until: until) { gaps.append(gap) }
    return gaps
  }

  /// What the archive holds from before the store's history.
  private var archivedStretches: [ClosedRange<Int64>] {
    (archive?.stretches ?? []).compactMap { stretch in
      guard let seam, stretch.upperBound >= seam else { return stretch }
      return stretch.lowerBound < seam ? stretch.lowerBound...(seam - 1) : nil
    }
  }

  /// Sees that what the archive holds behind a number, before the store's history, is there to be read.
  ///
  /// - Throws: What the archive throws of what is missing or damaged.
  package func checkPresence(after number: Int64) throws {
    guard let archive, seam.map({ number < $0 - 1 }) ?? true else { return }
    try archive.checkPresence(after: number)
  }

  /// Whether nothing is missing between an archived transaction and the end.
  func isComplete(after number: Int64) -> Bool {
    ((try? gaps(after: number)) ?? []).isEmpty
  }
}

extension StoreSnapshot {
  /// The highest transaction number that the store ever issued.
  ///
  /// `Z_MAX` of a copy that lost its log can be lower than what is there.
  package func highestIssued() throws -> Int64 {
    max(entities.highestNumber(of: .transaction), try newestTransaction()?.number ?? 0)
  }
}
