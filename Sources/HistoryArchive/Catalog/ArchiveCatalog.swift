/// The catalog of an archive: its segments in the order in which they were sealed, each line chained
/// to the one before.
public struct ArchiveCatalog: Hashable, Sendable {
  /// Where the catalog is.
  package let path: String
  /// The segments in the order in which they were sealed.
  public private(set) var entries: [CatalogEntry]
  /// How many bytes the whole lines have.
  package private(set) var byteCount: Int
  /// How many bytes stand behind the last whole line: a crash in the middle of sealing leaves them,
  /// and the next sealing removes them.
  package private(set) var tornByteCount: Int

  /// Reads a catalog and checks its chain.
  ///
  /// - Throws: ``ArchiveError``.
  package init(path: String) throws(ArchiveError) {
    try self.init(CatalogLines(path: path), path: path)
  }

  /// Reads the bytes of a catalog and checks its chain.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - path: Where it comes from, for messages.
  /// - Throws: ``ArchiveError/damaged(path:place:detail:)`` or
  ///   ``ArchiveError/unknownFormat(path:schema:)``.
  package init(_ bytes: [UInt8], path: String) throws(ArchiveError) {
    try self.init(CatalogLines(bytes), path: path)
  }

  private init(_ lines: CatalogLines, path: String) throws(ArchiveError) {
    var lines = lines
    var entries: [CatalogEntry] = []
    var stores: [String: String] = [:]
    var previous = ArchiveDigest.none
    var byteCount = 0
    while let line = try lines.next() {
      var entry = try CatalogEntry(line: line.bytes, path: path, number: entries.count + 1)
      guard entry.previousDigest == previous else {
        throw .damaged(
          path: path, place: "line \(entries.count + 1)",
          detail: "it does not follow the line before it: its previousSHA256 does not fit")
      }
      previous = line.digest
      byteCount += line.count
      // One text in memory for all segments of a store.
      if let store = stores[entry.store] {
        entry.store = store
      } else {
        stores[entry.store] = entry.store
      }
      entries.append(entry)
    }
    guard !CatalogEntry.lacksOnlyItsEnd(lines.rest.bytes[...]) else {
      throw .damaged(
        path: path, place: "line \(entries.count + 1)",
        detail: "it is whole but for its last byte, which is no line feed")
    }
    self.path = path
    self.entries = entries
    self.byteCount = byteCount
    tornByteCount = lines.rest.count
  }

  /// A catalog of nothing.
  init(emptyAt path: String) {
    self.path = path
    entries = []
    byteCount = 0
    tornByteCount = 0
  }

  /// Adds an entry that follows the last one; what stood behind the last line is gone with this.
  mutating func append(_ entry: CatalogEntry) {
    entries.append(entry)
    byteCount += entry.line.count
    tornByteCount = 0
  }

  /// Forgets what stands behind the last whole line.
  mutating func removeTornLine() { tornByteCount = 0 }

  /// The head of the chain, to be kept elsewhere.
  package var head: ArchiveAnchor {
    ArchiveAnchor(count: entries.count, digest: entries.last?.digest ?? .none)
  }

  /// The head of the chain as it was when the archive had so many segments; nil where it has fewer.
  package func head(atCount count: Int) -> ArchiveAnchor? {
    guard (0...entries.count).contains(count) else { return nil }
    return ArchiveAnchor(count: count, digest: count == 0 ? .none : entries[count - 1].digest)
  }

  /// What there is of each store, by identifier.
  package var stores: [ArchivedStore] {
    Dictionary(grouping: entries, by: \.store).map { ArchivedStore(identifier: $0, entries: $1) }
      .sorted { $0.identifier < $1.identifier }
  }

  /// What there is of a store; nil where there is nothing.
  ///
  /// - Parameter identifier: The store; as in tokens, upper and lower case are the same.
  package func store(_ identifier: String) -> ArchivedStore? {
    let wanted = identifier.uppercased()
    let found = entries.filter { $0.store == identifier || $0.store.uppercased() == wanted }
    return found.first.map { ArchivedStore(identifier: $0.store, entries: found) }
  }
}
