import DurableFiles
import PersistentHistory

/// Verifies a catalog line by line, and continues after a damaged line.
struct CatalogInspection {
  /// The present segments according to the lines that could be read.
  private(set) var listed = ListedSegments()
  /// The digest of each line.
  private(set) var digests: [ArchiveDigest] = []
  /// The number of bytes in whole lines.
  private(set) var byteCount: Int64 = 0
  /// The number of bytes after the last whole line.
  private(set) var tornByteCount = 0
  private(set) var findings: FindingLog<ArchiveFindingKind>
  private let place: FilePlace
  private let path: String

  init(_ place: FilePlace, limit: Int) {
    self.place = place
    path = place.path
    findings = FindingLog(limit: limit)
  }

  /// Reads the catalog.
  mutating func run() throws(ArchiveError) {
    var lines = try CatalogLines(place)
    var entries: [CatalogEntry] = []
    entries.reserveCapacity(lines.maxCount)
    defer { listed.add(entries) }
    var stores: Set<String> = []
    while let line = try lines.next() {
      digests.append(line.digest)
      byteCount += Int64(line.byteCount)
      let number = digests.count
      switch line.entry {
      case .success(var entry):
        // All segments of a store share one string.
        entry.store = stores.insert(entry.store).memberAfterInsert
        entries.append(entry)
        if let detail = line.chainDamage { add(number, detail) }
      case .failure(.damaged(_, _, let detail)): add(number, detail)
      case .failure(.unknownFormat(_, let schema)):
        add(number, "it follows schema \(schema), expected 1 or 2")
      case .failure(let error): throw error
      }
    }
    tornByteCount = lines.tornByteCount
    if let detail = lines.endDamage {
      add(digests.count + 1, detail)
    } else if tornByteCount > 0 {
      findings.add(
        .tornCatalog, at: .line(digests.count + 1, file: path),
        "it has \(tornByteCount) bytes and no end")
    }
  }

  private mutating func add(_ line: Int, _ detail: String) {
    findings.add(.damagedCatalog, at: .line(line, file: path), detail)
  }

  /// Compares the chain with a head of it that was kept elsewhere.
  mutating func compare(with anchor: ArchiveAnchor) {
    if anchor.count > digests.count {
      findings.add(
        .otherAnchor, at: .file(path),
        "it has \(digests.count) lines (\(anchor.count) when the anchor was written)")
    } else if (anchor.count == 0 ? .none : digests[anchor.count - 1]) != anchor.digest {
      findings.add(
        .otherAnchor, at: .line(anchor.count, file: path),
        "its SHA-256 is not that of the anchor")
    }
  }

  /// The head of the chain; `nil` if the catalog is damaged.
  var head: ArchiveAnchor? {
    guard findings.damageCount == 0 else { return nil }
    return ArchiveAnchor(count: digests.count, digest: digests.last ?? .none)
  }
}
