import DurableFiles

/// The catalog of an archive: its segments in the order of sealing, each line chained to the one before.
///
/// Lines are only ever added. Those of merged or forgotten segments stay, so that a head of the chain
/// still proves them; ``entries`` has only the present segments.
public struct ArchiveCatalog: Hashable, Sendable {
  package let path: String
  private var listed = ListedSegments()
  /// The segments in the order of their lines.
  public var entries: [CatalogEntry] { listed.entries }
  /// The head of the chain, to be kept outside the archive.
  private(set) var head = ArchiveAnchor(count: 0, digest: .none)
  /// The length of the complete lines in bytes.
  private(set) var byteCount = 0
  /// The length of the incomplete line at the end, which a crash during sealing leaves and the next
  /// sealing removes.
  private(set) var tornByteCount = 0

  /// Reads a catalog and checks its chain.
  init(_ place: FilePlace) throws(ArchiveError) {
    path = place.path
    var lines = try CatalogLines(place)
    var entries: [CatalogEntry] = []
    entries.reserveCapacity(lines.maxCount)
    var stores: Set<String> = []
    while let line = try lines.next() {
      var entry = try line.entry.get()
      if let detail = line.chainDamage { throw damaged(detail) }
      // All segments of a store share one string.
      entry.store = stores.insert(entry.store).memberAfterInsert
      entries.append(entry)
      byteCount += line.byteCount
      head = ArchiveAnchor(count: entries.count, digest: line.digest)
    }
    if let detail = lines.endDamage { throw damaged(detail) }
    tornByteCount = lines.tornByteCount
    listed.add(entries)
    storeIdentifiers = stores.sorted()
  }

  private func damaged(_ detail: String) -> ArchiveError {
    .damaged(path: path, place: "line \(head.count + 1)", detail: detail)
  }

  init(emptyAt path: String) { self.path = path }

  /// Adds an entry that follows the last one, in place of an incomplete line.
  mutating func append(_ entry: CatalogEntry) {
    listed.add([entry])
    head = ArchiveAnchor(count: head.count + 1, digest: entry.digest)
    byteCount += entry.line.count
    tornByteCount = 0
    if !storeIdentifiers.contains(entry.store) {
      storeIdentifiers = (storeIdentifiers + [entry.store]).sorted()
    }
  }

  mutating func removeTornLine() { tornByteCount = 0 }

  func leftovers(ofStore store: String) -> LeftoverSegments { listed.leftovers(ofStore: store) }

  /// Returns the number below which transactions of a store were forgotten, or `nil` if none were.
  package func forgotten(ofStore store: String) -> Int64? { listed.forgotten[store] }

  package private(set) var storeIdentifiers: [String] = []

  package var stores: [ArchivedStore] { ArchivedStore.stores(of: entries) }

  /// Returns the segments of a store, or `nil` if there are none. Upper and lower case are equal, as in
  /// tokens.
  package func store(_ identifier: String) -> ArchivedStore? {
    let wanted = identifier.uppercased()
    let known = Set(storeIdentifiers.filter { $0 == identifier || $0.uppercased() == wanted })
    let found =
      known.count == storeIdentifiers.count ? entries : entries.filter { known.contains($0.store) }
    return found.first.map { ArchivedStore(identifier: $0.store, entries: found) }
  }
}

/// The head of an archive's chain at one time: the number of segments and the digest of the last line.
///
/// Kept outside the archive, it shows later whether lines were removed or replaced.
package struct ArchiveAnchor: Hashable, Sendable, CustomStringConvertible {
  let count: Int
  /// The digest of the last line; ``ArchiveDigest/none`` for an empty catalog.
  let digest: ArchiveDigest

  init(count: Int, digest: ArchiveDigest) {
    self.count = count
    self.digest = digest
  }

  /// Reads the form that ``description`` has: `3:9f86d0…`.
  package init(_ text: String) throws(ArchiveError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int(parts[0]), count >= 0, String(count) == parts[0],
      let digest = ArchiveDigest(hexadecimal: String(parts[1]))
    else { throw .malformedAnchor(text: text) }
    self.init(count: count, digest: digest)
  }

  package var description: String { "\(count):\(digest)" }
}

/// Reads the lines of a catalog one by one and checks that each follows the one before.
struct CatalogLines {
  struct Line {
    let byteCount: Int
    let digest: ArchiveDigest
    /// The entry of the line, or what is wrong with the line.
    let entry: Result<CatalogEntry, ArchiveError>
    /// What is wrong with its place in the chain.
    let chainDamage: String?
  }

  private static let pieceSize: Int64 = 1 << 18

  private let file: ArchiveFile
  private var offset: Int64 = 0
  private var piece: ArraySlice<UInt8> = []
  private var number = 0
  /// The digest of the line before; `nil` after a damaged line, because the next cannot be checked
  /// against it.
  private var previous: ArchiveDigest? = ArchiveDigest.none
  /// The length of the incomplete line at the end, once all lines are read.
  private(set) var tornByteCount = 0
  /// What is wrong with the end of the file, once all lines are read. A crash leaves a line that breaks
  /// off, never a complete one with another byte in place of its line feed.
  private(set) var endDamage: String?

  /// Opens a catalog.
  ///
  /// - Parameter offset: Where the first line to read begins.
  init(_ place: FilePlace, from offset: Int64 = 0) throws(ArchiveError) {
    file = try ArchiveFile(place)
    try file.check(limit: ArchiveFormat.catalogLimit)
    self.offset = offset
    if offset > 0 { previous = nil }
  }

  /// A number of lines that the file cannot exceed.
  var maxCount: Int { Int(file.size / ArchiveFormat.shortestCatalogLine) }

  /// Returns the next complete line, or `nil` after the last one.
  mutating func next() throws(ArchiveError) -> Line? {
    // Of a line that is too long, keep only enough to detect that.
    var bytes: [UInt8] = []
    var byteCount = 0
    var hasher = ArchiveHasher()
    func append(_ part: ArraySlice<UInt8>) {
      bytes += part.prefix(ArchiveFormat.catalogLineLimit + 1 - bytes.count)
      byteCount += part.count
      part.withUnsafeBytes { hasher.update($0) }
    }
    while true {
      if piece.isEmpty {
        let count = min(file.size - offset, Self.pieceSize)
        guard count > 0 else {
          tornByteCount = byteCount
          if bytes.count > 1, case .success = entry(bytes.dropLast() + [UInt8(ascii: "\n")]) {
            endDamage = "its last byte is not a line feed"
          }
          return nil
        }
        piece = try file.read(at: offset, count: Int(count))[...]
        offset += count
      }
      let end = piece.firstIndex(of: UInt8(ascii: "\n"))
      append(end.map { piece[...$0] } ?? piece)
      piece = end.map { piece[($0 + 1)...] } ?? []
      if end != nil { break }
    }
    number += 1
    let entry = entry(bytes)
    let digest = hasher.digest
    defer { previous = if case .success = entry { digest } else { nil } }
    return Line(
      byteCount: byteCount, digest: digest, entry: entry,
      chainDamage: Self.follows(entry, previous)
        ? nil : "its previousSHA256 is not the digest of the line before it")
  }

  private static func follows(
    _ entry: Result<CatalogEntry, ArchiveError>, _ previous: ArchiveDigest?
  ) -> Bool {
    guard case .success(let entry) = entry, let previous else { return true }
    return entry.previousDigest == previous
  }

  private func entry(_ bytes: [UInt8]) -> Result<CatalogEntry, ArchiveError> {
    do throws(ArchiveError) {
      return .success(try CatalogEntry(line: bytes, path: file.path, number: max(number, 1)))
    } catch {
      return .failure(error)
    }
  }
}
