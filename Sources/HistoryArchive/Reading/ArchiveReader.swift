import PersistentHistory
import StoreFormat

/// Reads the history that an archive has of one store, as if it were one file.
///
/// Segments that overlap are read once. A single transaction is found by its segment's manifest and one
/// frame.
///
/// ```swift
/// let archive = try ArchiveReader(path: "history-archive", storeIdentifier: identifier)
/// try store.read { snapshot in
///   let timeline = try HistoryTimeline(snapshot, continuing: archive)
///   …
/// }
/// ```
package final class ArchiveReader {
  /// What a segment's rows must be.
  package enum RowCheck {
    /// Such as frameworks write.
    case soundRows
    /// Any: a store may have had damaged ones when it was sealed.
    case damagedRowsAllowed
  }

  /// The archive.
  package let archive: Archive
  /// The segments of the store.
  package let store: ArchivedStore
  /// The part to read of each segment, in order; no transaction is in two of them.
  let parts: [ArchivedStore.Part]
  /// The transaction numbers of runs of segments without a gap.
  package let ranges: [ClosedRange<Int64>]
  /// The segments of the store that the catalog does not list, by first transaction.
  package let unlisted: [UnlistedSegment]
  /// Whether the catalog ends with an incomplete line.
  package let hasTornCatalog: Bool
  /// The segments that were used last, because successive lookups are often near each other.
  private var open: [(entry: CatalogEntry, reader: SegmentReader)] = []
  private static let maxOpen = 2
  /// How segments are checked before their transactions are returned; `nil` if they are not.
  private let check: RowCheck?
  private var checked: Set<ArchiveDigest> = []

  /// Opens an archive.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - storeIdentifier: The store whose history to read; `nil` if the archive has only one store.
  ///   - check: With a check, no transaction of a segment is returned before the whole segment was checked
  ///     as completely as a verification checks it, so that a restore writes no row that would damage the
  ///     store. An archive without segments then has none of any store.
  /// - Throws: ``ArchiveError``; ``ArchiveError/unknownStore(path:store:known:)`` only if there is no unlisted
  ///   segment of the store either.
  package convenience init(
    path: String, storeIdentifier: String? = nil, check: RowCheck? = nil
  ) throws(ArchiveError) {
    let archive = try Archive(path: path)
    let catalog = try archive.catalog()
    let unlisted = try archive.unlistedSegments(catalog, ofStore: storeIdentifier)
    let store: ArchivedStore
    do throws(ArchiveError) {
      store = try archive.store(storeIdentifier, in: catalog)
    } catch {
      guard case .unknownStore(_, _, let known) = error,
        !unlisted.isEmpty || check != nil && known.isEmpty
      else { throw error }
      store = ArchivedStore(identifier: storeIdentifier ?? "", entries: [])
    }
    self.init(archive, store, unlisted, hasTornCatalog: catalog.tornByteCount > 0, check: check)
  }

  /// Creates a reader of a store in an archive whose catalog was read already.
  package init(
    _ archive: Archive, _ store: ArchivedStore, _ unlisted: [UnlistedSegment] = [],
    hasTornCatalog: Bool = false, check: RowCheck? = nil
  ) {
    self.archive = archive
    self.store = store
    self.unlisted = unlisted
    self.hasTornCatalog = hasTornCatalog
    self.check = check
    parts = store.parts()
    ranges = store.runs.map { $0.first...max($0.first, $0.last) }
  }

  /// Returns the gap that ends the transactions before a number, or `nil` if the archive has nothing
  /// older than those.
  package func gap(before number: Int64) -> HistoryGap? {
    let ranges = ranges.filter { $0.lowerBound <= number }
    guard let range = ranges.last, let older = ranges.dropLast().last else { return nil }
    return HistoryGap(store: store.identifier, after: older.upperBound, oldest: range.lowerBound)
  }

  /// Throws an error if an unlisted segment begins before a transaction: history from there on may be missing.
  ///
  /// - Parameter number: The oldest transaction of the store, which has everything after it; `nil` if there is
  ///   none.
  /// - Throws: ``ArchiveError/unlisted(path:)``.
  package func checkSegmentsAreListed(before number: Int64?) throws(ArchiveError) {
    guard let first = unlisted.first, first.range.lowerBound < number ?? .max else { return }
    throw .unlisted(path: first.path)
  }

  /// The index of the first part with numbers after one.
  private func firstPart(after number: Int64) -> Int {
    parts.partitioningIndex { $0.range.upperBound > number }
  }
}

extension ArchiveReader: SegmentSource {
  /// Returns a segment, which stays open for the next lookups unless segments are checked.
  func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader {
    if let check {
      // A plan reads all that a restore reads again.
      if !checked.contains(entry.manifestDigest) {
        try archive.checkLines(of: entry, allowsDamagedRows: check == .damagedRowsAllowed)
        checked.insert(entry.manifestDigest)
      }
      let segment = try archive.segment(entry)
      try segment.checkDigest()
      return segment
    }
    if let known = open.first(where: { $0.entry == entry }) { return known.reader }
    if open.count == Self.maxOpen { open.removeFirst() }
    let reader = try archive.segment(entry)
    open.append((entry, reader))
    return reader
  }
}

extension ArchiveReader: ArchivedHistory {
  package var path: String { archive.path }

  package var storeIdentifier: String? { store.identifier }

  package func entities() throws -> [HistoryEntity] {
    var known: Set<ArchiveDigest> = []
    var entities: [HistoryEntity] = []
    for entry in store.entries.reversed() {
      let schema = try archive.manifest(of: entry).schema
      guard known.insert(schema.digest).inserted else { continue }
      entities += schema.entities.lazy.filter { $0.name != nil }.map(\.historyEntity)
    }
    return entities
  }

  package func successor(of number: Int64) throws -> TransactionPosition? {
    for entry in store.entries where entry.last == number {
      if let next = try archive.manifest(of: entry).next { return next }
    }
    return nil
  }

  package func transactionCount(before number: Int64) throws -> Int64 {
    var count: Int64 = 0
    for part in parts where part.range.lowerBound < number {
      count += try walk(part).transactionCount(before: number)
    }
    return count
  }

  package func position(ofTransaction number: Int64) throws -> TransactionPosition? {
    guard number > .min else { return nil }
    let index = firstPart(after: number - 1)
    guard index < parts.count, parts[index].range.contains(number) else { return nil }
    return try walk(parts[index]).position(ofTransaction: number)
  }

  package func firstTransaction(
    after number: Int64, offset: Int64
  ) throws -> TransactionPosition? {
    var rest = max(offset, 0)
    for part in parts[firstPart(after: number)...] {
      let walk = try walk(part)
      if let position = try walk.first(after: number, skipping: &rest) { return position }
    }
    return nil
  }

  package func lastTransaction(
    before number: Int64, offset: Int64
  ) throws -> TransactionPosition? {
    var rest = max(offset, 0)
    for part in parts.reversed() where part.range.lowerBound < number {
      let walk = try walk(part)
      if let position = try walk.last(before: number, skipping: &rest) { return position }
    }
    return nil
  }

  package func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    for part in parts {
      let manifest = try archive.manifest(of: part.entry)
      guard let latest = manifest.latest, latest >= moment else { continue }
      if let position = try walk(part).first(notBefore: moment) { return position }
    }
    return nil
  }

  package func checkPresence(after number: Int64) throws {
    for part in parts[firstPart(after: number)...] { _ = try archive.segment(part.entry) }
  }

  package func transactions(_ query: HistoryQuery) throws -> any TransactionSource {
    if check != nil { try checkSegmentsAreListed(before: query.until) }
    return ArchivedTransactions(
      self, store.parts(after: query.after.map { max($0, 0) }, until: query.until), query)
  }

  private func walk(_ part: ArchivedStore.Part) throws -> SegmentWalk {
    SegmentWalk(try segment(part.entry), part.range)
  }
}
